package rate

import "math"

// The prior of a page, before it is seen.
const (
	neverPrior   = 0.095 // that it never changes, against changing at random
	stoppedPrior = 0.6   // the same, once it was found in a new regime
	alwaysPrior  = 0.07  // that it is another page at every look
	alwaysMiss   = 0.003 // chance that such a page looks the same twice running

	// Noise is the chance that a look finds a change although there is none. Most pages are taken to have none; for the rest its
	// logarithm is normal.
	noisePrior = 0.3
	noiseMid   = 0.007
	noiseNats  = 0.6
	noiseMost  = 0.5

	// Some pages change in bunches, with long quiet times between them.
	bunched = 0.06

	// No page is quite like the model: some of the weight of a rate belongs to its neighbours.
	spread = 0.06
)

// After a change the page may be in another regime than before; stops is the chance that it then never changes again. A
// regime shows in several changes. So after one or two there is hardly one that could have ended, and the more changes
// it explains, the less likely it ended at any one of them.
const (
	hazard      = 0.05
	hazardAfter = 10 // changes, squared
	stops       = 0.65
)

// A posterior holds weights with an unknown sum above 0.
type posterior struct {
	cells         [cells]float64
	never, always float64
	noisy         float64 // share of the past of pages that change which has noise, from 0 to 1
}

// posterior weighs three cases: the past regime goes on (its weight fades as the quiet time grows), an unknown regime
// began at the last change, or the page has stopped.
func (g *Estimate) posterior() (p posterior) {
	s := g.seen()
	var l likelihoods
	l.fill(&s)
	never := neverPrior
	if g.regime.restarted {
		never = stoppedPrior
	}
	another := 0.0 // chance of another regime
	if g.regime.changes > 0 {
		another = hazard * s.changes / (s.changes*s.changes + hazardAfter)
	}
	past := p.weighPast(&l, s.time, 1-never)
	for k, w := range p.cells {
		c := &grid[k]
		x := c.perSecond * s.quiet
		none := exp(-x)
		p.cells[k] = another * (1 - stops) * past * c.fresh * none
		if w > past*1e-6 {
			p.cells[k] += (1 - another) * w * ((1-bunched)*none + bunched*bunchedNone(x))
		}
	}
	p.never = (exp(l.cleanNever-l.best)+exp(l.noisyNever-l.best))*never + past*another*stops
	p.always = exp(s.always() - l.best)
	return p
}

// weighPast sets the weights of the rates by the looks up to the last change, and returns their sum. changing is the probability that the
// page changes at all.
func (p *posterior) weighPast(l *likelihoods, time, changing float64) (sum float64) {
	const each = spread / 4
	for k := range p.cells {
		c := &grid[k]
		noisy := exp(l.noisy[k] - l.best)
		w := (l.clean[k].within(c, time, l.best) + noisy) * c.prior * changing
		sum += w
		p.noisy += noisy * c.prior * changing
		p.cells[k] += (1 - spread) * w
		p.cells[max(0, k-2)] += each * w
		p.cells[max(0, k-1)] += each * w
		p.cells[min(cells-1, k+1)] += each * w
		p.cells[min(cells-1, k+2)] += each * w
	}
	if sum > 0 {
		p.noisy /= sum
	}
	return sum
}

// bunchedNone is the chance that a page that changes in bunches has no change for so many of its mean times between
// changes. Its gaps have a Weibull distribution of shape ½, whose standard deviation is 2.2 times its mean; on real
// sites they spread up to so much.
func bunchedNone(x float64) float64 { return exp(-math.Sqrt(2 * x)) }

// seen is a page in the form that the likelihood needs.
type seen struct {
	used    int // of bins
	bins    [occupied]uint8
	counts  [occupied]float64 // changes found in the bin
	shift   [occupied]float64 // of the bin's mean from its middle, in nats
	changes float64           // in all bins
	dated   float64           // those whose own time was known
	time    float64           // seconds without a change between looks, up to the last change
	quiet   float64           // seconds since
	same    float64           // looks that found no change
}

func (g *Estimate) seen() (s seen) {
	s.time, s.quiet = float64(g.past.time), float64(coarse(g.lastVisit-g.lastChange))
	s.same = float64(g.past.looks) + float64(coarse(uint32(g.quiet)))
	gaps := &g.past.gaps
	s.dated = float64(gaps[dated])
	s.changes = s.dated
	for b := dated + 1; b < bins; b++ {
		if gaps[b] == 0 {
			continue
		}
		n := float64(gaps[b])
		s.bins[s.used], s.counts[s.used], s.shift[s.used] = uint8(b), n, g.past.slant(b)
		s.changes += n
		s.used++
	}
	s.align(float64(g.past.lean) * leanUnit)
	return s
}

// align brings the shifts in line with the lean.
func (s *seen) align(lean float64) {
	var sum float64
	for i := range s.used {
		sum += s.counts[i] * s.shift[i]
	}
	for i := range s.used {
		s.shift[i] += lean - sum/(s.changes-s.dated)
	}
}

// slant is how far the mean of the gaps in a bin would be from the bin's middle, in nats, by the slope of the histogram there.
func (h *history) slant(b int) float64 {
	if b <= 1 || b >= bins-1 {
		return 0
	}
	const width, trust = binSteps * stepNats, 0.75
	slope := quickLog((float64(h.gaps[b+1]) + 0.5) / (float64(h.gaps[b-1]) + 0.5))
	return max(-width/4, min(width/4, trust*slope*width/24))
}

