package rate

import "math"

// The prior. Mean times between changes are spread evenly on a logarithmic scale, which
// Brewington and Cybenko ("How dynamic is the Web?", 2000) found about right. Times of
// minutes are thinner, and daily and weekly changes more likely, since many people publish by
// the day and by the week.
const (
	shortestMean = 5.0 // seconds
	longestMean  = 8 * year
	likelyFrom   = 5 * minute
	hardly       = 0.05 // height below that
	rhythm       = 0.55 // height of the day and the week above the rest
	rhythmNats   = 0.3  // and their width
	neverPrior   = 0.12 // that a page never changes

	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	year   = 365.25 * day
	month  = year / 12
)

// Noise is the chance that a look finds a change where there is none. Most pages have none.
var noises = [...]struct{ chance, prior float64 }{
	{0, 0.9}, {0.0015, 0.007}, {0.004, 0.033}, {0.009, 0.043}, {0.02, 0.017},
}

// bands divides the mean times into cells, evenly on a logarithmic scale within a band. No
// band, and so no cell, belongs to two classes.
var bands = [...]struct {
	freq  Freq
	cells int
}{{Hourly, 20}, {Hourly, 31}, {Daily, 20}, {Weekly, 13}, {Monthly, 15}, {Yearly, 25}}

const cells = 1 + 20 + 31 + 20 + 13 + 15 + 25

// A cell stands for the pages of one rate.
type cell struct {
	mean, perSecond float64
	width           float64 // of the times it stands for, in nats
	freq            Freq
	prior           float64
	logRate         float64
	logFound        [len(noises)][bins]float64 // logarithm of the chance that a look finds a change after the bin's gap
}

// grid is in order of falling times between changes. The first cell stands for pages that
// never change.
var grid = newGrid()

func newGrid() (g [cells]cell) {
	edges := [len(bands) + 1]float64{shortestMean, likelyFrom, len(bands): longestMean}
	nominal := [...]float64{hour, day, 7 * day, month, year}
	for i := 1; i < len(nominal); i++ { // a class ends halfway to the next one's nominal time
		edges[i+1] = math.Sqrt(nominal[i-1] * nominal[i])
	}
	k, sum := cells, 0.0
	for i, b := range bands {
		width := math.Log(edges[i+1]/edges[i]) / float64(b.cells)
		for n := range b.cells {
			k--
			g[k] = newCell(edges[i]*math.Exp((float64(n)+0.5)*width), width, b.freq)
			sum += g[k].prior
		}
	}
	for k := range g {
		g[k].prior *= (1 - neverPrior) / sum
	}
	g[0] = newCell(math.Inf(1), 0, Never)
	g[0].prior = neverPrior
	g[0].logRate = leastLog
	return g
}

// leastLog stands for the logarithm of a chance of 0. Unlike infinity it can be multiplied
// by 0.
const leastLog = -1000

func newCell(mean, width float64, f Freq) cell {
	c := cell{mean: mean, perSecond: 1 / mean, width: width, freq: f, prior: width * priorDensity(mean), logRate: -math.Log(mean)}
	for i, n := range noises {
		for b := dated + 1; b < bins; b++ {
			x := middles[b] / mean
			c.logFound[i][b] = max(leastLog, math.Log(n.chance*math.Exp(-x)-math.Expm1(-x)))
		}
	}
	return c
}

func priorDensity(mean float64) float64 {
	p := 1.0
	if mean < likelyFrom {
		p = hardly
	}
	for _, often := range [...]float64{day, 7 * day} {
		d := math.Log(mean/often) / rhythmNats
		p += rhythm * math.Exp(-d*d/2)
	}
	return p
}
