// Package rate estimates how often a page changes from looks at moments that nobody chose.
//
// The model is a page that changes at random with an unknown rate, seen at irregular times, where a look tells only whether the page
// differs from the look before it, and now and then tells so wrongly. Three things then say all there is to say about the rate: the time
// that passed between looks without a change, the number of those looks, and how many changes were found after a gap of which length.
// They are kept, the lengths in a histogram of even steps of their logarithm, and the words are read off the likelihood of it all. Interval
// averages such as X/T or the one of Cho and Garcia-Molina ("Estimating frequency of change", ACM TOIT 3(3), 2003) need looks at regular
// times, and fail for visitors, who come in bursts.
//
// Pages also stop, speed up and slow down. A histogram that is full is halved, so that old changes fade; two cumulative sums (Page,
// "Continuous inspection schemes", Biometrika 41, 1954) find a new regime among the changes, and the read-out allows for one that began
// since the last change.
//
// Everything here is a pure value: no clock, no input or output, nothing shared.
package rate

import "math"

// An Estimate is what the looks at one page so far tell about the rate at which it changes. It is a comparable value of 32 bytes: copy
// it, compare it, use it from any goroutine. The zero Estimate has seen nothing.
type Estimate struct {
	// Few words rather than many fields, so that they travel in registers and an unchanged look costs next to nothing.
	state  uint64 // see the shifts below
	times  uint64 // last visit and, in the lower half, last change, as in page
	past   uint64 // time and looks in twenty bits each, and a bit for every bin in use, the first one lowest
	counts uint64 // of the bins in use, the first one lowest
}

// Where things are in Estimate.state. The highest three bits are clear; the encoding has its mark there.
const (
	restartedShift = 60 // one bit
	changesShift   = 58 // two bits
	looksShift     = 56 // two bits
	quietShift     = 40 // sixteen bits
	fasterShift    = 33 // seven bits
	slowerShift    = 26 // seven bits
	meanShift      = 18 // eight bits
	noiseShift     = 11 // seven bits
	leanBits       = 11
)

// A page is an Estimate laid open.
type page struct {
	lastVisit  uint32 // unix seconds
	lastChange uint32 // unix seconds; the first visit as long as no change was seen; never after lastVisit
	looks      uint8  // 0, 1, or 2 for more
	quiet      uint16 // unchanged looks since lastChange, at most 65,535

	// The history up to lastChange. What came since is added at the next change.
	past   history
	regime regime
}

func (e Estimate) open() page {
	const seven = 1<<7 - 1
	p := page{
		lastVisit: uint32(e.times >> 32), lastChange: uint32(e.times),
		looks: e.looks(), quiet: uint16(e.state >> quietShift),
		regime: regime{
			changes: e.changes(), restarted: e.state>>restartedShift&1 != 0,
			faster: int8(e.state >> fasterShift & seven), slower: int8(e.state >> slowerShift & seven),
			mean: uint8(e.state >> meanShift), noise: uint8(e.state >> noiseShift & seven),
		},
	}
	p.past = unpack(e.past, e.counts)
	p.past.lean = int16(e.state<<(16-leanBits)) >> (16 - leanBits)
	return p
}

func (p *page) close() Estimate {
	r := &p.regime
	e := Estimate{times: uint64(p.lastVisit)<<32 | uint64(p.lastChange)}
	e.past, e.counts = p.past.pack()
	e.state = uint64(r.changes)<<changesShift | uint64(p.looks)<<looksShift | uint64(p.quiet)<<quietShift |
		uint64(r.faster)<<fasterShift | uint64(r.slower)<<slowerShift | uint64(r.mean)<<meanShift | uint64(r.noise)<<noiseShift |
		uint64(p.past.lean)&(1<<leanBits-1)
	if r.restarted {
		e.state |= 1 << restartedShift
	}
	return e
}

func (e Estimate) looks() uint8   { return uint8(e.state >> looksShift & 3) }
func (e Estimate) changes() uint8 { return uint8(e.state >> changesShift & 3) }

