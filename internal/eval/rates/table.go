package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/eval/kit"
)

// A truth says what is right for a page: any word from lo to hi. mean is the time between
// its changes in seconds, 0 if there are none or the time is not steady. sure says whether
// enough changes are expected to score the rate.
type truth struct {
	lo, hi rate.Freq
	mean   float64
	sure   bool
}

func (t truth) exact(f rate.Freq) bool { return t.lo <= f && f <= t.hi }
func (t truth) near(f rate.Freq) bool  { return f != rate.Unknown && t.lo <= f+1 && f <= t.hi+1 }

// A score is about one page: its kind, the labels and the truth.
type score struct {
	kind   string
	labels [len(names)]label
	truth  truth
}

// A table has the scores of a run.
type table struct {
	name   string
	visits int
	kinds  []string // in the order of their first page
	scores []score
}

func newTable(name string) *table { return &table{name: name} }

// merge adds the scores of another table.
func (t *table) merge(other *table) {
	t.visits += other.visits
	t.kinds = append(t.kinds, other.name)
	for _, s := range other.scores {
		s.kind = other.name
		t.scores = append(t.scores, s)
	}
}

// print writes how well the estimators name the pages, together, by the right word and by
// kind, and how reliable ours is. It writes nothing for an empty table.
func (t *table) print(w io.Writer) {
	if len(t.scores) == 0 {
		return
	}
	fmt.Fprintf(w, "# %s: %d pages, %d observations\n\n", t.name, len(t.scores), t.visits)
	fmt.Fprintln(w, "percent exact/within one class/error of the logarithm of the time between changes")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "pages\tnumber\t%s\t%s\t%s\t%s\n", names[0], names[1], names[2], names[3])
	t.row(tw, "all", func(score) bool { return true })
	for f := rate.Always; f <= rate.Never; f++ {
		t.row(tw, "right: "+f.String(), func(s score) bool { return s.truth.lo == f && s.truth.hi == f })
	}
	for _, k := range t.kinds {
		t.row(tw, k, func(s score) bool { return s.kind == k })
	}
	tw.Flush()
	t.printReliability(w)
}

// row writes the figures of some pages, or nothing if there are none.
func (t *table) row(w io.Writer, name string, of func(score) bool) {
	pages, cells := 0, ""
	for i := range names {
		exact, near, rated, squares := 0, 0, 0, 0.0
		pages = 0
		for _, s := range t.scores {
			if !of(s) {
				continue
			}
			pages++
			l := s.labels[i]
			exact += kit.One(s.truth.exact(l.freq))
			near += kit.One(s.truth.near(l.freq))
			if s.truth.sure && l.mean > 0 {
				rated++
				d := math.Log(l.mean / s.truth.mean)
				squares += d * d
			}
		}
		cells += fmt.Sprintf("\t%.1f/%.1f", percent(exact, pages), percent(near, pages))
		if rated > 0 {
			cells += fmt.Sprintf("/%.2f", math.Sqrt(squares/float64(rated)))
		}
	}
	if pages > 0 {
		fmt.Fprintf(w, "%s\t%d%s\n", name, pages, cells)
	}
}

// printReliability writes how true our probabilities are.
func (t *table) printReliability(w io.Writer) {
	var tenths [10]struct {
		labels, right int
		said          float64 // sum of the probabilities
	}
	published, publishedRight, ranged, within := 0, 0, 0, 0
	publishedSaid := 0.0
	for _, s := range t.scores {
		ours := s.labels[oursAt]
		if s.truth.mean > 0 && ours.mean > 0 {
			ranged++
			within += kit.One(ours.least <= s.truth.mean && s.truth.mean <= ours.most)
		}
		if ours.freq == rate.Unknown {
			continue
		}
		right := kit.One(s.truth.exact(ours.freq))
		x := &tenths[min(9, int(ours.probability*10))]
		x.labels++
		x.right += right
		x.said += ours.probability
		if ours.published {
			published++
			publishedSaid += ours.probability
			publishedRight += right
		}
	}
	fmt.Fprintln(w, "\nof labels of about the probability said, the share that is right, and their distance in standard errors")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "said\tright\tlabels\tdistance\t")
	for _, x := range tenths {
		if n := float64(x.labels); n > 0 {
			said, right := x.said/n, float64(x.right)/n
			fmt.Fprintf(tw, "%.3f\t%.3f\t%d\t%+.1f\t\n", said, right, x.labels, (right-said)/math.Sqrt(said*(1-said)/n))
		}
	}
	tw.Flush()
	fmt.Fprintf(w, "published: %.1f %% of pages, said to be right for %.1f %%, right for %.1f %%\n",
		percent(published, len(t.scores)), 100*publishedSaid/max(1, float64(published)), percent(publishedRight, published))
	fmt.Fprintf(w, "range of the time between changes: right for %.1f %% of %d steady pages, said to be for 80 %%\n\n", percent(within, ranged), ranged)
}

func percent(n, of int) float64 { return 100 * kit.Share(n, of) }
