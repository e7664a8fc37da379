package lastmod

import "github.com/servemap/servemap/internal/decide/moment"

// A Date is the date that was decided for the present content of a page. It is stored, in
// the page's record and in its entry.
type Date struct {
	At moment.Time `cbor:"1,keyasint,omitzero"` // 0 if there is none
	By Source      `cbor:"2,keyasint,omitzero"` // who gave it; NoSource if it is the time of an observation
	// Seen says that the content was seen to change. Then By gave a time between two observations,
	// which is kept even if By is caught later.
	Seen bool `cbor:"3,keyasint,omitzero"`
}

// Doubt says why a page has no lastmod.
type Doubt uint8

// The doubts.
const (
	NoDoubt Doubt = iota
	NoDate        // no change was seen, and none of the dates that are given counts
	Clocked       // the source moves with the clock
	Moved         // the source moves where the content does not
	Built         // a build gave dates of that hour to most pages
	Ahead         // the clock is behind what is stored
)

// LastMod returns the lastmod to publish, 0 for none.
func (d Date) LastMod(trust Trust, now moment.Time) moment.Time {
	if d.Against(trust, now) != NoDoubt {
		return 0
	}
	return d.At
}

// Against says why the date is not published.
func (d Date) Against(trust Trust, now moment.Time) Doubt {
	switch {
	case d.At == 0:
		return NoDate
	case d.At > now:
		return Ahead
	case d.Seen || !d.By.Gives():
		return NoDoubt
	case trust[d.By].Clock:
		return Clocked
	case trust[d.By].Caught:
		return Moved
	case trust[d.By].Build.holds(d.At):
		return Built
	}
	return NoDoubt
}

// Trust says which given dates are not believed. The zero Trust believes every date. It can
// be compared.
type Trust Given[Distrust]

// Distrust says why the dates of one source are left out.
type Distrust struct {
	Caught bool // its dates moved while the content stayed the same, so all are left out
	Clock  bool // they moved with the clock
	Build  Build
}

// believes reports whether a source is believed. It ignores builds: a page that changed in a
// build changed at the build's time.
func (t Trust) believes(s Source) bool { return s.Gives() && !t[s].Caught }
