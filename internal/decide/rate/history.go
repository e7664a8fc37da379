package rate

import "math"

// A history counts changes in bins, by the gap between the look that found the change and
// the look before. The middles of the bins are in a constant ratio.
const (
	bins        = 13   // the first is dated; the others stand for gaps from 20 seconds to 100 days
	dated       = 0    // the bin of changes whose own time was known
	shortestGap = 20.0 // seconds
	binNats     = 1.18 // logarithm of the ratio
)

// These bounds keep an estimate finite whatever the clock shows.
const (
	maxTime  = 1e12 // seconds
	maxLooks = 1e9
)

// The past fades with time, by a factor of e in fadeChanges of the page's mean times
// between changes, and in fadeSeconds. It does not fade with the number of changes, so a
// page that is edited ten times in an afternoon keeps its history. Both were chosen on real
// histories, see eval/rates.
const (
	fadeChanges = 64.0
	fadeSeconds = 1400 * day
)

// Fading is collected until it makes fadeFrom units. The counts are whole numbers, so they
// fade in steps.
const (
	fadeUnit = 1.0 / 512 // nats
	fadeFrom = 128
)

// A history is all that an estimate keeps of the looks before the last change.
type history struct {
	time    float32     // seconds before the last change in which looks found none
	looks   float32     // that found no change
	gaps    [bins]uint8 // changes found after a gap of about that length
	faded   uint8       // fading collected so far, in fadeUnits
	meanLog uint16      // mean logarithm of the seconds between changes, in logUnits; 0 if none is known
}

const (
	logUnit    = 1.0 / 2048         // nats; 136 years are 45,000 units
	eulerGamma = 0.5772156649015329 // Euler's constant
)

// gapOf returns the middle of a bin in seconds.
func gapOf(bin int) float64 { return shortestGap * math.Exp(float64(bin-1)*binNats) }

// middles are the gaps that the bins stand for.
var middles = func() (m [bins]float64) {
	for b := dated + 1; b < bins; b++ {
		m[b] = gapOf(b)
	}
	return m
}()

// binOf returns the bin of a gap. A gap between the middles of two bins falls into either
// one by a chance from 0 to 1. So equal gaps, as with looks at regular times, keep their
// mean.
func binOf(seconds, chance float64) int {
	at := math.Log(seconds/shortestGap) / binNats
	return dated + 1 + int(max(0, min(bins-2, at+chance)))
}

// pass adds a quiet time in seconds, its looks, and the change that a look found after a
// gap.
func (h *history) pass(quiet float64, looks uint16, gap float64, bin int) {
	h.fade(quiet + gap)
	h.time = trim(min(maxTime, h.time+float32(quiet)))
	h.looks = trim(min(maxLooks, h.looks+float32(looks)))
	if h.gaps[bin] == math.MaxUint8 {
		h.keep(h.changes() / 2)
	}
	h.gaps[bin]++
}

// interval adds the seconds between the latest change and the one before it to the mean of
// their logarithms. Like span, it leaves out the gap before a change with a date.
func (h *history) interval(seconds float64) {
	units := math.Log(max(1, seconds)) / logUnit
	if h.meanLog > 0 {
		mean := float64(h.meanLog)
		units = mean + (units-mean)/float64(h.changes())
	}
	h.meanLog = uint16(units + 0.5)
}

// dispersion says how clustered the changes are. It is about 1 for changes at random, less
// for regular ones and more for bunches, like the ratio of the variance of their number to
// its mean.
//
// It compares the mean of the times between changes with their geometric mean, as does the
// estimate of a gamma distribution's shape (Minka, "Estimating a Gamma distribution", 2002).
// The logarithm of their ratio is Euler's constant for changes at random. A few changes tell
// little, so they are mixed with fewChanges random ones.
func (h *history) dispersion() float64 {
	if h.meanLog == 0 {
		return 1
	}
	n := float64(h.changes())
	ratio := math.Log(max(1, h.span()/n)) - float64(h.meanLog)*logUnit
	return max(0, (n*ratio/eulerGamma+fewChanges)/(n+fewChanges))
}

const fewChanges = 9.0

// span is about the time in seconds that the history remembers.
func (h *history) span() float64 {
	sum := float64(h.time)
	for b, n := range h.gaps {
		sum += float64(n) * middles[b]
	}
	return sum
}

// fade lets the history fade for so many seconds.
func (h *history) fade(seconds float64) {
	nats := seconds * (float64(h.changes())/max(hour, h.span())/fadeChanges + 1.0/fadeSeconds)
	units := float64(h.faded) + nats/fadeUnit + 0.5
	if units < fadeFrom {
		h.faded = uint8(units)
		return
	}
	h.faded = 0
	h.keep(int(float64(h.changes())*math.Exp(-units*fadeUnit) + 0.5))
}

// changes is the number of changes that the history remembers.
func (h *history) changes() (n int) {
	for _, c := range h.gaps {
		n += int(c)
	}
	return n
}

// keep scales the history down to about n changes. What one bin loses by rounding goes to
// the next.
func (h *history) keep(n int) {
	all := h.changes()
	if all <= n {
		return
	}
	sum, kept := 0, 0
	for b, c := range h.gaps {
		sum += int(c)
		upTo := (2*sum*n + all) / (2 * all)
		h.gaps[b] = uint8(upTo - kept)
		kept = upTo
	}
	share := float32(n) / float32(all)
	h.time, h.looks = trim(h.time*share), trim(h.looks*share)
}

// trimmed is the number of bits of a float32 that are not stored, besides its sign.
const trimmed = 11

// trim rounds a number to the twenty bits that are stored.
func trim(v float32) float32 {
	b := math.Float32bits(v) + 1<<(trimmed-1)
	return math.Float32frombits(b &^ (1<<trimmed - 1))
}
