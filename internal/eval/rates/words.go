package main

import (
	"math"

	"github.com/servemap/servemap/internal/decide/rate"
)

// seen is what the visitors have seen of a page.
type seen struct {
	estimate               rate.Estimate
	first, latest, changed int64 // observations
	observations, changes  int
	lastGap                float64 // between the observations that found the last two changes
}

func (s *seen) saw(at int64, changed bool) {
	switch {
	case s.observations == 0:
		s.first, s.changed = at, at
	case changed:
		s.changes++
		s.lastGap, s.changed = float64(at-s.changed), at
	}
	s.estimate = s.estimate.Saw(at, changed)
	s.observations++
	s.latest = at
}

// A way says the word of a page from its second observation on, Unknown for none. was is its word before.
type way struct {
	name string
	word func(s *seen, was rate.Freq) rate.Freq
}

var ways = [...]way{
	{"servemap", func(s *seen, was rate.Freq) rate.Freq { return s.estimate.Freq(was) }},
	{"changes per time", onceChanged(func(s *seen) float64 { return float64(s.latest-s.first) / float64(s.changes) })},
	// "Estimating frequency of change", ACM TOIT 3(3), 2003, the bias-reduced estimator
	{"Cho, Garcia-Molina", onceChanged(func(s *seen) float64 {
		n := float64(s.observations - 1)
		return float64(s.latest-s.first) / n / -math.Log((n-float64(s.changes)+0.5)/(n+0.5))
	})},
	{"the last gap", onceChanged(func(s *seen) float64 { return s.lastGap })},
	{"always monthly", func(*seen, rate.Freq) rate.Freq { return rate.Monthly }},
}

// onceChanged returns the way of an estimator that needs a change.
func onceChanged(mean func(s *seen) float64) func(*seen, rate.Freq) rate.Freq {
	return func(s *seen, _ rate.Freq) rate.Freq {
		if s.changes == 0 {
			return rate.Unknown
		}
		return class(mean(s))
	}
}

// class is the word whose nominal time is nearest to a mean time between changes, on a
// logarithmic scale.
func class(mean float64) rate.Freq {
	nominal := [...]float64{hour, day, 7 * day, month, year}
	f := rate.Hourly
	for i := 1; i < len(nominal); i++ {
		if mean*mean >= nominal[i-1]*nominal[i] {
			f = rate.Hourly + rate.Freq(i)
		}
	}
	return f
}
