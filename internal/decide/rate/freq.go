package rate

import "math"

// A Freq is a changefreq of sitemaps.org. A greater one means a longer time between changes.
type Freq uint8

const (
	Unknown Freq = iota
	Always       // different at every observation
	Hourly
	Daily
	Weekly
	Monthly
	Yearly
	Never // will not change again
)

var words = [...]string{"", "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}

// String returns the word of sitemaps.org, "" for Unknown and for an invalid Freq.
func (f Freq) String() string {
	if int(f) < len(words) {
		return words[f]
	}
	return ""
}

// freqOf returns the word whose nominal time is nearest, on a logarithmic scale.
func freqOf(mean float64) Freq {
	times := [...]float64{hour, day, 7 * day, month, year, math.Inf(1)}
	f := Hourly
	for i := 1; i < len(times) && mean*mean >= times[i-1]*times[i]; i++ {
		f++
	}
	return f
}

// neverAfter is for how many seconds a page must have been the same to be called never. A crawler that reads
// the word does not come back, so it is for archives.
const neverAfter = 2 * year

// restsFor is for how many seconds a page must have been the same to be called yearly.
const restsFor = day / 2

// busyChanges is how many changes a page needs to be called always or hourly. After one or two somebody is perhaps
// working on it.
const busyChanges = 3

// Freq returns the word for how often the page is likely to change from now on. was is the word before, which is
// kept as long as no other one is clearly better.
//
// A page that rested for half a day is called yearly: more than four in five pages of real sites change as seldom.
// Before that, nobody has seen anything that a word could rest on, and it is Unknown. Once the page was seen to change,
// its own changes say the word: the one that is expected to mislead least.
func (e Estimate) Freq(was Freq) Freq {
	if e.Past.changes() == 0 {
		switch {
		case e.Quiet() >= neverAfter:
			return Never
		case e.Quiet() >= restsFor:
			return Yearly
		}
		return Unknown
	}
	p, fastest := e.words(), Hourly
	if e.Past.changes() < busyChanges {
		fastest = Daily
	}
	switch {
	case p[Always] >= 0.5 && fastest == Hourly:
		return Always
	case p[Never] >= 0.5 && e.Quiet() >= neverAfter:
		return Never
	}
	p[Hourly] += p[Always]
	p[Yearly] += p[Never]
	best := fastest
	for f := fastest + 1; f <= Yearly; f++ {
		if p.harm(f) < p.harm(best) {
			best = f
		}
	}
	if fastest <= was && was <= Yearly && p.harm(was) < p.harm(best)+leastGain {
		return was
	}
	return best
}

// A distribution has the probability of each word.
type distribution [len(words)]float64

// words returns the probability of each word.
func (e *Estimate) words() (d distribution) {
	for i, noise := range e.posterior() {
		for k, p := range noise {
			f := grid[k].freq
			if i == moving {
				f = Always
			}
			d[f] += p
		}
	}
	return d
}

// harms says how bad a word is, by how many words it is off: a neighbour hardly misleads.
var harms = [...]float64{0, 0.15, 0.5, 1, 1}

const leastGain = 0.05 // by how much another word must be less bad to replace the word before

// harm is how bad f is expected to be.
func (d *distribution) harm(f Freq) (sum float64) {
	for g := Hourly; g <= Yearly; g++ {
		sum += d[g] * harms[max(f, g)-min(f, g)]
	}
	return sum
}

// An Interval is the time between changes in seconds, if the page goes on changing: the likely one, and the
// shortest and the longest that are nearly as likely. One time in five it is shorter or longer than these.
type Interval struct{ Likely, Least, Most float64 }

// Interval returns the time between changes, 0 before the first change. After one change it has no bounds: nothing
// speaks against a much shorter or longer one.
func (e Estimate) Interval() (i Interval) {
	changes := e.Past.changes()
	if changes == 0 {
		return i
	}
	p := e.posterior()
	for i := range p {
		p[i][0] = 0 // it goes on changing
	}
	p.normalize()
	for _, of := range p[moving] {
		p[0][cells-1] += of // what moves at each observation changes as fast as can be said
	}
	sum := 0.0
	for k := cells - 1; k > 0 && sum < 0.9; k-- { // from fast to slow
		if sum < 0.1 {
			i.Least = grid[k].mean
		}
		if sum < 0.5 {
			i.Likely = grid[k].mean
		}
		i.Most = grid[k].mean
		sum += p[0][k] + p[1][k]
	}
	if changes == 1 {
		i.Least, i.Most = 0, 0
	}
	return i
}
