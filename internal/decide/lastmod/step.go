package lastmod

import (
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
)

const (
	// clockWindow is how close two times must be to count as the same.
	clockWindow = 2 * time.Second
	// clockGap is how far apart two observations must be to tell a date that moves with the clock from chance.
	clockGap = 10 * time.Second
)

// step is how a given date moved from one observation to the next.
type step struct {
	old, new   moment.Time // the date
	at, before moment.Time // the observations
}

// verdict says how the move of a given date compares with the content.
type verdict uint8

const (
	plain  verdict = iota // it says nothing about its source
	lied                  // it moved although the content did not
	ticked                // it moved although the content did not, and as far as the clock
	agreed                // it moved to a time between the two observations, and so did the content
)

// usable reports whether there is a date and it is not in the future.
func (p step) usable() bool { return p.new > 0 && p.new <= p.at.Add(clockWindow) }

// ticks reports whether the date moves with the clock: it was the time of both observations, or it
// moved as far as the clock did in between.
func (p step) ticks() bool {
	moved, passed := p.new.Sub(p.old), p.at.Sub(p.before)
	isClock := p.new >= p.at.Add(-clockWindow) && p.old >= p.before.Add(-clockWindow)
	return isClock || passed >= clockGap && (moved-passed).Abs() <= clockWindow
}

// judge says what the move of a usable date means. A text that differs without a change may have a date of its own, but
// not one that moves with the clock. Held content may be a change.
func (p step) judge(outcome mark.Outcome) verdict {
	if p.old == 0 || p.new == p.old || p.before == 0 || p.old > p.at.Add(clockWindow) {
		return plain
	}
	between := p.new > p.before && p.new <= p.at
	switch {
	case (outcome == mark.Same || outcome == mark.Variant) && p.ticks():
		return ticked
	case outcome == mark.Same:
		return lied
	case (outcome == mark.Changed || outcome == mark.Held) && between:
		return agreed
	}
	return plain
}
