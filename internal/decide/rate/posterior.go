package rate

import (
	"math"
	"slices"
)

// walkNats and pauses say how far real pages are from changing at one rate for ever. They and the shares were
// chosen with real histories in view, all other constants on simulated pages (eval/rates).
const (
	walkNats = 0.45  // how far the logarithm of the rate walks from one change to the next
	pauses   = 0.1   // chance that a quiet time has a long tail
	begins   = 0.002 // chance that the page began anew at its last change; half of such pages stopped for good

	minute, hour, day, month, year = 60, 3600, 86400, 30.4375 * 86400, 365.25 * 86400 // seconds
	shortestMean, longestMean      = 5 * minute, 8 * year
)

// shares are how many pages have each word, among those that were seen to change, before anything else is known of one.
// Several candidates were compared by how much they mislead. Half of the comparison is the pages of fourteen real
// sites; the other half is simulated pages, as many of each word, visited often and rarely. The simulated pages are
// needed since most real pages change seldom, and the word matters most for those that change often. The last few
// candidates were also compared on the eleven histories that eval/README.md prints, so its figures are not held out.
var shares = [...]float64{Hourly: 0.12, Daily: 0.1, Weekly: 0.12, Monthly: 0.15, Yearly: 0.39, Never: 0.12}

// noises are the chances that an observation finds a change where there is none. Most pages have no
// such observations. A page that is another one at every observation has the last chance.
var noises = [...]struct{ chance, prior float64 }{{0, 0.89}, {0.01, 0.1}, {0.999, 0.01}}

const (
	moving = len(noises) - 1
	cells  = 1 + 104
	least  = -1000 // the logarithm of a chance of 0; unlike infinity it can be multiplied by 0
)

// A cell stands for the pages of one rate.
type cell struct {
	mean     float64 // time between changes in seconds
	freq     Freq
	prior    float64
	logPrior float64
	logFound [len(noises)][bins]float64 // logarithm of the chance that an observation finds a change after the bin's gap
}

// grid has the rates from slow to fast, cellNats apart. The first cell stands for pages that never change. Before any
// observation, all rates of one word are equally likely.
var grid = func() (g [cells]cell) {
	var of [len(words)]float64 // cells
	for k := range g {
		mean := math.Inf(1)
		if k > 0 {
			mean = longestMean * math.Exp((0.5-float64(k))*cellNats)
		}
		c := cell{mean: mean, freq: freqOf(mean)}
		for i, n := range noises {
			c.logFound[i][dated] = max(least, -math.Log(c.mean))
			for b := dated + 1; b < bins; b++ {
				x := shortestGap * math.Exp(float64(b-1)*binNats) / c.mean
				c.logFound[i][b] = max(least, math.Log(n.chance*math.Exp(-x)-math.Expm1(-x)))
			}
		}
		g[k] = c
		of[c.freq]++
	}
	for k := range g {
		g[k].prior = shares[g[k].freq] / of[g[k].freq]
		g[k].logPrior = math.Log(g[k].prior)
	}
	return g
}()

var cellNats = math.Log(longestMean/shortestMean) / (cells - 1)

// A posterior holds the probability of each noise with each cell.
type posterior [len(noises)][cells]float64

// posterior returns what all observations say of a page that changed, since its last change. The rate is near
// that of before, or the page began anew.
func (e *Estimate) posterior() (p posterior) {
	past, best := &e.Past, math.Inf(-1)
	for i, n := range noises {
		same := math.Log(n.prior) + float64(past.Observations)*math.Log1p(-n.chance)
		for k := range grid {
			p[i][k] = same + grid[k].logPrior - float64(past.Time)/grid[k].mean
		}
		for b, found := range past.Gaps {
			for k := 0; found > 0 && k < cells; k++ {
				p[i][k] += float64(found) * grid[k].logFound[i][b]
			}
		}
		best = max(best, slices.Max(p[i][:]))
	}
	for i := range len(noises) * cells {
		p[i/cells][i%cells] = math.Exp(p[i/cells][i%cells] - best)
	}
	p.normalize()
	p.walk()
	var lasts [cells]float64 // the chance that a quiet time lasts as long as this one
	for k := range grid {
		x := float64(e.Quiet()) / grid[k].mean
		// the long tail is a Weibull distribution of shape ½
		lasts[k] = (1-pauses)*math.Exp(-x) + pauses*math.Exp(-math.Sqrt(2*x))
	}
	for i, n := range noises {
		same := math.Pow(1-n.chance, float64(e.Now.Quiet))
		for k, v := range p[i] {
			p[i][k] = v * same * lasts[k]
		}
	}
	p.normalize()
	return p
}

// walk spreads the probability of each rate over the rates around it, by an exponential
// distribution to either side, and lets a few pages begin anew.
func (p *posterior) walk() {
	near := math.Exp(-cellNats / walkNats)
	for i, n := range noises {
		slow, fast := p[i], p[i]
		for k := 2; k < cells; k++ {
			slow[k] += near * slow[k-1]
			fast[cells-k] += near * fast[cells-k+1]
		}
		p[i][0] += begins * (n.prior*(1+shares[Never])/2 - p[i][0])
		for k := 1; k < cells; k++ {
			walked := (slow[k] + fast[k] - p[i][k]) * (1 - near) / (1 + near)
			p[i][k] = walked + begins*(n.prior*grid[k].prior/2-walked)
		}
	}
}

func (p *posterior) normalize() {
	sum := 0.0
	for i := range len(noises) * cells {
		sum += p[i/cells][i%cells]
	}
	for i := range len(noises) * cells {
		p[i/cells][i%cells] /= sum
	}
}
