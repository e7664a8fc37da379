package rate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestBinOf(t *testing.T) {
	for _, tt := range []struct {
		name    string
		seconds float64
		want    int
	}{
		{"nothing", 0, 1},
		{"a second", 1, 1},
		{"ten seconds", 10, 1},
		{"a bin more", 20, 2},
		{"a minute", minute, 3},
		{"a day", day, 14},
		{"a year", year, bins - 1},
		{"136 years", math.MaxUint32, bins - 1},
	} {
		if got, _ := binOf(stepsOf(tt.seconds)); got != tt.want {
			t.Errorf("%s: bin %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestAFullHistoryFadesAtTheSameMean(t *testing.T) {
	var h history
	for range 5000 {
		h.pass(day, 10, 9, 0)
	}
	n := float32(h.changes())
	if n < 100 || n > 255 {
		t.Errorf("%g changes are remembered, want half of a bin to a whole one", n)
	}
	if !near(float64(h.time/n), day, 0.02) || !near(float64(h.looks/n), 10, 0.02) {
		t.Errorf("%g s and %g looks for a change, want a day and 10", h.time/n, h.looks/n)
	}
}

func TestHistoryKeepsFewBinsAndAllChanges(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		var h history
		for i := range 200 {
			h.pass(day, 1, r.IntN(bins), 0)
			used := 0
			for _, n := range h.gaps {
				used += min(int(n), 1)
			}
			if used > occupied || h.changes() != i+1 {
				t.Fatalf("seed %d: %d bins in use, %d changes of %d", seed, used, h.changes(), i+1)
			}
		}
		for range 5000 {
			h.pass(day, 1, r.IntN(bins), 0)
		}
		if n := float64(h.changes()); !near(float64(h.time), n*day, 0.05) {
			t.Fatalf("seed %d: %g changes in %g days", seed, n, h.time/day)
		}
		if h.gaps[dated] == 0 {
			t.Fatalf("seed %d: dated changes were put among others", seed)
		}
	}
}

func TestKeep(t *testing.T) {
	h := history{time: 100, looks: 50, gaps: [bins]uint8{2: 1, 5: 8, 7: 1}}
	h.keep(5)
	if h.changes() != 5 || h.gaps[5] != 4 || !near(float64(h.time), 50, 1e-3) || !near(float64(h.looks), 25, 1e-3) {
		t.Errorf("kept %+v, want half", h)
	}
	was := h
	if h.keep(6); h != was {
		t.Errorf("keeping more than there is made %+v of %+v", h, was)
	}
}

func TestGridClasses(t *testing.T) {
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

func TestLeanIsTheMeanOfTheGaps(t *testing.T) {
	for _, tt := range []struct {
		name string
		gap  func(r *rand.Rand) float64
	}{
		{"every day", func(*rand.Rand) float64 { return day }},
		{"at random", func(r *rand.Rand) float64 { return 1 + r.ExpFloat64()*day }},
		{"from seconds to months", func(r *rand.Rand) float64 { return math.Exp(3 + 14*r.Float64()) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 4))
			var h history
			const n = 40
			want := 0.0
			for range n {
				steps := stepsOf(tt.gap(r))
				want += steps / n
				bin, lean := binOf(steps)
				h.add(bin, lean)
			}
			got := float64(h.lean) * leanUnit / stepNats
			for b, c := range h.gaps {
				got += middle(b) * float64(c) / n
			}
			if math.Abs(got-want) > 0.2 {
				t.Errorf("gaps of %.2f steps on average, want %.2f", got, want)
			}
		})
	}
}
