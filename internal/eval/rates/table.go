package main

import (
	"fmt"
	"io"

	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/eval/kit"
)

// A sum counts pages: all, those with a word, and of these the right ones, those that are at most one word off, and
// those that are three off.
type sum struct{ pages, word, right, near, far float64 }

func (s *sum) add(f, lo, hi rate.Freq) {
	s.pages++
	if f == rate.Unknown {
		return
	}
	off := max(int(lo)-int(f), int(f)-int(hi), 0)
	s.word++
	s.right += float64(kit.One(off == 0))
	s.near += float64(kit.One(off <= 1))
	s.far += float64(kit.One(off >= 3))
}

// shares returns the percentages: pages with a word, and of these the others.
func (s sum) shares() [4]float64 {
	of := max(s.word, 1) / 100
	return [4]float64{100 * s.word / max(s.pages, 1), s.right / of, s.near / of, s.far / of}
}

// results are the lives of the pages of each history.
type results [][]*life

func (rs *results) add(lives []*life) {
	if len(lives) > 0 {
		*rs = append(*rs, lives)
	}
}

// print writes what each way says after each span, as the mean of the histories. Then it writes the same by
// what the pages did next, for all pages together.
func (rs results) print(w io.Writer, name string) {
	pages := 0
	for _, lives := range rs {
		pages += len(lives)
	}
	fmt.Fprintf(w, "# %s: %d, with %d pages\n\n%-18s", name, len(rs), pages, "observed for days")
	for _, s := range spans {
		fmt.Fprintf(w, "| %-4.0fword right near far ", s/day)
	}
	fmt.Fprintln(w, "| flips a page and month")
	for i, way := range ways {
		fmt.Fprintf(w, "%-18s", way.name)
		for s := range spans {
			mean, n := [4]float64{}, 0.0
			for _, lives := range rs {
				of := count(lives, i, s, func(lo, hi rate.Freq) bool { return true })
				for k, share := range of.shares() {
					mean[k] += share
				}
				n += float64(kit.One(of.pages > 0))
			}
			n = max(n, 1)
			fmt.Fprintf(w, "| %8.0f %5.1f %4.1f %3.0f ", mean[0]/n, mean[1]/n, mean[2]/n, mean[3]/n)
		}
		fmt.Fprintf(w, "| %.2f\n", rs.flips(i))
	}
	fmt.Fprintf(w, "\n%-18s%-18s", "what it did next", "")
	for _, s := range spans {
		fmt.Fprintf(w, "| %-4.0fpages right near ", s/day)
	}
	fmt.Fprintln(w)
	for next := rate.Hourly; next <= rate.Never; next++ {
		for i, way := range ways {
			fmt.Fprintf(w, "%-18s%-18s", map[bool]string{true: "nothing", false: next.String()}[next == rate.Never], way.name)
			for s := range spans {
				var all []*life
				for _, lives := range rs {
					all = append(all, lives...)
				}
				of := count(all, i, s, func(lo, hi rate.Freq) bool {
					return lo == hi && lo == next ||
						lo != hi && next == rate.Never
				})
				shares := of.shares()
				fmt.Fprintf(w, "| %9.0f %5.0f %4.0f ", of.pages, shares[1], shares[2])
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintln(w)
}

// count counts the judged words of one way after a span, for the pages of which so many words are right.
func count(lives []*life, way, span int, wanted func(lo, hi rate.Freq) bool) (s sum) {
	for _, l := range lives {
		if l.judged[span] && wanted(l.lo[span], l.hi[span]) {
			s.add(l.words[span][way], l.lo[span], l.hi[span])
		}
	}
	return s
}

// flips returns how often the word changes, a page and month, as the mean of the histories.
func (rs results) flips(way int) (mean float64) {
	for _, lives := range rs {
		flips, months := 0, 0.0
		for _, l := range lives {
			flips, months = flips+l.flips[way], months+l.months[way]
		}
		mean += float64(flips) / max(months, 1) / float64(len(rs))
	}
	return mean
}
