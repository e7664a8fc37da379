package rate

import (
	"math"
	"math/bits"
)

// A Freq is a changefreq of sitemaps.org. Of those with a mean time between changes, a greater one is longer.
type Freq uint8

// The values of changefreq, and Unknown, which is none of them.
const (
	Unknown Freq = iota
	Always       // different at every look
	Hourly
	Daily
	Weekly
	Monthly
	Yearly
	Never // will not change again
	freqs = iota
)

// String returns the word of sitemaps.org, "" for Unknown and for anything that is no Freq.
func (f Freq) String() string {
	if f >= freqs {
		return ""
	}
	return [freqs]string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}[f]
}

// The probability is lowered, since no page is quite like the model: by doubt always, by noiseDoubt if some looks
// wrongly found a change, and by slowing for each nat of evidence above slowingFrom that the page has slowed down,
// which the word does not follow yet.
const (
	doubt       = 0.002
	noiseDoubt  = 0.01
	slowing     = 0.05
	slowingFrom = 2
	slowingMost = 8
)

// Freq returns how often the page is likely to change, as of the last look, and the probability, in whole thousandths, that this is the
// right word. It returns Unknown and 0 before a second look. The probability is the word's share of the posterior, so it is low after few
// looks and after looks over a short time; the caller decides from which probability on to publish the word. The word need not be the
// likeliest: see word. A call costs some microseconds.
func (e Estimate) Freq() (Freq, float64) {
	if e.looks < 2 {
		return Unknown, 0
	}
	post := e.posterior()
	s := post.shares()
	f := s.word(e.regime.changes, e.everyLook())
	probability := s[f] * (1 - doubt)
	if f != Always {
		probability *= 1 - noiseDoubt*post.noisy
	}
	if f.paced() {
		probability *= 1 - slowing*max(0, min(slowingMost, nats(e.regime.slower)-slowingFrom))
	}
	return f, math.Round(probability*1000) / 1000
}

// coarse rounds n to its five highest bits plus half of the rest, which is within 3 %. So the estimate changes seldom
// while quiet looks add up.
func coarse(n uint32) uint32 {
	low := max(0, bits.Len32(n)-5)
	return n>>low<<low | 1<<low>>1
}

// Probabilities returns the share of every word in the posterior, by Freq, all 0 before a second look. It costs as much as Freq.
func (e Estimate) Probabilities() [freqs]float64 {
	if e.looks < 2 {
		return [freqs]float64{}
	}
	post := e.posterior()
	return post.shares()
}

// paced reports whether f names a mean time between changes.
func (f Freq) paced() bool { return Hourly <= f && f <= Yearly }

// shares are the probabilities of the words.
type shares [freqs]float64

func (p *posterior) shares() shares {
	s := shares{Always: p.always, Never: p.never}
	total := p.always + p.never
	for k, m := range p.cells {
		s[grid[k].freq] += m
		total += m
	}
	for f := range s {
		s[f] /= total
	}
	return s
}

// The bounds that decide which word is taken. It is mostly, but not always, the likeliest one.
const (
	alwaysFrom = 0.15 // probability from which on a page that differs at every look is called Always
	neverAgain = 0.5  // what Never counts for a page that changed: a crawler that believes it does not come back
	nearly     = 0.76 // how likely a slower word has to be, relative to the likeliest
	unsure     = 0.5  // probability of the likeliest word below which a slower one is taken

	everyChange = 3
)

// everyLook reports whether no look found the page unchanged.
func (g *Estimate) everyLook() bool { return g.quiet == 0 && g.past.looks == 0 }

// word is the likeliest word, but for three cases.
//
// A page that differs at every look may change always, or by the hour if the looks are far apart: the looks cannot
// tell. It is called Always from alwaysFrom on, so that nearly every page that always changes gets that word. More of
// the others then get a wrong word, but with a low probability.
//
// A page that has changed is called Never only if it is likelier to have stopped than to go on.
//
// If no word has a probability above a half, the next slower one is taken if it is nearly as likely; before the first
// change, any slower one.
func (s *shares) word(changes uint8, every bool) Freq {
	switch {
	case changes == 0:
		return s.slower(s.likeliest(1), Yearly)
	case every && changes >= everyChange && s[Always] >= alwaysFrom:
		return Always
	}
	best := s.likeliest(neverAgain)
	return s.slower(best, min(best+1, Monthly))
}

// likeliest is the likeliest word, if the probability of Never is multiplied by a factor.
func (s *shares) likeliest(never float64) Freq {
	best := Always
	for f := Hourly; f < Never; f++ {
		if s[f] > s[best] {
			best = f
		}
	}
	if s[Never]*never > s[best] {
		return Never
	}
	return best
}

// slower returns the slowest word that is nearly as likely as f, if f is not likely.
func (s *shares) slower(f, upTo Freq) Freq {
	if !f.paced() || s[f] > unsure {
		return f
	}
	for g := upTo; g > f; g-- {
		if s[g] > nearly*s[f] {
			return g
		}
	}
	return f
}

// Interval returns the likely mean time between changes in seconds, if the page goes on changing, and the bounds of an
// interval that holds it with a probability of about 80 %. All are 0 before the first change.
func (e Estimate) Interval() (least, likely, most float64) {
	if e.regime.changes == 0 {
		return 0, 0, 0
	}
	post := e.posterior()
	return post.quantile(0.9), post.quantile(0.5), post.quantile(0.1)
}

// quantile returns the mean time in seconds that a page which goes on changing exceeds with probability q.
func (p *posterior) quantile(q float64) float64 {
	var total, sum float64
	for _, m := range p.cells {
		total += m
	}
	for k, m := range p.cells { // the longest first
		if sum+m > q*total {
			part := (q*total - sum) / m
			return grid[k].mean * math.Exp(grid[k].width*(0.5-part))
		}
		sum += m
	}
	return 0 // it has surely stopped
}
