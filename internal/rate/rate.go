// Package rate estimates how often a page changes from looks at moments that nobody chose.
//
// The model is a page that changes at random with an unknown rate, seen at irregular times, where a look tells only whether the
// page differs from the look before it. The rate's posterior is kept as a Gamma distribution; the likelihood of "changed" is not
// conjugate to it, so that step keeps the exact first two moments (assumed-density filtering: Minka, "A family of algorithms for
// approximate Bayesian inference", 2001, chapter 3). Interval averages such as X/T or the one of Cho and Garcia-Molina ("Estimating
// frequency of change", 2003) need looks at regular times, and fail for visitors, who come in bursts.
//
// Pages also stop, speed up and slow down. A limit on the shape makes old changes fade, two cumulative sums (Page, "Continuous
// inspection schemes", 1954) find a new regime among the changes, and the read-out allows for one that began since the last change.
//
// Everything here is a pure value: no clock, no input or output, nothing shared.
package rate

import "math"

// The prior: a Gamma distribution of about log-uniform spread between some hours and some years.
const (
	priorShape = 0.12
	priorTime  = 10_000 // seconds
)

const (
	maxShape = 96   // the weight of about as many changes: older ones fade, and the rate keeps a deviation of 10 %
	maxTime  = 1e10 // seconds; keeps an estimate finite whatever the clock does
	minTime  = 1    // seconds
)

// Regimes: evidence in nats that the page now changes regimeRatio times as often, or so many times less.
const (
	regimeRatio   = 8
	regimeChanges = 3 // changes to see before regimes are looked for
	regimeFound   = 9
	regimeMax     = 15
	quietStepMax  = 6 // what one quiet time may add
)

// The always test: evidence in nats that the page is another one at every look.
const (
	alwaysMin  = -6
	alwaysMax  = 12
	alwaysMiss = 0.02 // chance that such a page looks the same twice running

	// What one change may add. Edits come in bursts, so a change that the page's rate makes unlikely is not that unlikely.
	alwaysStepMax = 2
)

var (
	logAlwaysHit  = math.Log(1 - alwaysMiss)
	logAlwaysMiss = math.Log(alwaysMiss)
)

// An Estimate is what the looks at one page so far tell about the rate at which it changes. It is a small comparable value: copy
// it, compare it, use it from any goroutine. The zero Estimate has seen nothing.
type Estimate struct {
	lastVisit  uint32 // unix seconds
	lastChange uint32 // unix seconds; the first visit as long as no change was seen; never after lastVisit

	// The posterior of the changes per second up to lastChange is Gamma(shape, time), with time in seconds. The quiet time
	// since lastChange is added when it ends, so an unchanged look costs no arithmetic.
	shape, time float32

	always         int8  // eighths of a nat, up to lastChange
	faster, slower int8  // eighths of a nat
	quiet          uint8 // unchanged looks since lastChange, at most 255
	looks          uint8 // 0, 1, or 2 for more
	changes        uint8 // changes seen, at most 3
}

// Saw returns the estimate after one more look, at a time in unix seconds, which found the page changed since the look before or
// not. The first look only starts the estimate, whatever it says of a change. Looks are given in the order of their times; where a
// clock stepped back, the look counts as one second after the look before it. Times outside the years 1970 to 2106 are taken as
// the nearest one inside.
//
// A look whose outcome is still open is best not given before it is decided.
func (e Estimate) Saw(at int64, changed bool) Estimate {
	t := clampTime(at)
	switch {
	case e.looks == 0:
		return Estimate{lastVisit: t, lastChange: t, shape: priorShape, time: priorTime, looks: 1}
	case changed:
		return e.change(t, false)
	}
	e.looks = 2
	e.lastVisit = t
	if e.lastChange > t {
		e.lastChange = t // the clock was ahead at the change: from now on quiet time counts again
	}
	if e.quiet < math.MaxUint8 {
		e.quiet++
	}
	return e
}

// SawChangeAt is Saw for a look that found a change whose own time is known, from a Last-Modified that can be trusted. It tells more: the
// likelihood is exact and conjugate (shape + 1, time + age: Matloff, "Estimation of Internet file-access/modification rates from
// indirect data", 2005; Cho and Garcia-Molina 2003, section 5). A change in the future counts as one at the look; one from before
// the look before it contradicts that look, and the call is Saw(at, true). At the first look the age alone informs the estimate.
func (e Estimate) SawChangeAt(at, changedAt int64) Estimate {
	t := clampTime(at)
	c := min(clampTime(changedAt), t)
	switch {
	case e.looks == 0:
		return Estimate{lastVisit: t, lastChange: c, shape: priorShape + 1, time: priorTime, looks: 1, changes: 1}
	case c < e.lastVisit || t <= e.lastVisit:
		return e.Saw(at, true)
	}
	e = e.change(t, true)
	e.lastChange = c // the age is quiet time, and is added with the rest of it
	return e
}

// LastVisit returns the time of the last look in unix seconds, 0 if there was none.
func (e Estimate) LastVisit() int64 { return int64(e.lastVisit) }

// LastChange returns the time of the last change in unix seconds as the estimate counts it: the look that found it, or its own time where
// that was known. It is 0 while no change was seen. A clock that stepped back takes it back too.
func (e Estimate) LastChange() int64 {
	if e.changes == 0 {
		return 0
	}
	return int64(e.lastChange)
}

