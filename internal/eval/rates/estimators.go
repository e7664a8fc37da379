package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/rate"
)

// estimators see the same looks. The two of the literature need the number of looks after the first, of changes, and the time in all.
type estimators struct {
	ours          rate.Estimate
	looks         int
	changes       float64
	first, latest int64
}

func (e *estimators) saw(at int64, changed bool) {
	if e.looks == 0 {
		e.first = at
	} else if changed {
		e.changes++
	}
	e.looks++
	e.latest = at
	e.ours = e.ours.Saw(at, changed)
}

// A label is a word and the probability its estimator gives it; 1 where it gives none.
type label struct {
	freq        rate.Freq
	probability float64
}

var names = [...]string{"naive", "cho", "ours"}

func (e *estimators) labels() [len(names)]label {
	n, x, t := float64(e.looks-1), e.changes, float64(e.latest-e.first)
	point := func(perLook float64) label {
		switch {
		case n < 1 || x == 0:
			return label{rate.Never, 1}
		case x == n && n >= 3:
			return label{rate.Always, 1}
		}
		return label{class(t / n / perLook), 1}
	}
	f, p := e.ours.Freq()
	return [...]label{
		point(x / n),
		point(-math.Log((n - x + 0.5) / (n + 0.5))), // Cho and Garcia-Molina 2003, the bias-reduced estimator
		{f, p},
	}
}

// A count is how many pages were named how well.
type count struct{ pages, exact, near, published, publishedExact int }

// A table counts by kind of page and estimator.
type table struct {
	confidence float64
	looks      int
	kinds      []string // in the order of their first page
	counts     map[string]*[len(names)]count
}

const all = "ALL"

func newTable(confidence float64) *table {
	return &table{confidence: confidence, counts: map[string]*[len(names)]count{}}
}

// score counts the labels of one page against the only right word.
func (t *table) score(kind string, labels [len(names)]label, truth rate.Freq) {
	t.scoreAny(kind, labels, truth, truth)
}

// scoreAny counts the labels of one page of which any word from lo to hi is right.
func (t *table) scoreAny(kind string, labels [len(names)]label, lo, hi rate.Freq) {
	for _, k := range []string{all, kind} {
		c := t.counts[k]
		if c == nil {
			c = new([len(names)]count)
			t.counts[k] = c
			t.kinds = append(t.kinds, k)
		}
		for i, l := range labels {
			c[i].add(l, lo, hi, t.confidence)
		}
	}
}

func (c *count) add(l label, lo, hi rate.Freq, confidence float64) {
	exact := lo <= l.freq && l.freq <= hi
	c.pages++
	c.exact += one(exact)
	c.near += one(l.freq != rate.Unknown && lo <= l.freq+1 && l.freq <= hi+1)
	published := l.freq != rate.Unknown && l.probability >= confidence
	c.published += one(published)
	c.publishedExact += one(published && exact)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// print writes the table, and on the last line the share of all pages that our estimator names exactly.
func (t *table) print(w io.Writer) {
	slices.Sort(t.kinds)
	fmt.Fprintf(w, "looks: %d\n", t.looks)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "pages of kind\tn\tnaive\tcho\tours\tours published\texact of these\n")
	for _, k := range t.kinds {
		c := t.counts[k]
		fmt.Fprintf(tw, "%s\t%d", k, c[0].pages)
		for i := range names {
			fmt.Fprintf(tw, "\t%.1f/%.1f", percent(c[i].exact, c[i].pages), percent(c[i].near, c[i].pages))
		}
		o := c[len(names)-1]
		fmt.Fprintf(tw, "\t%.1f\t%.1f\n", percent(o.published, o.pages), percent(o.publishedExact, o.published))
	}
	tw.Flush()
	o := count{}
	if c := t.counts[all]; c != nil {
		o = c[len(names)-1]
	}
	fmt.Fprintf(w, "ours: exact %.2f\n", percent(o.exact, o.pages)/100)
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
