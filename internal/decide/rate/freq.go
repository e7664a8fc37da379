package rate

import (
	"math"
	"math/bits"
)

// A Freq is a changefreq of sitemaps.org. From Hourly to Yearly, a greater Freq means a
// longer time between changes.
type Freq uint8

// The values of changefreq, and Unknown for none of them.
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

// String returns the word of sitemaps.org, "" for Unknown and for an invalid Freq.
func (f Freq) String() string {
	if f >= freqs {
		return ""
	}
	return [freqs]string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}[f]
}

// Freq returns how often the page is likely to change, as of the last look. With it comes
// the probability that this word is right, in whole thousandths. Freq returns Unknown and 0
// before a second look, and for a page that never changed but differs at most looks. The
// probability is low after few looks and after looks over a short time. The caller decides
// from which probability on to publish the word. Never means that the looks found no change
// at all, or none for far longer than the page usually took. The caller decides how long
// that must have been. A call costs some microseconds.
func (e Estimate) Freq() (Freq, float64) { return tuned.Freq(e) }

// Freq returns what e.Freq would return with these constants.
func (t *Tuning) Freq(e Estimate) (Freq, float64) {
	words := t.Probabilities(e)
	best := Unknown
	for f := Always; f < freqs; f++ {
		if words[f] > words[best] {
			best = f
		}
	}
	return best, math.Floor(words[best]*1000) / 1000
}

// coarse rounds n to its five highest bits plus half of the rest, which is within 3 %. So
// the estimate seldom changes while quiet looks add up.
func coarse(n uint32) uint32 {
	low := max(0, bits.Len32(n)-5)
	return n>>low<<low | 1<<low>>1
}

// Probabilities returns the probability of every word, by Freq. All are 0 where Freq
// returns Unknown. It costs as much as Freq.
func (t *Tuning) Probabilities(e Estimate) (words [freqs]float64) {
	if e.looks < 2 || e.noisy && e.changes == 0 && e.quiet == 0 {
		return words
	}
	post := t.posterior(&e)
	words[Always] = post.always
	for k, p := range post.cells {
		f := grid[k].freq
		words[f] = min(1, words[f]+p) // the sum of rounded numbers may be a little more
	}
	if e.noisy { // a page that differs between looks is no archive
		words[Yearly] = min(1, words[Yearly]+words[Never])
		words[Never] = 0
	}
	return words
}

// Interval returns the likely mean time between changes in seconds, if the page goes on
// changing, and an interval that holds it with a probability of about 80 %. All are 0
// before the first change.
func (e Estimate) Interval() (least, likely, most float64) { return tuned.Interval(e) }

// Interval returns what e.Interval would return with these constants.
func (t *Tuning) Interval(e Estimate) (least, likely, most float64) {
	if e.changes == 0 {
		return 0, 0, 0
	}
	post := t.posterior(&e)
	if likely = post.quantile(0.5); likely == 0 {
		return 0, 0, 0
	}
	wider := max(rangeLeast, rangeWider*math.Pow(e.past.dispersion(), rangePower))
	least = likely * math.Pow(post.quantile(0.9)/likely, wider)
	most = likely * math.Pow(post.quantile(0.1)/likely, wider)
	return max(shortestMean, least), likely, min(longestMean, most)
}

// The range of the mean time between changes widens with the dispersion of the changes, as
// standard errors do in a quasi-likelihood (Wedderburn, Biometrika 61, 1974).
const (
	rangeWider = 1.15
	rangePower = 2.0
	rangeLeast = 0.8
)

// quantile returns the mean time in seconds that a page which goes on changing exceeds with
// probability q.
func (p *posterior) quantile(q float64) float64 {
	left := 0.0
	for _, m := range p.cells[1:] {
		left += q * m
	}
	for k := 1; k < cells; k++ { // the longest first
		if m := p.cells[k]; left < m {
			return grid[k].mean * math.Exp(grid[k].width*(0.5-left/m))
		}
		left -= p.cells[k]
	}
	return 0 // it has surely stopped
}