// change is the look that found a change since the look before it, at an unknown time or a known one.
func (e Estimate) change(t uint32, known bool) Estimate {
	tau := 1.0
	if t > e.lastVisit {
		tau = float64(t - e.lastVisit)
	}
	u := float64(e.lastVisit - e.lastChange)
	p := posterior{float64(e.shape), float64(e.time), nats(e.always), nats(e.faster), nats(e.slower)}
	if e.changes >= regimeChanges {
		expected := p.a / p.b
		p.slower, p.faster = quietRegime(p.slower, p.faster, expected*u)
		p.slower, p.faster = changeRegime(p.slower, p.faster, expected*tau)
	}
	p = p.afterQuiet(u, e.quiet).afterChange(tau, known).inRegime(u, tau)
	return Estimate{
		lastVisit: t, lastChange: t,
		shape: float32(p.a), time: float32(max(minTime, min(maxTime, p.b))),
		always: eighths(p.always), faster: eighths(p.faster), slower: eighths(p.slower),
		looks: 2, changes: min(e.changes+1, 3),
	}
}

// A posterior is the part of an estimate that a change moves: the rate's Gamma(a, b), and evidence in nats.
type posterior struct{ a, b, always, faster, slower float64 }

// afterQuiet is the posterior after some unchanged looks over u seconds, which for the rate is exact.
func (p posterior) afterQuiet(u float64, looks uint8) posterior {
	p.always = max(alwaysMin, p.always+alwaysQuiet(p.a, p.b, u, looks))
	p.b += u
	return p
}

// afterChange is the posterior after a change in an interval of tau seconds.
func (p posterior) afterChange(tau float64, known bool) posterior {
	surprise := -math.Log(chanceOfChange(p.a, p.b, tau))
	p.always = max(alwaysMin, min(alwaysMax, p.always+logAlwaysHit+min(surprise, alwaysStepMax)))
	if known {
		p.a++
	} else {
		p.a, p.b = condition(p.a, p.b, tau)
	}
	if p.a > maxShape { // old changes fade, at the same mean
		p.a, p.b = maxShape, p.b*(maxShape/p.a)
	}
	return p
}

// inRegime forgets most of the past where the evidence says that the page now changes at another pace. The last interval was tau seconds
// after u quiet ones.
func (p posterior) inRegime(u, tau float64) posterior {
	switch {
	case p.faster > regimeFound && p.a > 2:
		return posterior{a: 2, b: p.b * (2 / p.a) / 4, always: p.always}
	case p.slower > regimeFound && p.a > 1:
		return posterior{a: 1, b: max(u+tau/2, p.b/regimeRatio), always: p.always}
	}
	return p
}

// chanceOfChange is the predictive chance that a page with rate Gamma(a, b) changes within tau seconds (a Lomax distribution).
func chanceOfChange(a, b, tau float64) float64 {
	return -math.Expm1(-a * math.Log1p(tau/b))
}

// condition returns the Gamma distribution with the mean and variance of Gamma(a, b) given at least one change within tau seconds. The
// likelihood 1-exp(-λ·tau) makes the exact posterior a difference of two Gammas: its m-th moment is that of Gamma(a, b) times
// (1-(b/(b+tau))^(a+m)) / (1-(b/(b+tau))^a). For tau towards 0 that is Gamma(a+1, b), a change seen as it happened; for a long tau it is Gamma(a, b):
// that such a page changed sooner or later says nothing.
func condition(a, b, tau float64) (float64, float64) {
	r := math.Log1p(tau / b)
	z0, z1, z2 := -math.Expm1(-a*r), -math.Expm1(-(a+1)*r), -math.Expm1(-(a+2)*r)
	mean := a / b * z1 / z0
	a1 := 1 / ((a+1)/a*(z2/z1)*(z0/z1) - 1)
	return a1, a1 / mean
}

// alwaysQuiet is what unchanged looks over u seconds add to the always test. The other side, a page of rate Gamma(a, b), may have
// stopped, so its likelihood does not sink below alwaysMiss: no quiet look ever speaks for always.
func alwaysQuiet(a, b, u float64, looks uint8) float64 {
	return float64(looks)*logAlwaysMiss + min(a*math.Log1p(u/b), -logAlwaysMiss)
}

// quietRegime adds the likelihood ratios of a quiet time in which x changes were expected.
func quietRegime(slower, faster, x float64) (float64, float64) {
	return max(0, min(regimeMax, slower+min(quietStepMax, x-x/regimeRatio))), max(0, faster-(regimeRatio-1)*x)
}

// changeRegime adds the likelihood ratios of a change in an interval in which x were expected.
func changeRegime(slower, faster, x float64) (float64, float64) {
	l := logOneMinusExp(x)
	slower = max(0, min(regimeMax, slower+logOneMinusExp(x/regimeRatio)-l))
	faster = max(0, min(regimeMax, faster+logOneMinusExp(regimeRatio*x)-l))
	return slower, faster
}

// logOneMinusExp is ln(1-exp(-x)), by whichever form keeps its digits (Mächler, "Accurately computing log(1-exp(-|a|))", 2012).
func logOneMinusExp(x float64) float64 {
	x = max(x, 1e-12)
	if x < math.Ln2 {
		return math.Log(-math.Expm1(-x))
	}
	return math.Log1p(-math.Exp(-x))
}

func nats(eighths int8) float64 { return float64(eighths) / 8 }

func eighths(nats float64) int8 { return int8(math.Round(nats * 8)) }

func clampTime(unix int64) uint32 { return uint32(max(0, min(math.MaxUint32, unix))) }
