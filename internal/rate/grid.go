package rate

import "math"

// The prior. Mean times between changes are spread evenly on a logarithmic scale (Brewington and Cybenko, "How dynamic is the Web?", 2000,
// found about such a spread), thinner at the ends, and with more pages where people publish by the day and by the week.
const (
	shortestMean = 5.0 // seconds
	longestMean  = 8 * year
	likelyFrom   = 10 * minute
	likelyTo     = 5 * year
	seldom       = 0.3  // height outside of the likely times
	hardly       = 0.05 // height below half of the shortest
	rhythm       = 1.8  // height of the day and the week above the rest
	rhythmNats   = 0.3  // and their width
	freshYearly  = 0.4  // of years, for a regime that only now began: a page that just changed is seldom that slow

	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	year   = 365.25 * day
)

// cells divides the mean times of every band evenly on a logarithmic scale. No band, and so no cell, belongs to two
// classes.
const cells = 45

var bands = [...]struct {
	freq  Freq
	cells int
}{{Hourly, 5}, {Hourly, 10}, {Daily, 8}, {Weekly, 6}, {Monthly, 7}, {Yearly, 9}}

// A cell stands for the pages of one rate.
type cell struct {
	mean, perSecond float64
	width           float64 // of the times it stands for, in nats
	freq            Freq
	prior           float64 // of all pages that change at random
	fresh           float64 // of those in a regime that only now began
	within          [withinPoints]offset
	odds            [bins]gapOdds
}

// Within a cell the likelihood is taken at several rates.
const withinPoints = 5

// An offset is a rate of a cell: by how much its logarithm is above the cell's own, and by which share more changes are
// expected.
type offset struct{ by, more float64 }

// gapOdds is how likely a page of the cell is to change in a gap of the bin. In the bin of dated changes, found is a
// density instead.
type gapOdds struct {
	none     float64 // chance of no change
	logFound float64 // logarithm of the chance of one
	slope    float64 // of that chance, by the logarithm of the gap, or of the rate
	lift     float64 // slope of logFound
	bend     float64 // slope of lift
}

// grid is in the order of falling times between changes.
var grid = newGrid()

func newGrid() (g [cells]cell) {
	edges := [len(bands) + 1]float64{shortestMean, likelyFrom / 2, len(bands): longestMean}
	nominal := [...]float64{hour, day, 7 * day, year / 12, year}
	for i := 1; i < len(nominal); i++ { // a class ends halfway to the next one's nominal time
		edges[i+1] = math.Sqrt(nominal[i-1] * nominal[i])
	}
	k, sum := cells, 0.0
	for i, b := range bands {
		width := math.Log(edges[i+1]/edges[i]) / float64(b.cells)
		for n := range b.cells {
			k--
			g[k] = newCell(edges[i]*math.Exp((float64(n)+0.5)*width), b.freq)
			g[k].width = width
			for i := range g[k].within {
				by := width * ((float64(i)+0.5)/withinPoints - 0.5)
				g[k].within[i] = offset{by, math.Expm1(by)}
			}
			g[k].prior *= width
			sum += g[k].prior
		}
	}
	fresh := 0.0
	for k := range g {
		c := &g[k]
		c.prior /= sum
		c.fresh = c.prior
		if c.freq == Yearly {
			c.fresh *= freshYearly
		}
		fresh += c.fresh
	}
	for k := range g {
		g[k].fresh /= fresh
	}
	return g
}

func newCell(mean float64, f Freq) cell {
	c := cell{mean: mean, perSecond: 1 / mean, freq: f, prior: priorDensity(mean)}
	c.odds[dated] = gapOdds{logFound: -math.Log(mean), lift: 1}
	for b := 1; b < bins; b++ {
		x := shortestGap * math.Exp((float64(b)-0.5)*binSteps*stepNats) / mean
		o := gapOdds{none: math.Exp(-x), logFound: logOneMinusExp(x), slope: x * math.Exp(-x)}
		o.lift = o.slope / -math.Expm1(-x)
		o.bend = o.lift * (1 - x - o.lift)
		c.odds[b] = o
	}
	return c
}

func priorDensity(mean float64) float64 {
	p := 1.0
	switch {
	case mean < likelyFrom/2:
		p = hardly
	case mean < likelyFrom, mean > likelyTo:
		p = seldom
	}
	for _, often := range [...]float64{day, 7 * day} {
		d := math.Log(mean/often) / rhythmNats
		p += rhythm * math.Exp(-d*d/2)
	}
	return p
}

// logOneMinusExp is ln(1-exp(-x)), computed so that it keeps its digits (Mächler, "Accurately computing
// log(1-exp(-|a|))", 2012).
func logOneMinusExp(x float64) float64 {
	x = max(x, 1e-12)
	if x < math.Ln2 {
		return math.Log(-math.Expm1(-x))
	}
	return math.Log1p(-math.Exp(-x))
}
