package lastmod

import (
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// Candidates are the dates of which one may be a page's lastmod. Which one it is
// depends on the [Trust] at the time of publishing.
type Candidates struct {
	Changed  moment.Time        // the look that first showed the present content
	Exact    moment.Time        // the given date that moved with that change, between the looks around it
	ExactBy  Source             // who gave Exact
	Given    Given[moment.Time] // the dates of the present content
	Young    Given[bool]        // no look has found the given date old enough to be used
	Fresh    moment.Time        // the first sighting, where the page is known to be new
	Volatile bool               // it differs at every look
}

// Basis says what a lastmod is based on, or why there is none.
type Basis uint8

// The bases. Only BySeen to ByFresh come with a date.
const (
	Nothing  Basis = iota // no change was seen, and no date is believed
	BySeen                // the look that first showed the present content
	ByExact               // the given date that moved with the change
	ByGiven               // a given date, since no change was seen
	ByFresh               // the first sighting of a page that is known to be new
	Volatile              // none: the page differs at every look
	Ahead                 // none: the clock is behind what is stored
)

// LastMod returns when the page's content last changed, or none if that is not
// known; see [Candidates.Decide].
func (c Candidates) LastMod(trust Trust, now moment.Time) moment.Time {
	at, _, _ := c.Decide(trust, now)
	return at
}

// Decide returns the lastmod, or none, its basis, and the source if it is a given
// date. In order: the change that was seen, at the time that a believed source
// gave with it, or else at that of the look; a believed given date; the first
// sighting of a new page. A page that differs at every look has none. The lastmod
// is never after now.
//
// When a date loses its belief, the one in its place is later, so that a lastmod
// never goes back: of two given dates the earlier is used, no given date is later
// than the first sighting, and the look that showed a change is the latest of
// all.
func (c Candidates) Decide(trust Trust, now moment.Time) (at moment.Time, by Basis, whose Source) {
	switch {
	case c.Volatile:
		return 0, Volatile, NoSource
	case c.Changed > now:
		return 0, Ahead, NoSource
	case c.Changed != 0 && c.Exact != 0 && c.Exact <= c.Changed && trust.believesChange(c.ExactBy, c.Exact):
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

// earliest returns the earliest given date that may be used, and its source.
// waits says that the date may be a build's, which later pages will show.
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

// Against says why the date that a source gives the page's content is not used.
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

// CandidateFields is how many field numbers [Candidates.Encode] uses.
const CandidateFields = 9

// The fields of stored candidates, behind a base.
const (
	candidateChanged = iota
	candidateExact
	candidateExactBy
	candidateServer
	candidatePage
	candidateServerYoung
	candidatePageYoung
	candidateFresh
	candidateVolatile
)

// Encode adds the candidates to a record, with field numbers from base on.
func (c *Candidates) Encode(e *record.Encoder, base int) {
	e.Date(base+candidateChanged, c.Changed)
	e.Date(base+candidateExact, c.Exact)
	e.Uint(base+candidateExactBy, uint64(c.ExactBy))
	e.Date(base+candidateServer, c.Given[Server])
	e.Date(base+candidatePage, c.Given[Page])
	e.Bool(base+candidateServerYoung, c.Young[Server])
	e.Bool(base+candidatePageYoung, c.Young[Page])
	e.Date(base+candidateFresh, c.Fresh)
	e.Bool(base+candidateVolatile, c.Volatile)
}

// Decode takes a field that Encode wrote, and reports whether it is one.
func (c *Candidates) Decode(f record.Field, base int) bool {
	switch f.Num - base {
	case candidateChanged:
		c.Changed = f.Date()
	case candidateExact:
		c.Exact = f.Date()
	case candidateExactBy:
		c.ExactBy = sourceOf(f.Value)
	case candidateServer:
		c.Given[Server] = f.Date()
	case candidatePage:
		c.Given[Page] = f.Date()
	case candidateServerYoung:
		c.Young[Server] = true
	case candidatePageYoung:
		c.Young[Page] = true
	case candidateFresh:
		c.Fresh = f.Date()
	case candidateVolatile:
		c.Volatile = true
	default:
		return false
	}
	return true
}
