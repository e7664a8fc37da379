package rate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLongerGapsFallIntoLaterBins(t *testing.T) {
	for _, tt := range []struct {
		name    string
		seconds float64
		want    int
	}{
		{"nothing", 0, 1},
		{"a second", 1, 1},
		{"ten seconds", 10, 1},
		{"a minute", minute, 2},
		{"an hour", hour, 5},
		{"a day", day, 8},
		{"a year", year, bins - 1},
		{"136 years", math.MaxUint32, bins - 1},
	} {
		if got := binOf(tt.seconds, 0.5); got != tt.want {
			t.Errorf("%s: bin %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestBinsKeepTheMeanOfTheGaps(t *testing.T) {
	for _, gap := range []int64{30, 100, hour, day, 10 * day} {
		sum, n := 0.0, uint32(400)
		for i := range n {
			sum += math.Log(middles[binOf(float64(gap), chanceOf(t0+i*uint32(gap)))])
		}
		if mean := math.Exp(sum / float64(n)); !near(mean, float64(gap), 0.05) {
			t.Errorf("gaps of %d s count as %g s", gap, mean)
		}
	}
}

func TestFullBinHalvesTheHistoryAtTheSameMean(t *testing.T) {
	h := history{time: 255 * day, looks: 2550, gaps: [bins]uint8{5: 255}}
	h.pass(day, 10, minute, 5)
	n := float64(h.changes())
	if n != 128 || !near(float64(h.time)/n, day, 0.01) || !near(float64(h.looks)/n, 10, 0.01) {
		t.Errorf("%+v after a change more than fits", h)
	}
}

func TestPastFadesWithTime(t *testing.T) {
	regular := func(n int, quiet float64) (h history) {
		for range n {
			h.pass(quiet, 1, minute, 3)
		}
		return h
	}
	for _, tt := range []struct {
		name        string
		h           history
		least, most int // changes remembered
	}{
		{"by the number of changes", regular(2000, hour), 50, 80},
		{"by the time, of a page that changes seldom", regular(100, 100*day), 5, 12},
		{"not within a burst", regular(40, minute), 30, 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if n := tt.h.changes(); n < tt.least || n > tt.most {
				t.Errorf("%d changes are remembered, want %d to %d", n, tt.least, tt.most)
			}
		})
	}
	t.Run("all of it, when the page pauses for long", func(t *testing.T) {
		h := regular(40, hour)
		h.pass(300*day, 1, minute, 3)
		if n := h.changes(); n != 1 {
			t.Errorf("%d changes are remembered after a pause of 7,200 times the usual one, want the latest", n)
		}
	})
}

func TestDispersionTellsBunchesFromRegularChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	random := func(int) bool { return r.IntN(48) == 0 }
	dated := Estimate{}
	for i := range int64(2400) { // an hourly look; five hours running with changes, every ten days
		if at := t0 + i*hour; i%240 < 5 {
			dated = dated.SawChangeAt(at, at-minute)
		} else {
			dated = dated.Saw(at, false)
		}
	}
	for _, tt := range []struct {
		name        string
		e           Estimate
		least, most float64
	}{
		{"nothing seen", Estimate{}, 1, 1},
		{"one change", looks(20, hour, everyNth(10)), 0.5, 1.1},
		{"every other day", looks(4800, hour, everyNth(48)), 0, 0.4},
		{"at random", looks(4800, hour, random), 0.7, 1.3},
		{"five days running, then a quarter of a year of quiet", looks(500, day, func(i int) bool { return i%100 < 5 }), 1.5, 5},
		{"in bunches, with dates", dated, 1.5, 15},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := tt.e.past.dispersion(); d < tt.least || d > tt.most {
				t.Errorf("dispersion %.2f, want %g to %g", d, tt.least, tt.most)
			}
		})
	}
}

func TestKeepHalvesTheHistory(t *testing.T) {
	h := history{time: 100, looks: 50, gaps: [bins]uint8{dated: 1, 5: 8, 7: 1}}
	h.keep(5)
	if h.changes() != 5 || h.gaps[5] != 4 || !near(float64(h.time), 50, 1e-3) || !near(float64(h.looks), 25, 1e-3) {
		t.Errorf("kept %+v, want half", h)
	}
	was := h
	if h.keep(6); h != was {
		t.Errorf("keeping more than there is made %+v of %+v", h, was)
	}
}

func TestGridGoesFromSlowToFastAndItsPriorsSumToOne(t *testing.T) {
	sum := 0.0
	for k := range grid {
		c := &grid[k]
		sum += c.prior
		if k > 0 && (c.mean >= grid[k-1].mean || c.freq > grid[k-1].freq) {
			t.Errorf("cell %d: %v at %g s after %v at %g s", k, c.freq, c.mean, grid[k-1].freq, grid[k-1].mean)
		}
	}
	if !near(sum, 1, 1e-9) {
		t.Errorf("prior sums to %g", sum)
	}
}
