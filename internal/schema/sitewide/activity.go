// Package sitewide has the small records about more than one page: when the site was observed, which
// pages show one content, and which networks are refused pages. Each is read from bytes, changed as
// a value, and written to bytes. The package never decides about a page, and never touches a store
// or a clock.
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
	Length int64  `cbor:"1,keyasint,omitzero"` // of a span, in seconds
	Last   int64  `cbor:"2,keyasint,omitzero"` // the number of the latest span, counted from the Unix epoch
	Seen   uint64 `cbor:"3,keyasint,omitzero"` // bit i is set if the site was observed in the span Last-i
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
	if a.Length != length || a.Seen == 0 {
		return Activity{length, span, 1}
	}
	if span > a.Last {
		a.Seen = a.Seen<<min(64, span-a.Last) | 1
	}
	a.Last = span
	return a
}

// Enough reports whether the site was observed so often since t that a page not seen since then
// counts as gone.
func (a Activity) Enough(t moment.Time) bool { return a.since(t) >= activeEnough }

// since returns in how many spans after that of t the site was observed.
func (a Activity) since(t moment.Time) int {
	if a.Length == 0 {
		return 0
	}
	after := a.Last - t.Seconds()/a.Length
	if after <= 0 {
		return 0
	}
	return bits.OnesCount64(a.Seen & (1<<min(64, after) - 1))
}

// ReadActivity reads what Encode wrote.
func ReadActivity(b []byte) (a Activity) {
	if codec.Unmarshal(b, &a) != nil || a.Length <= 0 || a.Last < 0 || a.Last > lastSecond {
		return Activity{} // no clock shows that
	}
	return a
}

// lastSecond is the last second of the year 9999, in Unix seconds.
const lastSecond = 253_402_300_799

// Encode returns the record of the activity.
func (a Activity) Encode() []byte { return codec.MarshalOrNil(a) }
