package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/decide/rate"
)

// constants are those that leaveOneOut tunes, each with the values that it tries.
var constants = [...]struct {
	name   string
	of     func(*rate.Tuning) *float64
	values [5]float64
}{
	{"drifts", func(t *rate.Tuning) *float64 { return &t.Drifts }, [...]float64{0.05, 0.1, 0.2, 0.4, 0.8}},
	{"drift wide", func(t *rate.Tuning) *float64 { return &t.DriftWide }, [...]float64{0.6, 0.8, 1.1, 1.5, 2}},
	{"stops", func(t *rate.Tuning) *float64 { return &t.Stops }, [...]float64{0.0001, 0.0003, 0.001, 0.003, 0.01}},
	{"leaves", func(t *rate.Tuning) *float64 { return &t.Leaves }, [...]float64{0.0002, 0.0006, 0.002, 0.006, 0.02}},
	{"bunched", func(t *rate.Tuning) *float64 { return &t.Bunched }, [...]float64{0.02, 0.05, 0.1, 0.2, 0.4}},
}

// leaveOneOut prints the table of each history with the constants that were tuned on all
// other sets, and compares them with constants that were tuned on all sets together.
func leaveOneOut(w io.Writer, simulated, histories []*table) {
	s := newSearch(slices.Concat(simulated, histories)...)
	together, inUse, left := s.without(nil), rate.Tuned(), newTable("all histories, each left out")
	var summary []string
	for _, t := range histories {
		apart := s.without(t)
		line := fmt.Sprintf("%s\t%d", t.name, len(t.scores))
		for _, c := range [...]rate.Tuning{inUse, together, apart} { // the last one stays
			t.read(c)
			line += fmt.Sprintf("\t%.1f/%.3f", t.exact(), t.loss(c))
		}
		summary = append(summary, line+describe(apart))
		t.print(w)
		left.merge(t)
	}
	left.print(w)
	fmt.Fprintln(w, "percent exact/mean negative logarithm of the probability of the right words, by constants")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "left out\tpages\tin use\ttuned on all\ttuned on the others")
	for _, c := range constants {
		fmt.Fprint(tw, "\t", c.name)
	}
	fmt.Fprintln(tw)
	for _, line := range summary {
		fmt.Fprintln(tw, line)
	}
	fmt.Fprintf(tw, "none\t\t\t\t%s\n", describe(together))
	tw.Flush()
}

func describe(t rate.Tuning) (cells string) {
	for _, c := range constants {
		cells += fmt.Sprintf("\t%g", *c.of(&t))
	}
	return cells
}

// A search looks for constants.
type search struct {
	sets   []*table
	losses map[rate.Tuning][]float64 // of the sets, as far as they are known
}

func newSearch(sets ...*table) *search {
	return &search{sets, map[rate.Tuning][]float64{}}
}

// without returns constants for all sets but one, of which none is better with another value.
// It starts from the least value of each, so that what is known of that set does not help.
func (s *search) without(out *table) rate.Tuning {
	best := rate.Tuned()
	for _, c := range constants {
		*c.of(&best) = c.values[0]
	}
	for moved := true; moved; {
		moved = false
		for _, c := range constants {
			for _, v := range c.values {
				try := best
				*c.of(&try) = v
				if s.loss(try, out) < s.loss(best, out) {
					best, moved = try, true
				}
			}
		}
	}
	return best
}

// loss is the mean loss of all sets but one.
func (s *search) loss(constants rate.Tuning, out *table) float64 {
	losses := s.losses[constants]
	if losses == nil {
		for _, t := range s.sets {
			losses = append(losses, t.loss(constants))
		}
		s.losses[constants] = losses
	}
	sum, n := 0.0, 0.0
	for i, l := range losses {
		if s.sets[i] != out {
			sum, n = sum+l, n+1
		}
	}
	return sum / n
}

// leastChance bounds what one page can lose.
const leastChance = 0.002

// loss is the mean negative logarithm of the probability that our estimator gives to the
// right words, with these constants.
func (t *table) loss(constants rate.Tuning) float64 {
	sum := 0.0
	for _, s := range t.scores {
		right := 0.0
		for f, p := range constants.Probabilities(s.ours) {
			if s.truth.exact(rate.Freq(f)) {
				right += p
			}
		}
		sum -= math.Log(max(leastChance, right))
	}
	return sum / float64(max(1, len(t.scores)))
}