// negligible is how many nats below the best a likelihood no longer counts.
const negligible = 40

// likelihoods are logarithms of prior and likelihood of the past, without noise and with it.
type likelihoods struct {
	clean                  [cells]curve
	noisy                  [cells]float64
	cleanNever, noisyNever float64 // of pages that never change
	best                   float64 // the greatest
}

func (l *likelihoods) fill(s *seen) {
	cleanPrior, noisyPrior := math.Log(1-noisePrior), math.Log(noisePrior)
	l.cleanNever, l.noisyNever = math.Inf(-1), math.Inf(-1)
	n := s.startNoise()
	if s.changes == 0 {
		l.cleanNever = cleanPrior
	}
	if s.dated == 0 {
		l.noisyNever = noisyPrior + n.likelihood(s, &still)
	}
	l.best = max(l.cleanNever, l.noisyNever)
	for k := range grid {
		c := &grid[k]
		rest := s.dated*c.odds[dated].logFound - c.perSecond*s.time
		if rest < l.best-negligible && c.perSecond*s.time > s.dated {
			for ; k < cells; k++ { // and those that change more often are less likely still
				l.clean[k].at, l.noisy[k] = math.Inf(-1), math.Inf(-1)
			}
			break
		}
		l.clean[k] = s.found(c)
		l.clean[k].at += cleanPrior + rest
		n.follow(s, c)
		l.noisy[k] = noisyPrior + rest + n.likelihood(s, c)
		l.best = max(l.best, l.clean[k].at, l.noisy[k])
	}
}

// A curve is a log-likelihood at the middle of a cell, with its slope and curvature by the logarithm of the rate. The
// time without a change is left out: it curves too much, and its part is known exactly.
type curve struct{ at, slope, bend float64 }

// found is the log-likelihood of the changes that were found, without noise. Changes at known times add to the slope
// only.
func (s *seen) found(c *cell) curve {
	v := curve{slope: s.dated}
	for i := range s.used {
		o := &c.odds[s.bins[i]]
		v.at += s.counts[i] * (o.logFound + s.shift[i]*o.lift)
		v.slope += s.counts[i] * (o.lift + s.shift[i]*o.bend)
		v.bend += s.counts[i] * o.bend
	}
	return v
}

// within is the mean likelihood of the rates of a cell, relative to that of best. Many changes tell some of these rates
// apart.
func (v *curve) within(c *cell, time, best float64) (mean float64) {
	at := v.at - best
	if at < -negligible {
		return 0
	}
	expected := c.perSecond * time
	for i := range c.within {
		p := &c.within[i]
		mean += exp(at + p.by*(v.slope+p.by*v.bend/2) - expected*p.more)
	}
	return mean * (1.0 / withinPoints)
}

// always is the logarithm of prior and likelihood of a page that differs at every look. A page whose changes have dates
// is none.
func (s *seen) always() float64 {
	if s.changes == 0 || s.dated > 0 {
		return math.Inf(-1)
	}
	return math.Log(alwaysPrior/(1-alwaysPrior)) + s.changes*math.Log(1-alwaysMiss) + s.same*math.Log(alwaysMiss)
}

// still is the cell of pages that never change.
var still = newStill()

func newStill() (c cell) {
	for b := range c.odds {
		c.odds[b].none = 1
	}
	return c
}

// A noise is the likeliest chance of a wrong change at one rate. It moves little from rate to rate, so one Newton step
// for each keeps up.
type noise struct{ chance, log float64 }

const noiseWeight = 1 / (noiseNats * noiseNats)

// startNoise is the noise that explains all changes, which is likeliest if the page itself has none.
func (s *seen) startNoise() noise {
	all := s.changes - s.dated
	n := noise{chance: (all + noiseWeight) / (all + s.same + noiseWeight/noiseMid)}
	n.chance = min(n.chance, noiseMost)
	n.log = quickLog(n.chance * (1 / noiseMid))
	n.follow(s, &still)
	return n
}

// follow moves the noise towards the likeliest at the rate of c.
func (n *noise) follow(s *seen, c *cell) {
	var wrong, curve float64
	for i := range s.used {
		o := &c.odds[s.bins[i]]
		q := n.chance * o.none
		share := q / (1 - o.none + q + s.shift[i]*o.slope)
		wrong += s.counts[i] * share
		curve += s.counts[i] * share * (1 - share)
	}
	expected := s.same * n.chance / (1 - n.chance)
	step := (wrong - expected - n.log*noiseWeight) / max(expected+noiseWeight-curve, 0.3*(expected+noiseWeight))
	n.log += max(-1, min(1, step))
	n.chance = noiseMid * exp(n.log)
	if n.chance > noiseMost {
		n.chance, n.log = noiseMost, math.Log(noiseMost/noiseMid)
	}
}

// likelihood is the logarithm of prior and likelihood of noise and of the looks at the rate of c, integrated over the noise by
// Laplace's method.
func (n *noise) likelihood(s *seen, c *cell) float64 {
	l := s.same*logOneMinus(n.chance) - n.log*n.log*noiseWeight/2
	curve := s.same*n.chance/(1-n.chance) + noiseWeight
	for i := range s.used {
		o := &c.odds[s.bins[i]]
		q := n.chance * o.none
		found := 1 - o.none + q + s.shift[i]*o.slope
		share := q / found
		l += s.counts[i] * quickLog(found)
		curve -= s.counts[i] * share * (1 - share)
	}
	return l - quickLog(max(curve, noiseWeight/2)*(1/noiseWeight))/2
}
