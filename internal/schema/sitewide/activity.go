// Package sitewide has the small records about more than one page: when the site was observed, which
// pages show one content, and how many left as refused. Each is read from bytes, changed as a value,
// and written to bytes. The package never decides about a page, and never touches a store
// or a clock.
package sitewide

import (
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

// spans is how many spans make up the time for which unseen pages are kept.
const spans = 64

// activeEnough is a number of spans. A page leaves as unseen only if the site was observed for so long
// since the page was last seen, without a break of the same length. If the site stood still or a clock
// jumped, that proves nothing about its pages.
const activeEnough = 8

// Activity says for how long the site has been observed without a long break.
type Activity struct {
	Since moment.Time `cbor:"4,keyasint,omitzero"`
	Last  moment.Time `cbor:"5,keyasint,omitzero"`
}

// SpanLength returns the length of a span if unseen pages are kept for keepFor. It is at least a
// minute, since everything stored is reviewed once in each span.
func SpanLength(keepFor time.Duration) time.Duration {
	return max(time.Minute, (keepFor / spans).Truncate(time.Second))
}

// Observed returns the activity after an observation at now. It changes once in a span. After a long
// break, or if a clock was ahead before, it begins anew.
func (a Activity) Observed(now moment.Time, span time.Duration) Activity {
	passed := now.Sub(a.Last)
	if passed >= 0 && passed < span {
		return a
	}
	if passed < 0 || passed >= activeEnough*span {
		a.Since = now
	}
	a.Last = now
	return a
}

// Enough reports whether the site was observed for so long since t that a page not seen since then
// counts as gone.
func (a Activity) Enough(t moment.Time, span time.Duration) bool {
	return a.Last.Sub(max(t, a.Since)) >= activeEnough*span
}

// Encode returns the record of the activity.
func (a Activity) Encode() []byte { return codec.MarshalOrNil(a) }
