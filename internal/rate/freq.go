package rate

import "math"

// A Freq is a changefreq of sitemaps.org. Among those with a mean time between changes, a greater one is a longer one.
type Freq uint8

// The values of changefreq, and Unknown, which is none of them.
const (
	Unknown Freq = iota
	Always       // another page at every look
	Hourly
	Daily
	Weekly
	Monthly
	Yearly
	Never // will not change again
	freqs = iota
)

// String returns the word that sitemaps.org gives the value, "" for Unknown and for anything that is no Freq.
func (f Freq) String() string {
	if f >= freqs {
		return ""
	}
	return [freqs]string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}[f]
}

// doubt is the share of probability kept back, since no page is quite like the model.
const doubt = 0.005

// Freq returns how often the page is now likely to change, as of the last look, and the probability that this is the right word.
// It is Unknown and 0 before a second look. The probability is the word's share of the posterior, so after few looks, or looks over a
// short time, it is low; leaving the word out below 0.5 or more is the caller's part. It costs some microseconds.
func (e Estimate) Freq() (Freq, float64) {
	if e.looks() < 2 {
		return Unknown, 0
	}
	p := e.open()
	post := p.posterior()
	mass := [freqs]float64{Always: post.always, Never: post.never}
	for k, m := range post.cells {
		mass[grid[k].freq] += m
	}
	best, total := Unknown, 0.0
	for f, m := range mass {
		total += m
		if m > mass[best] {
			best = Freq(f)
		}
	}
	return best, mass[best] / total * (1 - doubt)
}

// Interval returns the mean time between changes in seconds that is likely now, if the page goes on changing, and the times between which it
// lies with a probability of about 80 %. All are 0 before the first change.
func (e Estimate) Interval() (least, likely, most float64) {
	if e.changes() == 0 {
		return 0, 0, 0
	}
	p := e.open()
	post := p.posterior()
	return post.quantile(0.9), post.quantile(0.5), post.quantile(0.1)
}

// quantile returns the mean time between changes in seconds than which the page, if it goes on changing, has a longer one with probability q.
func (p *posterior) quantile(q float64) float64 {
	var total, sum float64
	for _, m := range p.cells {
		total += m
	}
	for k, m := range p.cells { // from the longest on
		if sum+m > q*total {
			part := (q*total - sum) / m
			return grid[k].mean * math.Exp(grid[k].width*(0.5-part))
		}
		sum += m
	}
	return 0 // it stopped for sure
}
