package tally

import (
	"strings"
	"sync"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
)

// numbers are the numbers of locations by verdict and reason, and of those that are not public.
type numbers struct {
	pages   [eligibility.Gone + 1][eligibility.Reasons]int
	waiting int
}

// counter counts the locations by verdict and reason. Now and then a pass over all records, in the
// order of their keys, counts them again. Verdicts change meanwhile. If a record that the pass has
// counted changes, the pass's counts change too.
type counter struct {
	waits  string // the beginning of the keys of locations that are not public
	mu     sync.Mutex
	now    numbers
	next   numbers
	passed string // the last key that the pass counted, "" between two passes
	whole  bool   // a pass has ended, so all are counted
}

// add counts the record with a key by its verdict.
func (t *counter) add(c *numbers, key string, s eligibility.Standing, by int) {
	if s.Verdict == eligibility.Unknown || int(s.Verdict) >= len(c.pages) || int(s.Reason) >= eligibility.Reasons {
		return
	}
	if c.pages[s.Verdict][s.Reason] += by; strings.HasPrefix(key, t.waits) {
		c.waiting += by
	}
}

// moved notes changes of verdicts.
func (t *counter) moved(moves []merge.Move) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range moves {
		t.add(&t.now, m.Key, m.From, -1)
		t.add(&t.now, m.Key, m.To, 1)
		if m.Key <= t.passed {
			t.add(&t.next, m.Key, m.From, -1)
			t.add(&t.next, m.Key, m.To, 1)
		}
	}
}

// BeginPass begins a pass over all records.
func (t *counter) BeginPass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next, t.passed = numbers{}, ""
}

// Counted is a record that the pass has counted.
type Counted struct {
	Key string
	eligibility.Standing
}

// CountTo counts the next records of the pass, which are all up to a key.
func (t *counter) CountTo(key string, some []Counted) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, record := range some {
		t.add(&t.next, record.Key, record.Standing, 1)
	}
	t.passed = key
}

// Count is the number of locations with one verdict and reason.
type Count struct {
	Verdict eligibility.Verdict
	Reason  eligibility.Reason
	Pages   int
}

// Counts returns the counts that are not zero.
func (t *counter) Counts() []Count {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Count
	for v := range t.now.pages {
		for r, n := range t.now.pages[v] {
			if n > 0 {
				all = append(all, Count{eligibility.Verdict(v), eligibility.Reason(r), n})
			}
		}
	}
	return all
}

// Listed returns how many pages are listed.
func (t *counter) Listed() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, pages := range t.now.pages[eligibility.Listed] {
		n += pages
	}
	return n
}

// Waiting returns how many locations are known and not public.
func (t *counter) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now.waiting
}

// SetWaiting corrects that number, since other processes add and drop locations too.
func (t *counter) SetWaiting(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.waiting = n
}

// outcome says what became of the known locations.
type outcome struct {
	seen     int // anonymous visitors got them, and the owner does not forbid them
	listed   int
	unseen   int                // linked, but nobody got them
	withheld int                // the site says that they are for one visitor
	most     eligibility.Reason // why most of the seen, unlisted ones are not listed
}

// outcome returns zero until all are counted.
func (t *counter) outcome() (o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.whole {
		return o
	}
	reasons := map[eligibility.Reason]int{}
	for v := range t.now.pages {
		for r, n := range t.now.pages[v] {
			verdict, reason := eligibility.Verdict(v), eligibility.Reason(r)
			switch {
			case n <= 0, verdict == eligibility.Gone, reason.Owners():
			case reason.Unvisited(), reason == eligibility.NoPage:
				o.unseen += n
			case verdict == eligibility.Listed:
				o.seen, o.listed = o.seen+n, o.listed+n
			default:
				if reason == eligibility.Private || reason == eligibility.NoStore {
					o.withheld += n
				}
				o.seen += n
				if reasons[reason] += n; o.most == eligibility.None || reasons[reason] > reasons[o.most] {
					o.most = reason
				}
			}
		}
	}
	return o
}
