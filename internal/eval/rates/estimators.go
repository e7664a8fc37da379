package main

import (
	"math"

	"github.com/servemap/servemap/internal/rate"
)

// estimators see the same looks. Those of the literature need the number of looks after the first, of changes, the time in all, and the
// gaps in which a change was found.
type estimators struct {
	ours          rate.Estimate
	looks         int
	first, latest int64
	found         []float64
}

func (e *estimators) saw(at int64, changed bool) {
	if e.looks == 0 {
		e.first = at
	} else if changed {
		e.found = append(e.found, max(1, float64(at-e.latest)))
	}
	e.looks++
	e.latest = at
	e.ours = e.ours.Saw(at, changed)
}

// A label is a word, the probability its estimator gives it, 1 where it gives none, and the mean time between changes in seconds, 0 if it
// names none.
type label struct {
	freq              rate.Freq
	probability, mean float64
}

var names = [...]string{"naive X/T", "Cho bias-reduced", "irregular MLE", "ours"}

const oursAt = len(names) - 1

func (e *estimators) labels() [len(names)]label {
	n, x, t := float64(e.looks-1), float64(len(e.found)), float64(e.latest-e.first)
	point := func(mean func() float64) label {
		switch {
		case n < 1 || x == 0:
			return label{freq: rate.Never, probability: 1}
		case x == n && n >= 3:
			return label{rate.Always, 1, mean()}
		}
		m := mean()
		return label{class(m), 1, m}
	}
	f, p := e.ours.Freq()
	_, mean, _ := e.ours.Interval()
	return [...]label{
		point(func() float64 { return t / x }),
		// Cho and Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003, the bias-reduced estimator
		point(func() float64 { return t / n / -math.Log((n-x+0.5)/(n+0.5)) }),
		point(e.likeliest),
		{f, p, mean},
	}
}

// likeliest is the mean time between changes of greatest likelihood at irregular looks (Cho and Garcia-Molina 2003, section 4.2): that at
// which the sum of τ/(exp(τ/mean)-1) over the gaps with a change equals the time without. Where every gap has one, it is 0 seconds, which
// counts as one.
func (e *estimators) likeliest() float64 {
	without := float64(e.latest - e.first)
	for _, tau := range e.found {
		without -= tau
	}
	lo, hi := 0.0, math.Log(1e11)
	for range 50 {
		mid := (lo + hi) / 2
		perSecond, sum := math.Exp(-mid), 0.0
		for _, tau := range e.found {
			sum += tau / math.Expm1(perSecond*tau)
		}
		if sum > without {
			hi = mid
		} else {
			lo = mid
		}
	}
	return math.Exp(lo)
}
