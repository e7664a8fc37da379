package main

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/servemap/servemap/internal/decide/rate"
)

const (
	minute = 60.0
	hour   = 60 * minute
	day    = 24 * hour
	year   = 365.25 * day
	month  = year / 12
)

// A kind is a sort of simulated page. Its share is in percent.
type kind struct {
	name  string
	share int
	make  func(r *rand.Rand, window float64) (changes iter.Seq[float64], right rate.Freq)
}

// kinds are the pages of the simulation. Changes are in seconds from the start of the
// window, in order. A page of the kind always has none, since every observation finds a change.
var kinds = []kind{
	{"poisson", 55, func(r *rand.Rand, window float64) (iter.Seq[float64], rate.Freq) {
		mean := logUniform(r, 10*minute, 5*year)
		return poisson(r, 0, window, mean), class(mean)
	}},
	{"daily-fixed", 7, func(r *rand.Rand, window float64) (iter.Seq[float64], rate.Freq) {
		return fixed(r, window, day), rate.Daily
	}},
	{"weekly-fixed", 7, func(r *rand.Rand, window float64) (iter.Seq[float64], rate.Freq) {
		return fixed(r, window, 7*day), rate.Weekly
	}},
	{"stopper", 8, func(r *rand.Rand, window float64) (iter.Seq[float64], rate.Freq) {
		return poisson(r, 0, window*(0.2+0.6*r.Float64()), logUniform(r, 10*minute, month)), rate.Never
	}},
	{"rate-shift", 6, func(r *rand.Rand, window float64) (iter.Seq[float64], rate.Freq) {
		at := window * (0.2 + 0.6*r.Float64())
		before, now := logUniform(r, 10*minute, year/4), logUniform(r, 10*minute, year/4)
		return then(poisson(r, 0, at, before), poisson(r, at, window, now)), class(now)
	}},
	{"static", 6, func(*rand.Rand, float64) (iter.Seq[float64], rate.Freq) {
		return nothing, rate.Never
	}},
	{"always", 5, func(*rand.Rand, float64) (iter.Seq[float64], rate.Freq) {
		return nothing, rate.Always
	}},
	{"bursty", 6, func(r *rand.Rand, window float64) (iter.Seq[float64], rate.Freq) {
		mean := logUniform(r, 10*minute, year)
		return weibullHalf(r, window, mean), class(mean)
	}},
}

func nothing(func(float64) bool) {}

// simulate simulates observations of n pages of all kinds, for one to two years each.
func (t *table) simulate(n int, seed uint64, v visitors) {
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		window := year * (1 + r.Float64())
		k := pick(r)
		changes, right := k.make(r, window)
		var e estimators
		t.visits += v.visit(r, window, changes, k.name == "always", e.saw)
		t.scores = append(t.scores, score{e.labels(), truth{right, right}})
	}
}

func pick(r *rand.Rand) kind {
	x := r.IntN(100)
	for _, k := range kinds {
		if x -= k.share; x < 0 {
			return k
		}
	}
	return kinds[0]
}

// visitors say when observations happen, and how well they detect a change.
type visitors struct {
	name   string
	bursty bool    // in sessions of about nine observations, 30 seconds apart
	noise  float64 // chance that an observation wrongly finds a change
}

const (
	sessionObservations = 9.0
	sessionGap          = 30.0 // seconds
)

// A sight is the result of one observation of a page: its time, and whether the page differs from
// the observation before.
type sight struct {
	at      int64
	changed bool
}

// visit calls saw for every observation within the window, and returns the number of observations. The
// mean gap is log-uniform from a minute to a month. Observations of a page of the kind always find
// a change every time.
func (v visitors) visit(r *rand.Rand, window float64, changes iter.Seq[float64], always bool, saw func(sight)) (n int) {
	next, stop := iter.Pull(changes)
	defer stop()
	change, ok := next()
	gap := logUniform(r, minute, month)
	for at := range v.times(r, window, gap) {
		s := sight{start + int64(at), always}
		for ok && change <= at {
			s.changed = true
			change, ok = next()
		}
		if v.noise > 0 && r.Float64() < v.noise {
			s.changed = true
		}
		saw(s)
		n++
	}
	return n
}

const start = 1_700_000_000 // any time will do

// times are the times of the observations; the first one begins the window.
func (v visitors) times(r *rand.Rand, window, gap float64) iter.Seq[float64] {
	within := min(sessionGap, gap/2)
	between := gap*sessionObservations - within*(sessionObservations-1)
	if !v.bursty {
		within, between = gap, gap
	}
	return func(yield func(float64) bool) {
		for at := 0.0; at < window && yield(at); {
			mean := within
			if r.Float64() < 1/sessionObservations {
				mean = between
			}
			at += r.ExpFloat64() * mean
		}
	}
}

func poisson(r *rand.Rand, from, to, mean float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for at := from + r.ExpFloat64()*mean; at < to && yield(at); at += r.ExpFloat64() * mean {
		}
	}
}

func fixed(r *rand.Rand, window, every float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for at := r.Float64() * every; at < window && yield(at); at += every {
		}
	}
}

// weibullHalf is a renewal process whose gaps are Weibull with shape ½, the square of an
// exponential, with mean 2.
func weibullHalf(r *rand.Rand, window, mean float64) iter.Seq[float64] {
	gap := func() float64 { x := r.ExpFloat64(); return x * x / 2 * mean }
	return func(yield func(float64) bool) {
		for at := gap(); at < window && yield(at); at += gap() {
		}
	}
}

func then(a, b iter.Seq[float64]) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for x := range a {
			if !yield(x) {
				return
			}
		}
		b(yield)
	}
}

func logUniform(r *rand.Rand, lo, hi float64) float64 {
	return lo * math.Exp(r.Float64()*math.Log(hi/lo))
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
