package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/rate"
)

// tenths count our labels by their probability.
type tenths [10]struct {
	labels, right int
	sum           float64 // of the probabilities
}

func (t *tenths) add(l label, right bool) {
	x := &t[min(9, int(l.probability*10))]
	x.labels++
	x.right += kit.One(right)
	x.sum += l.probability
}

// print writes how reliable our probabilities are.
func (t *tenths) print(w io.Writer) {
	fmt.Fprintln(w, "\nreliability: of labels of about the probability said, the share that is right, and their distance in standard errors")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "said\tright\tlabels\tdistance\t")
	counted, off := 0, 0
	for _, x := range t {
		if x.labels == 0 {
			continue
		}
		n := float64(x.labels)
		said, right := x.sum/n, float64(x.right)/n
		distance := (right - said) / math.Sqrt(said*(1-said)/n)
		fmt.Fprintf(tw, "%.3f\t%.3f\t%d\t%+.1f\t\n", said, right, x.labels, distance)
		counted++
		off += kit.One(math.Abs(distance) > 2)
	}
	tw.Flush()
	fmt.Fprintf(w, "more than two standard errors off: %d of %d tenths; by chance alone it would be %.1f\n", off, counted, beyondTwo*float64(counted))
}

// beyondTwo is how often a normal variable is more than two standard deviations from its mean.
const beyondTwo = 0.0455

// A tradeoff is what other bounds for always would cost: how many of the pages that always change, of the hourly ones
// and of all would be named exactly.
type tradeoff struct {
	pages [rate.Never + 1]int
	exact [len(saidFrom)][rate.Never + 1]int
}

var saidFrom = [...]float64{0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1}

func (c *tradeoff) add(ours label, t truth) {
	if t.lo != t.hi {
		return
	}
	c.pages[t.lo]++
	for i, from := range saidFrom {
		f := ours.other
		if ours.always >= from {
			f = rate.Always
		}
		c.exact[i][t.lo] += kit.One(t.exact(f))
	}
}

func (c *tradeoff) print(w io.Writer) {
	if c.pages[rate.Always] == 0 {
		return
	}
	fmt.Fprintln(w, "\nexact by the right word, if always is said from a probability on:")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "from\talways\thourly\tdaily\tall\t")
	for i, from := range saidFrom {
		n, pages := 0, 0
		for f := range c.pages {
			n, pages = n+c.exact[i][f], pages+c.pages[f]
		}
		share := func(f rate.Freq) float64 { return percent(c.exact[i][f], c.pages[f]) }
		fmt.Fprintf(tw, "%.2f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", from, share(rate.Always), share(rate.Hourly), share(rate.Daily), percent(n, pages))
	}
	tw.Flush()
}
