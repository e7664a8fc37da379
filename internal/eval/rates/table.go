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

// tenths count our labels by their probability.
type tenths [10]struct {
	labels, right int
	sum           float64 // of the probabilities
}

func (t *tenths) add(l label, right bool) {
	x := &t[min(9, int(l.probability*10))]
	x.labels++
	x.right += one(right)
	x.sum += l.probability
}

// A table counts by looks per change and by kind of page.
type table struct {
	confidence                float64
	looks                     int
	all                       column
	byLooks                   [len(perChange)]column
	kinds                     []string // in the order of their first page
	byKind                    map[string]*column
	published, publishedExact int
	tenths                    tenths
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
	if right.mean > 0 {
		i := 0
		for right.perChange >= perChange[i].below {
			i++
		}
		t.byLooks[i].add(labels, right)
	}
	o := labels[oursAt]
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

// print writes the table, and on the last line how well our estimator names all pages.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "pages: %d, looks: %d\n", t.all.counts[0].pages, t.looks)
	fmt.Fprintln(w, "\nexact/within one class/error of the logarithm, by visits per change of steady pages:")
	heads, columns := []string{all}, []*column{&t.all}
	for i := range perChange {
		heads, columns = append(heads, perChange[i].name), append(columns, &t.byLooks[i])
	}
	printColumns(w, heads, columns)
	fmt.Fprintln(w, "\nthe same by kind of page:")
	slices.Sort(t.kinds)
	columns = nil
	for _, k := range t.kinds {
		columns = append(columns, t.byKind[k])
	}
	printColumns(w, t.kinds, columns)
	t.printBehind(w)
	t.printTenths(w)
	o := &t.all.counts[oursAt]
	fmt.Fprintf(w, "published at %.2f: %.1f %% of pages, %.1f %% of them right\n\n", t.confidence,
		percent(t.published, o.pages), percent(t.publishedExact, t.published))
	fmt.Fprintf(w, "ours: exact %.2f within1 %.2f rmse %.2f\n", percent(o.exact, o.pages)/100, percent(o.near, o.pages)/100, o.rmse())
}

func printColumns(w io.Writer, heads []string, columns []*column) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "estimator")
	for i, h := range heads {
		fmt.Fprintf(tw, "\t%s (%d)", h, columns[i].counts[0].pages)
	}
	for i, name := range names {
		fmt.Fprintf(tw, "\n%s", name)
		for _, c := range columns {
			fmt.Fprintf(tw, "\t%s", c.counts[i].String())
		}
	}
	fmt.Fprintln(tw)
	tw.Flush()
}

// printBehind writes by how many standard errors the best of the others is ahead, by visits per change.
func (t *table) printBehind(w io.Writer) {
	fmt.Fprint(w, "\nbest of the others minus ours, in standard errors of the difference, exact/within one class: ")
	b := t.all.behind()
	fmt.Fprintf(w, "%s %+.1f/%+.1f", all, b[0], b[1])
	for i := range perChange {
		b := t.byLooks[i].behind()
		fmt.Fprintf(w, ", %s %+.1f/%+.1f", perChange[i].name, b[0], b[1])
	}
	fmt.Fprintln(w)
}

// printTenths writes how reliable our probabilities are.
func (t *table) printTenths(w io.Writer) {
	fmt.Fprintln(w, "\nreliability: of labels of about the probability said, the share that is right, and their distance in standard errors")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "said\tright\tlabels\tdistance\t")
	for _, x := range t.tenths {
		if x.labels == 0 {
			continue
		}
		n := float64(x.labels)
		said, right := x.sum/n, float64(x.right)/n
		fmt.Fprintf(tw, "%.3f\t%.3f\t%d\t%+.1f\t\n", said, right, x.labels, (right-said)/math.Sqrt(said*(1-said)/n))
	}
	tw.Flush()
}
