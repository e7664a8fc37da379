package quota

import (
	"cmp"
	"sync"
	"time"
)

// Reading a whole page is the one expensive step of a worker. It is paid from a budget
// that refills at budgetShare of one core and holds at most budgetSaved of work. So a new
// site is learned at once, and a busy one costs little. budgetReserved is kept for pages
// that something on the site vouches for: requests for made-up addresses must not use up
// the budget that new pages need. The sites of a process share one budget, and the networks of a site what
// that may spend. Each budgetHalf, both are forgiven half of what was spent for them.
const (
	budgetShare    = 0.05
	budgetSaved    = 30 * time.Second
	budgetReserved = budgetSaved / 2
	budgetHalf     = 2 * time.Minute
)

// Budget is CPU time to be spent by all sites of a process. It is safe for concurrent use.
type Budget struct {
	mu   sync.Mutex
	left time.Duration
	last time.Time
}

// NewBudget returns a full budget.
func NewBudget(now time.Time) *Budget { return &Budget{left: budgetSaved, last: now} }

// free returns how much may be spent now.
func (b *Budget) free(now time.Time, vouched bool) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if passed := now.Sub(b.last); passed > 0 {
		b.left = min(budgetSaved, b.left+time.Duration(float64(passed)*budgetShare))
		b.last = now
	}
	if !vouched {
		return int64(b.left - budgetReserved)
	}
	return int64(b.left)
}

// spend pays for work. It may leave a debt.
func (b *Budget) spend(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= d
}

// Part is what one site has of a Budget. It belongs to one goroutine.
type Part struct {
	of    *Budget
	alone bool // no other site has a part of it
	begun time.Time
	held  Fading // what was spent for each network, and for the site
}

// NewPart returns a part, of a Budget for the site alone if of is nil.
func NewPart(of *Budget, now time.Time) *Part {
	return &Part{of: cmp.Or(of, NewBudget(now)), alone: of == nil, begun: now, held: Fading{Half: budgetHalf}}
}

// Allows reports whether a page may be parsed now that a network got. vouched says that
// something on the site vouches for it.
func (b *Part) Allows(now time.Time, vouched bool, by Payer) bool {
	free := b.of.free(now, vouched)
	b.held.Forgive(now.Sub(b.begun))
	return b.held.May(by, free) && (b.alone || b.held.May(All, free))
}

// Pay pays for work for a network.
func (b *Part) Pay(d time.Duration, by Payer) {
	b.of.spend(d)
	b.held.Add(by, int64(d))
	b.held.Add(All, int64(d))
}