// Saw returns the estimate after one more look, at a time in unix seconds, which found the page changed since the look before or
// not. The first look only starts the estimate, whatever it says of a change. Looks are given in the order of their times; where a
// clock stepped back, the look counts as one second after the look before it. Times outside the years 1970 to 2106 are taken as
// the nearest one inside.
//
// A look whose outcome is still open is best not given before it is decided.
func (e Estimate) Saw(at int64, changed bool) Estimate {
	t := clampTime(at)
	if e.looks() == 0 {
		first := page{lastVisit: t, lastChange: t, looks: 1, regime: newRegime}
		return first.close()
	}
	if changed {
		return e.change(t, t, false)
	}
	lastChange := min(uint32(e.times), t) // where the clock was ahead at the change, quiet time counts again from now on
	e.times = uint64(t)<<32 | uint64(lastChange)
	e.state = e.state&^(3<<looksShift) | 2<<looksShift
	if e.state>>quietShift&math.MaxUint16 < math.MaxUint16 {
		e.state += 1 << quietShift
	}
	return e
}

// SawChangeAt is Saw for a look that found a change whose own time is known. It tells more: that there was none from then to the look
// (Matloff, "Estimation of Internet file-access/modification rates from indirect data", ACM TOIT 5, 2005), and that the change is no
// mistake. It says nothing of the time between the look before and the change, in which there may have been others.
//
// It is for a date, such as a Last-Modified, that has moved at this page's changes and at no other time. The date of a build or of the
// answer itself would make every change seem to have been found at once; for those, and where in doubt, Saw is right.
//
// A change in the future counts as one at the look; one from before the look before it contradicts that look, and the call is
// Saw(at, true). At the first look the age alone informs the estimate.
func (e Estimate) SawChangeAt(at, changedAt int64) Estimate {
	t := clampTime(at)
	c := min(clampTime(changedAt), t)
	lastVisit := uint32(e.times >> 32)
	switch {
	case e.looks() == 0:
		first := page{lastVisit: t, lastChange: c, looks: 1, regime: newRegime}
		first.past.add(dated, 0)
		first.regime.changes = 1
		return first.close()
	case c < lastVisit || t <= lastVisit:
		return e.Saw(at, true)
	}
	return e.change(t, c, true)
}

// LastVisit returns the time of the last look in unix seconds, 0 if there was none.
func (e Estimate) LastVisit() int64 { return int64(e.times >> 32) }

// LastChange returns the time of the last change in unix seconds as the estimate counts it: the look that found it, or its own time where
// that was known. It is 0 while no change was seen. A clock that stepped back takes it back too.
func (e Estimate) LastChange() int64 {
	if e.changes() == 0 {
		return 0
	}
	return int64(uint32(e.times))
}

// change is the look at time t that found a change since the look before it, at a known time, changed, or at an unknown one.
func (e Estimate) change(t, changed uint32, known bool) Estimate {
	p := e.open()
	quiet := float64(p.lastVisit - p.lastChange) // seconds
	gap := 1.0
	if t > p.lastVisit {
		gap = float64(t - p.lastVisit)
	}
	steps := stepsOf(gap)
	bin, lean := binOf(steps)
	if known {
		bin, lean = dated, 0
	}
	p.regime.weigh(quiet, steps, known)
	switch {
	case p.regime.faster > eighths(regimeFound):
		p.past.pass(quiet, p.quiet, bin, lean)
		p.past.keep(regimeKeeps)
		p.past.time = trim(p.past.time / regimeRatio)
		p.regime.restart(-regimeSteps)
	case p.regime.slower > eighths(regimeFound):
		p.past = history{}
		p.past.pass(quiet, p.quiet, bin, lean)
		p.regime.restart(regimeSteps)
	default:
		p.past.pass(quiet, p.quiet, bin, lean)
	}
	p.regime.follow(&p.past)
	p.lastVisit, p.lastChange = t, changed
	p.quiet, p.looks = 0, 2
	return p.close()
}

func clampTime(unix int64) uint32 { return uint32(max(0, min(math.MaxUint32, unix))) }
