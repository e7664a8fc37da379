// Package rate estimates how often a page changes, from observations at irregular times, each of
// which found the page changed or not. It must never read a clock or share state.
//
// All that it says is read from one posterior over a fixed grid of rates. An estimate keeps
// what the likelihood of a rate depends on: the time between observations that found no change, the
// number of those observations, and a histogram of the gaps after which observations found changes.
package rate

import "math"

// An Estimate says at what rate one page changes, by all observations of it so far. It is a plain
// value that can be compared. The zero Estimate has seen nothing.
type Estimate struct {
	Now  SinceChange `cbor:"1,keyasint,omitzero"`
	Past History     `cbor:"2,keyasint,omitzero"` // up to the last change; later observations join it at the next change
}

// SinceChange is what the observations since the last change found.
type SinceChange struct {
	LastVisit  uint32 `cbor:"1,keyasint,omitzero"` // unix seconds
	LastChange uint32 `cbor:"2,keyasint,omitzero"` // never after LastVisit; the first visit as long as no change was seen
	Quiet      uint16 `cbor:"3,keyasint,omitzero"` // observations that found no change, at most 65,535
}

// Saw returns the estimate after one more observation, at a time in unix seconds. changed says that
// the page changed since the observation before; the first observation only starts the estimate. If a clock
// stepped back, the observation counts as one second after the observation before it.
func (e Estimate) Saw(at int64, changed bool) Estimate {
	t := clampTime(at)
	switch {
	case e.Now.LastVisit == 0:
		e.Now = SinceChange{LastVisit: t, LastChange: t}
	case changed:
		e.Past.add(e.Now, binOf(max(1, float64(t)-float64(e.Now.LastVisit)), t))
		e.Now = SinceChange{LastVisit: t, LastChange: t}
	default:
		e.Now.LastVisit = t
		e.Now.LastChange = min(e.Now.LastChange, t) // the clock may have been ahead
		e.Now.Quiet = max(e.Now.Quiet, e.Now.Quiet+1)
	}
	return e
}

// SawChangeAt is Saw for an observation that found a change and knows when it happened, by a date that
// moves at this page's changes and at no other time. It says more: there was no change from
// that time to the observation, and the change is no mistake. A change in the future counts as one
// at the observation. A change from before the observation before contradicts that observation, and is not used.
func (e Estimate) SawChangeAt(at, changedAt int64) Estimate {
	t := clampTime(at)
	c := min(clampTime(changedAt), t)
	if e.Now.LastVisit == 0 || c < e.Now.LastVisit || t <= e.Now.LastVisit {
		return e.Saw(at, true)
	}
	e.Past.add(e.Now, dated)
	e.Now = SinceChange{LastVisit: t, LastChange: c}
	return e
}

// Quiet returns for how many seconds before the last observation the page is known to be unchanged.
func (e Estimate) Quiet() int64 { return int64(e.Now.LastVisit - e.Now.LastChange) }

func clampTime(unix int64) uint32 { return uint32(max(0, min(math.MaxUint32, unix))) }

// A History counts changes in bins, by the gap between the observation that found the change and
// the observation before.
type History struct {
	Time         float32     `cbor:"1,keyasint,omitzero"` // seconds in which observations found no change
	Observations float32     `cbor:"2,keyasint,omitzero"` // that found no change
	Gaps         [bins]uint8 `cbor:"3,keyasint,omitzero"` // changes found after a gap of about that length
}

const (
	bins        = 13   // the first is dated; the others stand for gaps from 20 seconds to 100 days
	dated       = 0    // the bin of changes whose own time was known
	shortestGap = 20.0 // seconds, the middle of the second bin
	binNats     = 1.18 // logarithm of the ratio of the middles of two bins
	mostChanges = 64   // with one more, a history forgets half: the rate of years ago says little of today's
)

// add adds the observations since a change, and the change that an observation after them found.
func (h *History) add(s SinceChange, bin int) {
	h.Time, h.Observations = h.Time+float32(s.LastVisit-s.LastChange), h.Observations+float32(s.Quiet)
	if h.Gaps[bin]++; h.changes() > mostChanges {
		h.Time, h.Observations = h.Time/2, h.Observations/2
		odd := uint8(0) // what one bin loses by rounding goes to the next
		for b, n := range h.Gaps {
			h.Gaps[b], odd = (n+odd)/2, (n+odd)%2
		}
	}
}

// changes is the number of changes that the history remembers.
func (h *History) changes() (n int) {
	for _, c := range h.Gaps {
		n += int(c)
	}
	return n
}

// binOf returns the bin of a gap before an observation. A gap between the middles of two bins falls
// into either one by a chance, which is the hash of the observation's time (Knuth's). So equal gaps,
// as with observations at regular times, keep their mean.
func binOf(seconds float64, at uint32) int {
	chance := float64(at*2654435761>>8) / (1 << 24)
	return dated + 1 + int(max(0, min(bins-2, math.Log(seconds/shortestGap)/binNats+chance)))
}
