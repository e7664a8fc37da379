package main

import (
	"math"

	"github.com/servemap/servemap/internal/decide/rate"
)

// estimators see the same observations. The estimators of the literature need the number of observations
// after the first, the number of changes, the total time, and the gaps in which an observation
// found a change.
type estimators struct {
	ours          rate.Estimate
	visits        int
	first, latest int64
	found         []float64
	changes       [4]int64 // the last ones, the latest first; before there are four, the first observation is the last of them
}

func (e *estimators) saw(s sight) {
	if e.visits == 0 {
		e.first = s.at
		e.changes[0] = s.at
	} else if s.changed {
		copy(e.changes[1:], e.changes[:])
		e.changes[0] = s.at
		e.found = append(e.found, max(1, float64(s.at-e.latest)))
	}
	e.ours = e.ours.Saw(s.at, s.changed)
	e.visits++
	e.latest = s.at
}

// A label is a word with the probability that its estimator gives it (1 if it gives none).
type label struct {
	freq        rate.Freq
	probability float64
	published   bool
}

var names = [...]string{"naive X/T", "Cho bias-reduced", "irregular MLE", "ours"}

const oursAt = len(names) - 1 // read by the reliability

func (e *estimators) labels() [len(names)]label {
	n, x, t := float64(e.visits-1), float64(len(e.found)), float64(e.latest-e.first)
	point := func(mean func() float64) label {
		switch {
		case n < 1 || x == 0:
			return label{freq: rate.Never, probability: 1}
		case x == n && n >= everyChange:
			return label{freq: rate.Always, probability: 1}
		}
		return label{freq: class(mean()), probability: 1}
	}
	return [...]label{
		point(func() float64 { return t / x }),
		// Cho and Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003, the
		// bias-reduced estimator
		point(func() float64 { return t / n / -math.Log((n-x+0.5)/(n+0.5)) }),
		point(e.likeliest),
		e.read(),
	}
}

// everyChange is how many changes, with one at every observation, make the estimators of the
// literature call a page always.
const everyChange = 3

// read returns our estimator's label. It is published if the changes prove it.
func (e *estimators) read() (l label) {
	l.freq, l.probability = e.ours.Freq()
	n := len(e.found)
	l.published = n >= 3 && l.freq.Proven(e.changes, float64(e.latest-e.first)/float64(n))
	return l
}

// likeliest is the mean time between changes of greatest likelihood at irregular observations (Cho
// and Garcia-Molina 2003, section 4.2). There the sum of τ/(exp(τ/mean)-1) over the gaps
// with a change equals the time without one. If every gap has a change, it is 0 seconds,
// which counts as one.
func (e *estimators) likeliest() float64 {
	without := float64(e.latest - e.first)
	for _, tau := range e.found {
		without -= tau
	}
	lo, hi := 0.0, math.Log(1e11)
	for hi-lo > 1e-8 {
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
