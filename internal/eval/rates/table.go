package main

import (
	"fmt"
	"io"

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
	type sum struct {
		labels, right int
		said          float64 // of the probabilities
	}
	var all, published sum
	add := func(to *sum, of label, right int) {
		to.labels, to.right, to.said = to.labels+1, to.right+right, to.said+of.probability
	}
	for _, s := range t.scores {
		ours := s.labels[oursAt]
		if ours.freq == rate.Unknown {
			continue
		}
		right := kit.One(s.truth.exact(ours.freq))
		if add(&all, ours, right); ours.published {
			add(&published, ours, right)
		}
	}
	for i, x := range []sum{all, published} {
		fmt.Fprintf(w, "%s: %.1f %% of pages, said to be right for %.1f %%, right for %.1f %%\n", []string{"all labels", "published"}[i],
			percent(x.labels, len(t.scores)), 100*x.said/max(1, float64(x.labels)), percent(x.right, x.labels))
	}
	fmt.Fprintln(w)
}

func percent(n, of int) float64 { return 100 * kit.Share(n, of) }
