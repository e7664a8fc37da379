package lastmod

import (
	"github.com/servemap/servemap/internal/decide/moment"
)

// Candidates are the dates that may become a page's lastmod. Which one does depends on the
// [Trust] at the time of publishing.
type Candidates struct {
	Changed  moment.Time        `cbor:"1,keyasint,omitzero"` // the look that first showed the present content
	Exact    moment.Time        `cbor:"2,keyasint,omitzero"` // the given date that moved with that change, and was believed then
	ExactBy  Source             `cbor:"3,keyasint,omitzero"` // who gave Exact
	Given    Given[moment.Time] `cbor:"4,keyasint,omitzero"` // the dates of the present content
	Young    Given[bool]        `cbor:"5,keyasint,omitzero"` // no look has found the given date old enough to be used
	Fresh    moment.Time        `cbor:"6,keyasint,omitzero"` // since when the page is there, if it is known to be new
	Volatile bool               `cbor:"7,keyasint,omitzero"` // the page differs at every look
}

// Basis says what a lastmod is based on, or why there is none.
type Basis uint8

// The bases. Only BySeen to ByFresh come with a date.
const (
	Nothing  Basis = iota // no change was seen, and no date is believed
	BySeen                // the look that first showed the present content
	ByExact               // the given date that moved with the change
	ByGiven               // a given date, since no change was seen
	ByFresh               // the first sight of a page that is known to be new, or of a link to it
	Volatile              // none: the page differs at every look
	Ahead                 // none: the clock is behind what is stored
)

// LastMod returns when the page's content last changed, or none if that is not
// known; see [Candidates.Decide].
func (c Candidates) LastMod(trust Trust, now moment.Time) moment.Time {
	at, _, _ := c.Decide(trust, now)
	return at
}

// Decide returns the lastmod, or none, its basis, and the source of a given date. It takes
// the first of these: the change that was seen, the earliest believed date, the time since
// which a new page is there. A change has the time that a then believed source gave with
// it, else the time of the look. A page that differs at every look has no lastmod. The
// lastmod is never after now.
//
// When a date loses belief, a later one replaces it, so that a lastmod never goes back: of
// two given dates the earlier is used, no given date is later than what dates a new page,
// and a change that was seen is the latest of all.
func (c Candidates) Decide(trust Trust, now moment.Time) (at moment.Time, by Basis, whose Source) {
	switch {
	case c.Volatile:
		return 0, Volatile, NoSource
	case c.Changed > now:
		return 0, Ahead, NoSource
	case c.Exact != 0 && c.Exact <= c.Changed:
		return c.Exact, ByExact, c.ExactBy
	case c.Changed != 0:
		return c.Changed, BySeen, NoSource
	}
	at, whose, waits := c.earliest(trust, now)
	switch {
	case waits:
		return 0, Nothing, NoSource
	case at != 0:
		return at, ByGiven, whose
	case c.Fresh > now:
		return 0, Ahead, NoSource
	case c.Fresh != 0:
		return c.Fresh, ByFresh, NoSource
	}
	return 0, Nothing, NoSource
}

// earliest returns the earliest given date that may be used, and its source. waits says
// that the date may come from a build, as later pages will show.
func (c Candidates) earliest(trust Trust, now moment.Time) (at moment.Time, whose Source, waits bool) {
	for s := Server; s < sources; s++ {
		g, doubt := c.Given[s], c.Against(trust, s, now)
		likely := doubt == Stamped && trust[s].Likely.holds(g)
		if (likely || doubt == NoDoubt) && (at == 0 || g < at) {
			at, whose, waits = g, s, likely
		}
	}
	return at, whose, waits
}

// Against says why a source's date of the page's content is not used.
func (c Candidates) Against(trust Trust, s Source, now moment.Time) Doubt {
	g := c.Given[s]
	switch doubt := trust.Against(s, g); {
	case g == 0:
		return NotGiven
	case doubt == NoDoubt && (c.Young[s] || g > now || c.Fresh != 0 && g > c.Fresh):
		return TooYoung
	default:
		return doubt
	}
}
