package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/eval/kit"
)

// A truth says what is right for a page: any word from lo to hi.
type truth struct{ lo, hi rate.Freq }

func (t truth) exact(f rate.Freq) bool { return t.lo <= f && f <= t.hi }

// A score is about one page.
type score struct {
	labels [len(names)]label
	truth  truth
}

// A table has the scores of a run.
type table struct {
	name   string
	visits int
	scores []score
}

// merge adds the scores of another table.
func (t *table) merge(other *table) {
	t.visits += other.visits
	t.scores = append(t.scores, other.scores...)
}

// print writes for how many pages each estimator has the right word, and how reliable ours is. It writes
// nothing for an empty table.
func (t *table) print(w io.Writer) {
	if len(t.scores) == 0 {
		return
	}
	fmt.Fprintf(w, "# %s: %d pages, %d observations\n\n", t.name, len(t.scores), t.visits)
	for i, name := range names {
		exact := 0
		for _, s := range t.scores {
			exact += kit.One(s.truth.exact(s.labels[i].freq))
		}
		fmt.Fprintf(w, "%s: the right word for %.1f %%\n", name, percent(exact, len(t.scores)))
	}
	t.printReliability(w)
}

// printReliability writes how true our probabilities are.
func (t *table) printReliability(w io.Writer) {
	var tenths [10]struct {
		labels, right int
		said          float64 // sum of the probabilities
	}
	published, publishedRight, publishedSaid := 0, 0, 0.0
	for _, s := range t.scores {
		ours := s.labels[oursAt]
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
	fmt.Fprintf(w, "published: %.1f %% of pages, said to be right for %.1f %%, right for %.1f %%\n\n",
		percent(published, len(t.scores)), 100*publishedSaid/max(1, float64(published)), percent(publishedRight, published))
}

func percent(n, of int) float64 { return 100 * kit.Share(n, of) }
