package rate

import "math"

// A Freq is a changefreq of sitemaps.org. Among those with a mean time between changes, a greater one is a longer one.
type Freq uint8

// The values of changefreq, and Unknown, which is none of them.
const (
	Unknown Freq = iota
	Always       // another page at every look
	Hourly
	Daily
	Weekly
	Monthly
	Yearly
	Never // will not change again
	freqs = iota
)

// String returns the word that sitemaps.org gives the value, "" for Unknown and for anything that is no Freq.
func (f Freq) String() string {
	if f >= freqs {
		return ""
	}
	return [freqs]string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}[f]
}

// The read-out. After a change the page may be in another regime than its past one; stops is the chance that it then never changes again.
// The chance of another regime is hazard divided by the posterior's shape: the more changes the past regime explains, the less likely it ends at
// any one of them.
const (
	hazard = 0.05
	stops  = 0.4

	neverOdds    = 0.12 / 0.88 // of a page that never changes, before any change was seen
	alwaysPrior  = 0.05
	gridPoints   = 64
	shortestMean = 5 * 60 // seconds between changes
	longestMean  = 8 * 365.25 * 86400
)

// A point of the grid stands for the pages of one rate.
type point struct {
	perSecond, log float64
	freq           Freq
}

var grid = newGrid()

// newGrid spaces mean times between changes evenly in their logarithm. A class ends halfway, on that scale, to the next one's nominal time.
func newGrid() (g [gridPoints]point) {
	const hour, day = 3600.0, 86400.0
	nominal := [...]float64{hour, day, 7 * day, 365.25 / 12 * day, 365.25 * day}
	span := math.Log(longestMean / shortestMean)
	for k := range g {
		mean := shortestMean * math.Exp((float64(k)+0.5)/gridPoints*span)
		f := Hourly
		for f < Yearly && mean >= math.Sqrt(nominal[f-Hourly]*nominal[f-Hourly+1]) {
			f++
		}
		g[k] = point{1 / mean, -math.Log(mean), f}
	}
	return g
}

// Freq returns how often the page is now likely to change, as of the last look, and the probability that this is the right word.
// It is Unknown and 0 before a second look. The probability is the word's share of the posterior, so after few looks, or looks over a
// short time, it is low; leaving the word out below 0.5 or more is the caller's part.
func (e Estimate) Freq() (Freq, float64) {
	if e.looks < 2 {
		return Unknown, 0
	}
	always := e.chanceOfAlways()
	if always > 0.5 {
		return Always, always
	}
	mass := e.mass()
	best, total := Unknown, 0.0
	for f, m := range mass {
		total += m
		if m > mass[best] {
			best = Freq(f)
		}
	}
	return best, mass[best] / total * (1 - always)
}

// chanceOfAlways is the probability that the page is another one at every look, 0 before the third change.
func (e Estimate) chanceOfAlways() float64 {
	if e.changes < regimeChanges {
		return 0
	}
	a, b := float64(e.shape), float64(e.time)
	u := float64(e.lastVisit - e.lastChange)
	odds := alwaysPrior / (1 - alwaysPrior) * math.Exp(nats(e.always)+alwaysQuiet(a, b, u, e.quiet))
	return odds / (1 + odds)
}

// mass returns the posterior weight of every class, with an unknown sum above 0. The regime of the past holds on (its weight fades as the
// quiet time u goes on), or since the last change there is another of which nothing is known, or the page has stopped.
func (e Estimate) mass() (mass [freqs]float64) {
	a, b := float64(e.shape), float64(e.time)
	u := float64(e.lastVisit - e.lastChange)
	peak := a * (math.Log(a/b) - 1) // keeps the weights within range
	var total float64
	var held, other [freqs]float64
	for k := range grid {
		p := &grid[k]
		w := math.Exp(a*p.log - b*p.perSecond - peak)
		quiet := math.Exp(-p.perSecond * u)
		total += w
		held[p.freq] += w * quiet
		other[p.freq] += quiet
	}
	if e.changes == 0 {
		for f := range mass {
			mass[f] = held[f] / total
		}
		mass[Never] = neverOdds
		return mass
	}
	h := hazard / a
	for f := range mass {
		mass[f] = (1-h)*held[f]/total + h*(1-stops)/gridPoints*other[f]
	}
	mass[Never] = h * stops
	return mass
}
