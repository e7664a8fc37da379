package rate

import "math"

// Lengths of time are counted in steps of an equal ratio. Sixteen make regimeRatio, and five a bin of the histogram.
const (
	regimeSteps = 16
	stepNats    = 3 * math.Ln2 / regimeSteps // the logarithm of a step
	binSteps    = 5
	bins        = 24   // the first is dated; then from 10 seconds to a year
	occupied    = 8    // bins in use at a time
	dated       = 0    // the bin of changes whose own time was known
	shortestGap = 10.0 // seconds
)

// These bounds keep an estimate finite whatever the clock shows.
const (
	maxTime  = 1e12 // seconds
	maxLooks = 1e9
)

// A history is all that is kept of the looks before the last change.
type history struct {
	time  float32     // seconds before the last change in which looks found none
	looks float32     // that found no change
	gaps  [bins]uint8 // changes found after a gap of that length; at most occupied bins are in use
	lean  int16       // how far these lengths are from the middles of their bins on average, in leanUnits
}

// A leanUnit is in nats. Looks at regular times have equal gaps; without the lean these would be up to half a bin off.
const (
	leanUnit = 1.0 / 1024
	leanMost = 1<<(leanBits-1) - 1
)

// stepsOf returns the steps of a gap in seconds above shortestGap, 0 for shorter ones.
func stepsOf(seconds float64) float64 {
	return max(0, quickLog(seconds*(1/shortestGap))*(1/stepNats))
}

// binOf returns the bin of a gap of so many steps, and how far the gap is from the bin's middle, in steps. The longest
// gaps share a bin.
func binOf(steps float64) (bin int, lean float64) {
	bin = 1 + min(bins-2, int(steps)/binSteps)
	return bin, max(-binSteps, min(binSteps, steps-middle(bin)))
}

func middle(bin int) float64 { return (float64(bin) - 0.5) * binSteps }

// pass adds a quiet time in seconds, its looks, and the change that ended it.
func (h *history) pass(quiet float64, looks uint16, bin int, lean float64) {
	h.time = trim(min(maxTime, h.time+float32(quiet)))
	h.looks = trim(min(maxLooks, h.looks+float32(looks)))
	h.add(bin, lean)
}

// add counts a change, so many steps from the middle of its bin. A bin that is full halves the whole history: old changes fade, and their
// mean stays.
func (h *history) add(bin int, lean float64) {
	if h.gaps[bin] == math.MaxUint8 {
		h.keep(h.changes() / 2)
	}
	h.gaps[bin]++
	if bin != dated {
		h.move((lean*(stepNats/leanUnit) - float64(h.lean)) / float64(h.undated()))
	}
	h.join()
}

// move shifts the lean by so many units.
func (h *history) move(units float64) {
	h.lean = int16(math.Floor(max(-leanMost, min(leanMost, float64(h.lean)+units)) + 0.5))
}

// undated is the number of changes in bins other than dated.
func (h *history) undated() (n int) {
	for _, c := range h.gaps[dated+1:] {
		n += int(c)
	}
	return n
}

// changes is the number of changes that are remembered.
func (h *history) changes() int { return h.undated() + int(h.gaps[dated]) }

// keep scales the history down to about n changes. What a bin loses by rounding goes to the next one.
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

// join merges two bins if more are in use than can be kept: the pair that loses the least.
func (h *history) join() {
	g := &h.gaps
	used, into, from, last := 0, 0, 0, 0
	least := math.Inf(1)
	for b := 1; b < bins; b++ {
		if g[b] == 0 {
			continue
		}
		if used++; last > 0 {
			m, n, d := float64(g[last]), float64(g[b]), float64(b-last)
			if loss := d * d * m * n / (m + n); loss < least {
				least, into, from = loss, last, b
			}
		}
		last = b
	}
	if g[dated] > 0 {
		used++
	}
	if used <= occupied {
		return
	}
	if int(g[from])+int(g[into]) > math.MaxUint8 {
		h.keep(h.changes() / 2)
		h.join()
		return
	}
	if g[from] > g[into] {
		into, from = from, into
	}
	moved := float64(g[from]) * float64(from-into) * binSteps * stepNats
	g[into] += g[from]
	g[from] = 0
	h.move(moved / leanUnit / float64(h.undated()))
}

// trimmed is the number of bits of a float32 that are not stored, besides its sign.
const trimmed = 11

// trim rounds a number to the twenty bits that are stored.
func trim(v float32) float32 {
	b := math.Float32bits(v) + 1<<(trimmed-1)
	return math.Float32frombits(b &^ (1<<trimmed - 1))
}
