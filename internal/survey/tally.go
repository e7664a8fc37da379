package survey

import (
	"sync"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/merge"
)

// counts is how many locations there are of each verdict and reason.
type counts [admit.Gone + 1][admit.Reasons]int

func (c *counts) add(s merge.Standing, by int) {
	if s.Verdict != admit.Unknown && int(s.Verdict) < len(c) && int(s.Reason) < admit.Reasons {
		c[s.Verdict][s.Reason] += by
	}
}

// tally counts the locations of each verdict and reason. Now and then a pass
// over all records counts them anew, in the order of their keys, while verdicts
// go on changing. A change of a record that it has counted already counts for it too.
type tally struct {
	mu      sync.Mutex
	now     counts
	next    counts
	passing bool
	passed  string // the last key that the pass has counted
	whole   bool   // a pass has ended, so that all are counted
}

// moved notes changes of verdicts.
func (t *tally) moved(moves []merge.Move) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range moves {
		t.now.add(m.From, -1)
		t.now.add(m.To, 1)
		if t.passing && m.Key <= t.passed {
			t.next.add(m.From, -1)
			t.next.add(m.To, 1)
		}
	}
}

// BeginPass begins a pass over all records.
func (t *tally) BeginPass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next, t.passing, t.passed = counts{}, true, ""
}

// Count counts the next record of the pass.
func (t *tally) Count(key string, s merge.Standing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next.add(s, 1)
	t.passed = key
}

// CountedTo notes that the pass has counted all records up to key.
func (t *tally) CountedTo(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passed = key
}

// end ends the pass: what it counted holds.
func (t *tally) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now, t.passing, t.whole = t.next, false, true
}

// Count is how many locations are of one verdict and reason.
type Count struct {
	Verdict admit.Verdict
	Reason  admit.Reason
	Pages   int
}

// Counts returns the counts that are not zero.
func (t *tally) Counts() []Count {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Count
	for v := range t.now {
		for r, n := range t.now[v] {
			if n > 0 {
				all = append(all, Count{admit.Verdict(v), admit.Reason(r), n})
			}
		}
	}
	return all
}

// Listed returns how many pages are listed.
func (t *tally) Listed() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, pages := range t.now[admit.Listed] {
		n += pages
	}
	return n
}

// outcome is what has become of the locations that are known.
type outcome struct {
	seen   int // got by anonymous visitors, and not kept out by the owner's word
	listed int
	unseen int          // linked, and not got
	most   admit.Reason // why most of those are not listed that were seen
}

// outcome returns nothing before all are counted.
func (t *tally) outcome() (o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.whole {
		return o
	}
	reasons := map[admit.Reason]int{}
	for v := range t.now {
		for r, n := range t.now[v] {
			verdict, reason := admit.Verdict(v), admit.Reason(r)
			switch {
			case n <= 0, verdict == admit.Gone, reason == admit.RuleNever, reason == admit.Forgotten:
			case reason == admit.NotSeen:
				o.unseen += n
			case verdict == admit.Listed:
				o.seen, o.listed = o.seen+n, o.listed+n
			default:
				o.seen += n
				if reasons[reason] += n; o.most == admit.None || reasons[reason] > reasons[o.most] {
					o.most = reason
				}
			}
		}
	}
	return o
}
