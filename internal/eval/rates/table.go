package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/rate"
)

// A truth is what is right for a page: any word from lo to hi. mean is the time between its changes in seconds, 0 where it has none or is not
// steady, perChange the number of looks in that time, and sure tells whether enough changes are expected to ask for the rate.
type truth struct {
	lo, hi          rate.Freq
	mean, perChange float64
	sure            bool
}

func (t truth) exact(f rate.Freq) bool { return t.lo <= f && f <= t.hi }
func (t truth) near(f rate.Freq) bool  { return f != rate.Unknown && t.lo <= f+1 && f <= t.hi+1 }

// A count is how many pages were named how well.
type count struct {
	pages, exact, near int
	rated              int
	squares            float64 // of the errors of the logarithm of the time between changes
}

func (c *count) add(l label, t truth) {
	c.pages++
	c.exact += one(t.exact(l.freq))
	c.near += one(t.near(l.freq))
	if t.sure && l.mean > 0 {
		c.rated++
		d := math.Log(l.mean / t.mean)
		c.squares += d * d
	}
}

func (c *count) rmse() float64 { return math.Sqrt(c.squares / float64(max(c.rated, 1))) }

func (c *count) String() string {
	if c.pages == 0 {
		return "-"
	}
	s := fmt.Sprintf("%.1f/%.1f", percent(c.exact, c.pages), percent(c.near, c.pages))
	if c.rated > 0 {
		s += fmt.Sprintf("/%.2f", c.rmse())
	}
	return s
}

// A column counts for some pages. Against every other estimator, it counts the pages that one of the two names rightly and the other does not:
// exactly, and within one class.
type column struct {
	counts      [len(names)]count
	lost, taken [2][len(names)]int
}

func (c *column) add(labels [len(names)]label, t truth) {
	o := labels[oursAt].freq
	for i, l := range labels {
		c.counts[i].add(l, t)
		for k, right := range [2]func(rate.Freq) bool{t.exact, t.near} {
			c.lost[k][i] += one(right(l.freq) && !right(o))
			c.taken[k][i] += one(right(o) && !right(l.freq))
		}
	}
}

// behind returns by how many standard errors of the difference the best of the others is ahead of ours, exactly and within one class. It is
// below 0 where ours is ahead.
func (c *column) behind() (worst [2]float64) {
	for k := range worst {
		worst[k] = math.Inf(-1)
		for i := range oursAt {
			lost, taken, n := float64(c.lost[k][i]), float64(c.taken[k][i]), float64(max(c.counts[i].pages, 1))
			d := lost - taken
			worst[k] = max(worst[k], d/math.Sqrt(max(lost+taken-d*d/n, 1)))
		}
	}
	return worst
}

const all = "all"

// perChange are the columns by looks per change, of steady pages.
var perChange = [...]struct {
	name  string
	below float64
}{{"<0.1", 0.1}, {"0.1-1", 1}, {"1-10", 10}, {"10-100", 100}, {">100", math.Inf(1)}}

// A table counts by looks per change, by the right word and by kind of page.
type table struct {
	confidence                float64
	looks                     int
	all                       column
	byLooks                   [len(perChange)]column
	byWord                    [rate.Never + 1]column // pages of which only one word is right
	kinds                     []string               // in the order of their first page
	byKind                    map[string]*column
	published, publishedExact int
	ranged, within            int // steady pages given a range of the mean, and those whose mean lies in it
	tenths                    tenths
	tradeoff                  tradeoff
}

func newTable(confidence float64) *table {
	return &table{confidence: confidence, byKind: map[string]*column{}}
}

// score counts the labels of one page.
func (t *table) score(kind string, labels [len(names)]label, right truth) {
	c := t.byKind[kind]
	if c == nil {
		c = new(column)
		t.byKind[kind] = c
		t.kinds = append(t.kinds, kind)
	}
	c.add(labels, right)
	t.all.add(labels, right)
	if right.lo == right.hi {
		t.byWord[right.lo].add(labels, right)
	}
	if right.mean > 0 {
		i := 0
		for right.perChange >= perChange[i].below {
			i++
		}
		t.byLooks[i].add(labels, right)
	}
	o := labels[oursAt]
	t.tradeoff.add(o, right)
	if right.mean > 0 && o.mean > 0 {
		t.ranged++
		t.within += one(o.least <= right.mean && right.mean <= o.most)
	}
	if o.freq == rate.Unknown {
		return
	}
	t.tenths.add(o, right.exact(o.freq))
	if o.probability >= t.confidence {
		t.published++
		t.publishedExact += one(right.exact(o.freq))
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// A group is columns with a heading each.
type group struct {
	heads   []string
	columns []*column
}

func (g *group) add(head string, c *column) {
	if c.counts[0].pages > 0 {
		g.heads, g.columns = append(g.heads, head), append(g.columns, c)
	}
}

// groups are all pages by looks per change, by the right word, and by kind.
func (t *table) groups() (byLooks, byWord, byKind group) {
	byLooks.add(all, &t.all)
	for i := range perChange {
		byLooks.add(perChange[i].name, &t.byLooks[i])
	}
	for f := rate.Always; f <= rate.Never; f++ {
		byWord.add(f.String(), &t.byWord[f])
	}
	slices.Sort(t.kinds)
	for _, k := range t.kinds {
		byKind.add(k, t.byKind[k])
	}
	return byLooks, byWord, byKind
}

// print writes the table, and on the last line how well our estimator names all pages.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "pages: %d, looks: %d\n", t.all.counts[0].pages, t.looks)
	byLooks, byWord, byKind := t.groups()
	fmt.Fprintln(w, "\nexact/within one class/error of the logarithm, by visits per change of steady pages:")
	byLooks.print(w)
	fmt.Fprintln(w, "\nthe same by the right word:")
	byWord.print(w)
	fmt.Fprintln(w, "\nthe same by kind of page:")
	byKind.print(w)
	fmt.Fprintln(w, "\nthe best of the others minus ours, in standard errors of the difference, exact/within one class:")
	byLooks.printBehind(w)
	byWord.printBehind(w)
	t.tenths.print(w)
	t.tradeoff.print(w)
	o := &t.all.counts[oursAt]
	fmt.Fprintf(w, "published at %.2f: %.1f %% of pages, %.1f %% of them right\n", t.confidence,
		percent(t.published, o.pages), percent(t.publishedExact, t.published))
	fmt.Fprintf(w, "range of the mean time between changes: right for %.1f %% of %d steady pages, said to be for 80 %%\n\n", percent(t.within, t.ranged), t.ranged)
	fmt.Fprintf(w, "ours: exact %.2f within1 %.2f rmse %.2f\n", percent(o.exact, o.pages)/100, percent(o.near, o.pages)/100, o.rmse())
}

func (g *group) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "estimator")
	for i, h := range g.heads {
		fmt.Fprintf(tw, "\t%s (%d)", h, g.columns[i].counts[0].pages)
	}
	for i, name := range names {
		fmt.Fprintf(tw, "\n%s", name)
		for _, c := range g.columns {
			fmt.Fprintf(tw, "\t%s", c.counts[i].String())
		}
	}
	fmt.Fprintln(tw)
	tw.Flush()
}

// printBehind writes by how many standard errors the best of the others is ahead.
func (g *group) printBehind(w io.Writer) {
	for i, h := range g.heads {
		b := g.columns[i].behind()
		if i > 0 {
			fmt.Fprint(w, ", ")
		}
		fmt.Fprintf(w, "%s %+.1f/%+.1f", h, b[0], b[1])
	}
	fmt.Fprintln(w)
}
