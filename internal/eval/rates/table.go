package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/rate"
)

// A truth is what is right for a page: any word from lo to hi. mean is the time between its changes in seconds, 0 if it
// has none or is not steady. perChange is the number of looks in that time. sure says whether enough changes are
// expected to score the rate.
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
	c.exact += kit.One(t.exact(l.freq))
	c.near += kit.One(t.near(l.freq))
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

// A column counts for some pages, by estimator.
type column [len(names)]count

func (c *column) add(labels [len(names)]label, t truth) {
	for i, l := range labels {
		c[i].add(l, t)
	}
}

const all = "all"

// perChange are the columns by looks per change, of steady pages.
var perChange = [...]struct {
	name  string
	below float64
}{{"<0.1", 0.1}, {"0.1-1", 1}, {"1-10", 10}, {"10-100", 100}, {">100", math.Inf(1)}}

// A table counts by looks per change, by the right word and by kind of page.
type table struct {
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

func newTable() *table { return &table{byKind: map[string]*column{}} }

// confidence is the least probability at which a site publishes a word, by default.
const confidence = 0.5

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
		t.within += kit.One(o.least <= right.mean && right.mean <= o.most)
	}
	if o.freq == rate.Unknown {
		return
	}
	t.tenths.add(o, right.exact(o.freq))
	if o.probability >= confidence {
		t.published++
		t.publishedExact += kit.One(right.exact(o.freq))
	}
}

func percent(n, of int) float64 { return 100 * kit.Share(n, of) }

// A group is columns with a heading each.
type group struct {
	heads   []string
	columns []*column
}

func (g *group) add(head string, c *column) {
	if c[0].pages > 0 {
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
	fmt.Fprintf(w, "pages: %d, looks: %d\n", t.all[0].pages, t.looks)
	byLooks, byWord, byKind := t.groups()
	fmt.Fprintln(w, "\nexact/within one class/error of the logarithm, by visits per change of steady pages:")
	byLooks.print(w)
	fmt.Fprintln(w, "\nthe same by the right word:")
	byWord.print(w)
	fmt.Fprintln(w, "\nthe same by kind of page:")
	byKind.print(w)
	t.tenths.print(w)
	t.tradeoff.print(w)
	o := &t.all[oursAt]
	fmt.Fprintf(w, "published at %.2f: %.1f %% of pages, %.1f %% of them right\n", confidence,
		percent(t.published, o.pages), percent(t.publishedExact, t.published))
	fmt.Fprintf(w, "range of the mean time between changes: right for %.1f %% of %d steady pages, said to be for 80 %%\n\n", percent(t.within, t.ranged), t.ranged)
	fmt.Fprintf(w, "ours: exact %.2f within1 %.2f rmse %.2f\n", kit.Share(o.exact, o.pages), kit.Share(o.near, o.pages), o.rmse())
}

func (g *group) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "estimator")
	for i, h := range g.heads {
		fmt.Fprintf(tw, "\t%s (%d)", h, g.columns[i][0].pages)
	}
	for i, name := range names {
		fmt.Fprintf(tw, "\n%s", name)
		for _, c := range g.columns {
			fmt.Fprintf(tw, "\t%s", c[i].String())
		}
	}
	fmt.Fprintln(tw)
	tw.Flush()
}
