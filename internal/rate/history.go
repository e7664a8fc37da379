package rate

import (
	"math"
	"math/bits"
)

// Lengths of time are counted in steps of an equal ratio, of which sixteen make regimeRatio, and five a bin of the histogram.
const (
	regimeSteps = 16
	stepNats    = 3 * math.Ln2 / regimeSteps // the logarithm of a step
	binSteps    = 5
	bins        = 24   // the first is dated; then from 10 seconds to a year
	occupied    = 8    // bins in use at a time
	dated       = 0    // the bin of changes whose own time was known
	shortestGap = 10.0 // seconds
)

// What keeps an estimate finite whatever the clock does.
const (
	maxTime  = 1e12 // seconds
	maxLooks = 1e9
)

// A history is all that is kept of the looks before the last change.
type history struct {
	time   float32 // seconds before the last change in which looks found none
	looks  float32 // that found no change
	used   uint32  // a bit for every bin in use, the first one lowest
	counts uint64  // a byte for each of them: changes found after a gap of that length
	lean   int16   // how far these lengths are from the middles of their bins on average, in leanUnits
}

// A histogram is the counts of a history laid open, to be changed at leisure.
type histogram [bins]uint8

// A leanUnit is in nats. Without the lean, looks at regular times, whose gaps are all alike, would seem to have others, up to a bin's half.
const (
	leanUnit = 1.0 / 1024
	leanMost = 1<<(leanBits-1) - 1
)

// stepsOf returns the steps of a gap in seconds above shortestGap, 0 for shorter ones.
func stepsOf(seconds float64) float64 {
	return max(0, quickLog(seconds*(1/shortestGap))*(1/stepNats))
}

// binOf returns the bin of a gap of so many steps, and how far it is from the bin's middle, in steps. The longest gaps share a bin.
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
	if n := h.count(bin); n == 0 || n == math.MaxUint8 {
		h.addAnew(bin, lean)
		return
	}
	h.counts += 1 << h.place(bin)
	h.lean = h.leaned(bin, lean, h.changes()-h.count(dated))
}

// addAnew is add for a bin that is full or not in use.
func (h *history) addAnew(bin int, lean float64) {
	if h.count(bin) == math.MaxUint8 {
		h.keep(h.changes() / 2)
	}
	g := h.open()
	g[bin]++
	h.lean = h.leaned(bin, lean, g.undated())
	h.join(&g)
	h.close(&g)
}

// leaned is the lean after a change in a bin, with which there are n undated ones.
func (h *history) leaned(bin int, lean float64, n int) int16 {
	if bin == dated {
		return h.lean
	}
	return h.moved((lean*(stepNats/leanUnit) - float64(h.lean)) / float64(n))
}

// moved is the lean shifted by so many units.
func (h *history) moved(units float64) int16 {
	return int16(math.Floor(max(-leanMost, min(leanMost, float64(h.lean)+units)) + 0.5))
}

// place is where in counts the bin is, or would be, in bits.
func (h *history) place(bin int) int { return 8 * bits.OnesCount32(h.used&(1<<bin-1)) }

// count is the number of changes in a bin.
func (h *history) count(bin int) int {
	if h.used>>bin&1 == 0 {
		return 0
	}
	return int(h.counts >> h.place(bin) & math.MaxUint8)
}

// changes is the number of changes that are remembered: the sum of the bytes of counts, first by pairs and then by a product.
func (h *history) changes() int {
	const odd = 0x00ff00ff00ff00ff
	return int((h.counts&odd + h.counts>>8&odd) * 0x0001000100010001 >> 48)
}

func (h *history) open() (g histogram) {
	counts := h.counts
	for used := h.used; used != 0; used &= used - 1 {
		g[bits.TrailingZeros32(used)] = uint8(counts)
		counts >>= 8
	}
	return g
}

// close takes a histogram of which no more than occupied bins are in use.
func (h *history) close(g *histogram) {
	h.used, h.counts = 0, 0
	shift := 0
	for b, n := range g {
		if n > 0 {
			h.used |= 1 << b
			h.counts |= uint64(n) << shift
			shift += 8
		}
	}
}

// undated is the number of changes in bins other than dated.
func (g *histogram) undated() (n int) {
	for _, c := range g[dated+1:] {
		n += int(c)
	}
	return n
}

// changes is the number of changes in all bins.
func (g *histogram) changes() int { return g.undated() + int(g[dated]) }

// keep makes the history weigh about as much as n changes.
func (h *history) keep(n int) {
	g := h.open()
	h.fade(&g, n)
	h.close(&g)
}

// fade is keep for a history whose histogram is open. What a bin loses by rounding goes to the next one.
func (h *history) fade(g *histogram, n int) {
	all := g.changes()
	if all <= n {
		return
	}
	sum, kept := 0, 0
	for b, c := range g {
		sum += int(c)
		upTo := (2*sum*n + all) / (2 * all)
		g[b] = uint8(upTo - kept)
		kept = upTo
	}
	share := float32(n) / float32(all)
	h.time, h.looks = trim(h.time*share), trim(h.looks*share)
}

// join puts two bins together where more are in use than are kept: the two that lose the least by it.
func (h *history) join(g *histogram) {
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
		h.fade(g, g.changes()/2)
		h.join(g)
		return
	}
	if g[from] > g[into] {
		into, from = from, into
	}
	moved := float64(g[from]) * float64(from-into) * binSteps * stepNats
	g[into] += g[from]
	g[from] = 0
	h.lean = h.moved(moved / leanUnit / float64(g.undated()))
}

// trimmed is the number of bits of a float32 that are not stored, besides its sign.
const trimmed = 11

// trim rounds to the twenty bits that are stored of a number.
func trim(v float32) float32 {
	b := math.Float32bits(v) + 1<<(trimmed-1)
	return math.Float32frombits(b &^ (1<<trimmed - 1))
}

// pack returns times and bins as Estimate.past holds them.
func (h *history) pack() uint64 {
	return uint64(math.Float32bits(h.time)>>trimmed)<<44 | uint64(math.Float32bits(h.looks)>>trimmed)<<24 | uint64(h.used)
}

// unpack returns the history of an Estimate, but for the lean.
func unpack(past, counts uint64) history {
	const low = 1<<20 - 1
	return history{
		time:  math.Float32frombits(uint32(past>>44) << trimmed),
		looks: math.Float32frombits(uint32(past>>24&low) << trimmed),
		used:  uint32(past) & (1<<bins - 1), counts: counts,
	}
}
