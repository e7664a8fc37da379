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

// Proven reports whether the changes of a page prove that it changes so often: the three times
// between the last four of them fit f, and so does the mean time between all changes, in seconds. The latest
// is first. The first observation may stand for a change before the first one.
func (f Freq) Proven(changes [4]int64, mean float64) bool {
	fits := func(seconds float64) bool { return freqOf(max(0, seconds)) == max(f, Hourly) } // Never fits none
	for i, earlier := range changes[1:] {
		if !fits(float64(changes[i] - earlier)) {
			return false
		}
	}
	return fits(mean)
}

// Freq returns how often the page is likely to change since its last change: its most likely
// word, and the probability of that in whole thousandths. It returns Unknown and 0 before a
// second observation, and for a page that never changed but differs at most observations.
func (e Estimate) Freq() (Freq, float64) {
	if e.Now.Observations < 2 || e.Now.Noisy && e.Past.changes() == 0 && e.Now.Quiet == 0 {
		return Unknown, 0
	}
	var sums [len(words)]float64
	for i, noise := range e.posterior() {
		for k, p := range noise {
			f := grid[k].freq
			if i == moving {
				f = Always
			} else if f == Never && e.Now.Noisy {
				f = Yearly // a page that differs between observations is no archive
			}
			sums[f] += p
		}
	}
	best := Unknown
	for f := Always; f <= Never; f++ {
		if sums[f] > sums[best] {
			best = f
		}
	}
	return best, math.Floor(min(1, sums[best])*1000) / 1000
}

// Mean returns the likely mean time between changes in seconds, if the page goes on changing. It is 0 before the first
// change.
func (e Estimate) Mean() float64 {
	if e.Past.changes() == 0 {
		return 0
	}
	p := e.posterior()
	p[moving], p[0][0], p[1][0] = [cells]float64{}, 0, 0 // it goes on
	p.normalize()
	k := 0
	for sum := 0.0; sum < 0.5 && k < cells-1; {
		k++
		sum += p[0][k] + p[1][k]
	}
	return grid[k].mean
}
