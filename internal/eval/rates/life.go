package main

import (
	"math/rand/v2"

	"github.com/servemap/servemap/internal/decide/rate"
)

// spans are how long pages are observed before their words are judged.
var spans = [...]float64{day, 7 * day, 30 * day, 180 * day}

// needs is how much of a history it takes to judge after a span, and ahead how much of the rest judges.
func needs(span float64) float64 { return span + max(30*day, span/2) }
func ahead(span float64) float64 { return max(60*day, 2*span) }

// A life is one page as visitors met it: the words of each way at the end of each span.
type life struct {
	judged [len(spans)]bool
	lo, hi [len(spans)]rate.Freq // the words that are right
	words  [len(spans)][len(ways)]rate.Freq
	flips  [len(ways)]int     // other words than before
	months [len(ways)]float64 // with a word
}

// visitors come at random, with a mean gap that differs from page to page.
type visitors struct{ least, most, wrong float64 }

// meet meets pages at a random time of their history. If there are few, each is met up to five times.
func (v visitors) meet(pages []*history, most int, r *rand.Rand) (lives []*life) {
	r.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	for range 5 {
		for _, h := range pages {
			if len(lives) == most {
				return lives
			}
			if l := v.live(h, r); l != nil {
				lives = append(lives, l)
			}
		}
	}
	return lives
}

// live visits a page for the longest span that its history allows, nil if none.
func (v visitors) live(h *history, r *rand.Rand) *life {
	long, longest := float64(h.end-h.changes[0]), 0.0
	for _, s := range spans {
		if needs(s) <= long {
			longest = s
		}
	}
	if longest == 0 {
		return nil
	}
	from := h.changes[0] + int64(r.Float64()*(long-needs(longest)))
	gap := logUniform(r, v.least, v.most)
	l, s, before := &life{}, &seen{}, from
	var words [len(ways)]rate.Freq
	next := 0 // span
	for at := 0.0; next < len(spans) && spans[next] <= longest; at += max(1, r.ExpFloat64()*gap) {
		for next < len(spans) && spans[next] <= min(at, longest) {
			l.judge(next, h, from, words)
			next++
		}
		now := from + int64(at)
		s.saw(now, h.changesIn(before+1, now+1) > 0 || r.Float64() < v.wrong)
		for i, w := range ways {
			if s.observations < 2 {
				continue
			}
			word := fold(w.word(s, words[i]))
			if words[i] != rate.Unknown {
				l.months[i] += float64(now-before) / month
				if word != words[i] {
					l.flips[i]++
				}
			}
			words[i] = word
		}
		before = now
	}
	return l
}

// fold takes always and never for their neighbours: no history has such pages.
func fold(f rate.Freq) rate.Freq {
	if f == rate.Unknown {
		return f
	}
	return min(max(f, rate.Hourly), rate.Yearly)
}

// judge notes the words at the end of a span, and what is right by the changes that come. If there are none, each
// word is right that is at least as slow as that time is long.
func (l *life) judge(span int, h *history, from int64, words [len(ways)]rate.Freq) {
	split := from + int64(spans[span])
	rest := min(float64(h.end-split), ahead(spans[span]))
	lo, hi := class(rest), rate.Yearly
	if n := h.changesIn(split, split+int64(rest)); n > 0 {
		lo = class(rest / float64(n))
		hi = lo
	}
	l.judged[span], l.lo[span], l.hi[span], l.words[span] = true, lo, hi, words
}
