// Package rate estimates how often a page changes. It takes looks at irregular times, each
// of which found the page changed or not. It returns a changefreq with its probability. It
// must never read a clock or share state: an Estimate is a plain value.
//
// The model is a page that changes at random with an unknown rate. A look tells only
// whether the page differs from the look before it, and sometimes tells so wrongly. An
// estimate keeps what the likelihood of the rate depends on: the time between looks that
// found no change, the number of those looks, and a histogram of the gaps after which looks
// found changes. Interval averages such as X/T or that of Cho and Garcia-Molina
// ("Estimating frequency of change", ACM TOIT 3(3), 2003) need looks at regular times. They
// fail for visitors, who come in bursts.
//
// Real pages also stop, speed up and slow down. So the estimate fades with time, and takes
// the rate of today to be near that of the past, not equal to it. And they change in
// bunches. So an estimate also keeps how bunched the changes were, their dispersion. The
// greater it is, the less the changes count, the more the rate may have moved, and the wider
// is the range of the time between changes.
package rate

import "math"

// An Estimate says at what rate one page changes, by all looks at it so far. It is a plain
// value: copy it, compare it, use it from any goroutine. The zero Estimate has seen
// nothing.
type Estimate struct {
	lastVisit  uint32 // unix seconds
	lastChange uint32 // unix seconds; the first visit as long as no change was seen; never after lastVisit
	looks      uint8  // 0, 1, or 2 for more
	changes    uint8  // seen, at most 3
	noisy      bool   // a look since lastChange differed without a change
	quiet      uint16 // unchanged looks since lastChange, at most 65,535

	// The history up to lastChange. Later looks join it at the next change.
	past history
}

// first is the estimate after the first look, at a page that last changed at changed.
func first(look, changed uint32) Estimate {
	return Estimate{lastVisit: look, lastChange: changed, looks: 1}
}

// Saw returns the estimate after one more look, at a time in unix seconds. changed says
// that the page changed since the look before. The first look only starts the estimate.
// Give looks in the order of their times, once their outcome is known. If a clock stepped
// back, the look counts as one second after the look before it. Times outside the years
// 1970 to 2106 count as the nearest one inside.
func (e Estimate) Saw(at int64, changed bool) Estimate {
	t := clampTime(at)
	switch {
	case e.looks == 0:
		return first(t, t)
	case changed:
		return e.change(t, t, false)
	}
	e.lastVisit, e.looks = t, 2
	e.lastChange = min(e.lastChange, t) // if the clock was ahead at the change, quiet time counts again from now on
	if e.quiet < math.MaxUint16 {
		e.quiet++
	}
	return e
}

// SawNoise is Saw for a look at which the page differed without a change, such as by a
// clock or a quotation of the day. The look counts as unchanged, but takes back an
// unchanged look. So a page that mostly differs and never changes has no changefreq, and a
// page that differed since its last change is never called Never.
func (e Estimate) SawNoise(at int64) Estimate {
	if e.looks == 0 {
		return e.Saw(at, false)
	}
	quiet := e.quiet
	e = e.Saw(at, false)
	e.quiet, e.noisy = max(quiet, 1)-1, true
	return e
}

// SawChangeAt is Saw for a look that found a change whose own time is known. It says more:
// there was no change from that time to the look (Matloff, "Estimation of Internet
// file-access/modification rates from indirect data", ACM TOIT 5, 2005), and the change is
// no mistake. It says nothing of the time between the look before and the change, which may
// hold other changes.
//
// Use it for a date, such as a Last-Modified, that has moved at this page's changes and at
// no other time. The date of a build, or of the answer itself, would make every change look
// as if it was found at once. For such a date, and in doubt, use Saw.
//
// A change in the future counts as a change at the look. A change from before the look
// before contradicts that look, so the call is Saw(at, true). At the first look the age
// alone informs the estimate.
func (e Estimate) SawChangeAt(at, changedAt int64) Estimate {
	t := clampTime(at)
	c := min(clampTime(changedAt), t)
	switch {
	case e.looks == 0:
		e = first(t, c)
		e.past.gaps[dated]++
		e.changes = 1
		return e
	case c < e.lastVisit || t <= e.lastVisit:
		return e.Saw(at, true)
	}
	return e.change(t, c, true)
}

// UnchangedSince returns the estimate of a page that proves to have been the same since a
// time in unix seconds before the first look. It does nothing once a change was seen.
func (e Estimate) UnchangedSince(unix int64) Estimate {
	if e.looks > 0 && e.changes == 0 {
		e.lastChange = min(e.lastChange, clampTime(unix))
	}
	return e
}

// LastVisit returns the time of the last look in unix seconds, 0 if there was none.
func (e Estimate) LastVisit() int64 { return int64(e.lastVisit) }

// LastChange returns the time of the last change in unix seconds as the estimate counts it:
// the look that found it, or its own time if that was known. It is 0 until a change was
// seen. A clock that stepped back takes it back too.
func (e Estimate) LastChange() int64 {
	if e.changes == 0 {
		return 0
	}
	return int64(e.lastChange)
}

// Quiet returns for how many seconds before the last look the page is known to be
// unchanged.
func (e Estimate) Quiet() int64 { return int64(e.lastVisit - e.lastChange) }

// change adds the look at time t that found a change since the look before it. changed is
// the time of the change, if known is true.
func (e Estimate) change(t, changed uint32, known bool) Estimate {
	gap := 1.0 // seconds
	if t > e.lastVisit {
		gap = float64(t - e.lastVisit)
	}
	quiet := float64(e.lastVisit - e.lastChange)
	bin, interval := binOf(gap, chanceOf(t)), quiet+gap
	if known { // nothing is said of the gap
		bin, interval = dated, quiet
	}
	e.past.pass(quiet, e.quiet, gap, bin)
	e.past.interval(interval)
	e.lastVisit, e.lastChange = t, changed
	e.quiet, e.noisy, e.looks, e.changes = 0, false, 2, min(3, e.changes+1)
	return e
}

func clampTime(unix int64) uint32 { return uint32(max(0, min(math.MaxUint32, unix))) }

// chanceOf returns a number from 0 to 1 that is spread evenly over times in seconds
// (Knuth's multiplicative hash).
func chanceOf(t uint32) float64 { return float64(t*2654435761>>8) / (1 << 24) }
