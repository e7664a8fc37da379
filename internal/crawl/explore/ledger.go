package explore

import (
	"strings"
	"sync"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/html"
)

// Ledger says how far to follow a site that may make up addresses for ever, as a calendar does. Each shape of
// address has a budget. A page that shows something new leads on for nothing, and earns for its shape. One that shows
// nothing new costs its shape something if it leads on, and leads nowhere once the budget is spent. So what repeats
// itself ends, and a list without a text of its own is still read to its end.
//
// It also keeps what the site answers to made-up addresses, one for each shape; see lookBeside.
//
// It makes no requests and has no clock. It remembers no more than a few numbers for each request. It is safe for
// concurrent use.
type Ledger struct {
	most    int                // texts and names to remember; then it begins anew
	folders map[string]bool    // that shapes name
	texts   map[uint64]bool    // hashes of the texts and names
	spent   map[string]float64 // by shape

	mu    sync.Mutex      // guards the above: a look may be made while the site is explored
	waits map[string]bool // locations that a look is wanted at

	besides sync.Mutex         // guards the next two, also while they are found out
	beside  map[string]*beside // by what nowhere.Beside returns
	entry   *html.Facts        // of the first page, where visitors enter
}

const (
	shapeBudget = 20.0 // of a shape
	queryBudget = 3.0  // of an unlikely shape: most parameters sort, filter or track, and most files are not HTML
	smallCost   = .1   // of a page that leads only to other shapes, and of an old number or date that leads nowhere
	mostSeen    = 50   // texts and names to remember for each request that may be made
)

// NewLedger returns the ledger of an exploration that makes at most most requests, and of the revisits after it.
func NewLedger(most int) *Ledger {
	return &Ledger{most: mostSeen * max(most, mostLinks), folders: map[string]bool{}, texts: map[uint64]bool{},
		spent: map[string]float64{}, beside: map[string]*beside{}, waits: map[string]bool{}}
}

// isSpent reports whether the budget of a shape is spent.
func (l *Ledger) isSpent(shape string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.HasPrefix(shape, "?") {
		return l.spent[shape] >= queryBudget
	}
	return l.spent[shape] >= shapeBudget
}

// earn notes that a page of a shape showed something new.
func (l *Ledger) earn(shape string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent[shape] = max(0, l.spent[shape]-1)
}

// mostWaits is how many locations may wait for their first look.
const mostWaits = 4096

// worth reports whether a location is worth its first look, and notes that this is wanted.
func (l *Ledger) worth(loc string) bool {
	if l.isSpent(l.shape(loc, eligibility.AssetName(loc))) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waits) >= mostWaits {
		clear(l.waits)
	}
	l.waits[strings.Clone(loc)] = true
	return true
}

// waited reports whether a look at a location is the first one.
func (l *Ledger) waited(loc string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.waits[loc]
	delete(l.waits, loc)
	return was
}

// spend notes that a page showed nothing new and led to some locations. That costs less if many of them have a new
// name, as in a list of products, and little if all have another shape.
func (l *Ledger) spend(it *item, led []*item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	alike, news := 0, 0
	for _, to := range led {
		if to.Shape == it.Shape {
			alike++
		}
		if !to.Old {
			news++
		}
	}
	switch {
	case alike > 0:
		l.spent[it.Shape] += 1 / float64(1+news)
	case it.Unlikely && len(led) == 0:
		l.spent[it.Shape]++
	case len(led) > 0, it.Old && strings.HasSuffix(it.Shape, "#"):
		l.spent[it.Shape] += smallCost
	}
}
