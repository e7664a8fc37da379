package lastmod

import "github.com/servemap/servemap/internal/decide/moment"

// Trust says, by source, which given dates are not believed. Belief in a date is only ever
// lost; otherwise a lastmod could go back. The zero Trust believes every date. It can be
// compared.
type Trust [sources]Distrust

// Distrust is what is known against the dates of one source.
type Distrust struct {
	All    bool        // the source was caught, and none of its dates is believed
	Clock  bool        // it was caught moving with the clock
	UpTo   moment.Time // dates up to then are not believed: the source was caught before
	Stamps Stamps
	// Likely may turn out to be a stamp, but few pages show it yet. No date in it is used,
	// and no later date instead.
	Likely Stamp
}

// believesChange reports whether a date that moved with a change is believed. It ignores
// stamps: a page that changed in a build changed at the build's time.
func (t Trust) believesChange(s Source, date moment.Time) bool {
	return s < sources && !t[s].All && date > t[s].UpTo
}

// Doubt says why a given date is not used.
type Doubt uint8

// The doubts.
const (
	NoDoubt  Doubt = iota
	NotGiven       // there is no date
	Clocked        // its source moves with the clock
	Moved          // its source moves where the content does not
	Outdated       // it is from before its source was believed again
	Stamped        // a build gave the same time to most pages
	TooYoung       // no look has found it old enough to tell it from the clock
)

// Against says why a date that a source gives is not believed.
func (t Trust) Against(s Source, date moment.Time) Doubt {
	if s >= sources {
		return NotGiven
	}
	switch d := &t[s]; {
	case d.All && d.Clock:
		return Clocked
	case d.All:
		return Moved
	case date <= d.UpTo:
		return Outdated
	case d.Stamps.hold(date), d.Likely.holds(date):
		return Stamped
	}
	return NoDoubt
}

// Follow returns others with the stamps of t added. A stamp must not be forgotten before it
// is stored.
func (t Trust) Follow(others Trust) Trust {
	for s := Server; s < sources; s++ {
		others[s].Stamps = others[s].Stamps.withAll(t[s].Stamps)
	}
	return others
}
