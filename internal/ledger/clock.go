package ledger

import "time"

// clockTrial is how long a clock must be behind before it is believed.
const clockTrial = 24 * time.Hour

// clock says whether this process's clock can date anything. It cannot while it
// is behind the time at which the site was last observed, as on a machine whose
// clock stood still while it was off. If it stays behind, it was ahead before; then
// stored times that are later than a look count as the look's. It belongs to the
// worker. The zero clock is right.
type clock struct {
	since time.Time // when it was first found behind, by the monotonic clock; zero if it is not
	shown time.Time // what it showed then
}

// behind reports whether looks date nothing.
func (c *clock) behind() bool { return !c.since.IsZero() }

// judge takes the time of a look, and whether the site was observed later than
// that. It reports whether the clock is believed from now on although it was.
func (c *clock) judge(at time.Time, late bool) (believed bool) {
	passed := time.Since(c.since)
	jumped := (at.Sub(c.shown) - passed).Abs() >= time.Hour
	switch {
	case !late:
		*c = clock{}
	case !c.behind() || jumped:
		*c = clock{since: time.Now(), shown: at}
	case passed >= clockTrial:
		*c = clock{}
		return true
	}
	return false
}
