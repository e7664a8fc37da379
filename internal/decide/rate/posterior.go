package rate

import "math"

const (
	alwaysPrior = 0.07  // that a page is another one at every look, before it is seen
	alwaysMiss  = 0.001 // chance that such a page looks the same twice running
)

// A Tuning has the constants that matter most for how today's rate may differ from the past
// one. Like the others here, the fading of a history and the priors of noise, they were
// chosen by tests on real histories and simulated pages, so that the words get true
// probabilities. See eval/rates, which alone uses others than those of an Estimate.
type Tuning struct {
	Drifts    float64 // probability that the rate drifted, times the dispersion
	DriftWide float64 // the standard deviation of how far, in nats
	Stops     float64 // probability that the page stopped at its last change
	Leaves    float64 // probability that it then went over to any other rate
	Bunched   float64 // probability that the page changes in bunches, with long quiet times between them
}

// Tuned returns the constants that an Estimate uses.
func Tuned() Tuning { return tuned }

var tuned = Tuning{Drifts: 0.2, DriftWide: 1.15, Stops: 0.001, Leaves: 0.002, Bunched: 0.16}

const (
	mostDrifts = 0.9
	driftNats  = -0.35 // a rate that drifts is by so much slower on average, that is, faster
)

// A posterior holds the probability of each cell, and that of a page that differs at every
// look.
type posterior struct {
	cells  [cells]float64
	always float64
}

func (t *Tuning) posterior(e *Estimate) (p posterior) {
	quiet, looks := float64(coarse(e.lastVisit-e.lastChange)), float64(coarse(uint32(e.quiet)))
	dispersion := e.past.dispersion()
	best := p.weigh(&e.past, 1/math.Sqrt(max(1, dispersion)), looks)
	for k := range p.cells {
		p.cells[k] *= grid[k].prior
	}
	if e.changes > 0 {
		p.drift(t, min(mostDrifts, t.Drifts*dispersion))
		if e.past.gaps[dated] == 0 { // a page whose changes have dates does not differ at every look
			p.always = math.Exp(min(leastNats, e.past.always(looks)-best))
		}
	}
	sum := p.always
	for k := range p.cells {
		p.cells[k] *= t.lasts(grid[k].perSecond * quiet)
		sum += p.cells[k]
	}
	p.always /= sum
	for k := range p.cells {
		p.cells[k] /= sum
	}
	return p
}

// leastNats is how far below the best a likelihood no longer counts.
const leastNats = 16

// weigh sets the weights of the cells to their likelihoods, given a share of the history
// and so many looks since that found no change. Weights are relative to the greatest one,
// and weigh returns its logarithm.
func (p *posterior) weigh(h *history, share, looks float64) (best float64) {
	var used [bins]int
	var found [bins]float64 // changes, by bin
	n := 0
	for b := dated + 1; b < bins; b++ {
		if h.gaps[b] > 0 {
			used[n], found[n] = b, float64(h.gaps[b])*share
			n++
		}
	}
	dates, time := float64(h.gaps[dated])*share, float64(h.time)*share
	looks += float64(h.looks) * share

	var logs [len(noises)][cells]float64
	best = math.Inf(-1)
	for i, noise := range noises {
		base := math.Log(noise.prior) + looks*math.Log1p(-noise.chance)
		for k := range grid {
			c := &grid[k]
			l := base + dates*c.logRate - c.perSecond*time
			for j := 0; j < n && l > best-leastNats; j++ { // the rest only lowers it
				l += found[j] * c.logFound[i][used[j]]
			}
			logs[i][k] = l
			best = max(best, l)
		}
	}
	for i := range noises {
		for k, l := range logs[i] {
			if l > best-leastNats {
				p.cells[k] += math.Exp(l - best)
			}
		}
	}
	return best
}

// always is the logarithm of prior and likelihood of a page that differs at every look.
func (h *history) always(looks float64) float64 {
	const prior = alwaysPrior / (1 - alwaysPrior)
	return math.Log(prior) + float64(h.changes())*math.Log(1-alwaysMiss) + (float64(h.looks)+looks)*math.Log(alwaysMiss)
}

// drift moves the weights of the past rates to those of today. A share of them drifts. All
// cells are about equally wide, so it moves weights by whole cells.
func (p *posterior) drift(t *Tuning, share float64) {
	kernel := t.drifted()
	for i := range kernel {
		kernel[i] *= share
	}
	kernel[driftCells] += 1 - share
	before, sum := p.cells, 0.0
	clear(p.cells[1:])
	var moved [cells + 2*2*driftCells]float64 // with room at both ends
	for k := 1; k < cells; k++ {
		if w := before[k]; w > 0 {
			sum += w
			for i, part := range kernel {
				moved[k-i+2*driftCells] += w * part
			}
		}
	}
	for i, w := range moved {
		p.cells[max(1, min(cells-1, i-driftCells))] += w
	}
	p.cells[0] += t.Stops * sum
	for k := 1; k < cells; k++ {
		p.cells[k] += t.Leaves * sum * grid[k].prior
	}
}

const (
	driftCells = 24   // how far a rate may drift
	cellNats   = 0.13 // about a cell
)

// drifted says how the weight of a rate that drifts spreads over the cells around it, from
// faster to slower.
func (t *Tuning) drifted() (d [2*driftCells + 1]float64) {
	sum := 0.0
	for i := range d {
		x := (float64(i-driftCells)*cellNats - driftNats) / t.DriftWide
		d[i] = math.Exp(-x * x / 2)
		sum += d[i]
	}
	for i := range d {
		d[i] /= sum
	}
	return d
}

// lasts is the chance that a page has no change for x of its mean times between changes.
// The gaps of bunched changes have a Weibull distribution of shape ½, whose standard
// deviation is 2.2 times its mean.
func (t *Tuning) lasts(x float64) float64 {
	return (1-t.Bunched)*math.Exp(-x) + t.Bunched*math.Exp(-math.Sqrt(2*x))
}
