// Package sitewide has the small records about more than one page: when the site was observed, how
// many pages of a folder are listed, which pages show one content, and which networks are refused
// pages. Each is read from bytes, changed as a value, and written to bytes. The package never
// decides about a page, and never touches a store or a clock.
package sitewide

import (
	"math/bits"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

// spans is how many spans make up the time for which unseen pages are kept.
const spans = 64

// activeEnough is a number of spans. A page leaves as unseen only if the site was observed in that
// many since the page was last seen. If the site stood still or a clock jumped, that proves nothing
// about its pages.
const activeEnough = 8

// Activity says in which of the last spans the site was observed.
type Activity struct {
	length int64  // of a span, in seconds
	last   int64  // the number of the latest span, counted from the Unix epoch
	seen   uint64 // bit i is set if the site was observed in the span last-i
	unread codec.Unread
}

// SpanLength returns the length of a span if unseen pages are kept for keepFor. It is at least a
// minute, since everything stored is reviewed once in each span.
func SpanLength(keepFor time.Duration) time.Duration {
	return max(time.Minute, (keepFor / spans).Truncate(time.Second))
}

// Observed returns the activity with the span of now added, if spans have that length. A
// later span than that of now, which a clock that was ahead wrote, counts as that of now.
func (a Activity) Observed(now moment.Time, spanLength time.Duration) Activity {
	length := int64(spanLength / time.Second)
	span := now.Seconds() / length
	if a.length != length || a.seen == 0 {
		return Activity{length, span, 1, a.unread}
	}
	if span > a.last {
		a.seen = a.seen<<min(64, span-a.last) | 1
	}
	a.last = span
	return a
}

// Anew returns an empty activity that keeps what a later version wrote.
func (a Activity) Anew() Activity { return Activity{unread: a.unread} }

// Enough reports whether the site was observed so often since t that a page not seen since then
// counts as gone.
func (a Activity) Enough(t moment.Time) bool { return a.since(t) >= activeEnough }

// since returns in how many spans after that of t the site was observed.
func (a Activity) since(t moment.Time) int {
	if a.length == 0 {
		return 0
	}
	after := a.last - t.Seconds()/a.length
	if after <= 0 {
		return 0
	}
	return bits.OnesCount64(a.seen & (1<<min(64, after) - 1))
}

func (a *Activity) fields(f *codec.Fields) {
	f.Int(1, &a.length)
	f.Int(2, &a.last)
	f.Hash(3, &a.seen)
}

// ReadActivity reads what Encode wrote.
func ReadActivity(b []byte) (a Activity) {
	a.unread, _ = codec.Read(b, codec.Into(a.fields))
	if a.last = codec.Seconds(a.last); a.length <= 0 || a.last < 0 {
		return a.Anew() // no clock shows that
	}
	return a
}

// Encode returns the record of the activity.
func (a Activity) Encode() []byte { return codec.Write(a.fields, a.unread) }
