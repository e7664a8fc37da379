package indexer

import "time"

// Parsing a whole page is the one expensive step of the worker. It is paid from a budget
// that refills at budgetShare of one core and holds at most budgetSaved of work. So a new
// site is learned at once, and a busy one costs little. budgetReserved is kept for pages
// that something on the site vouches for: requests for made-up addresses must not use up
// the budget that new pages need.
const (
	budgetShare    = 0.05
	budgetSaved    = 30 * time.Second
	budgetReserved = budgetSaved / 2
)

// budget is CPU time to be spent. It belongs to one goroutine.
type budget struct {
	left time.Duration
	last time.Time
}

func newBudget(now time.Time) budget { return budget{left: budgetSaved, last: now} }

// allows reports whether a page may be parsed now. vouched says that something on the
// site vouches for it.
func (b *budget) allows(now time.Time, vouched bool) bool {
	if passed := now.Sub(b.last); passed > 0 {
		b.left = min(budgetSaved, b.left+time.Duration(float64(passed)*budgetShare))
		b.last = now
	}
	return vouched && b.left > 0 || b.left > budgetReserved
}

// spend pays for work. It may leave a debt.
func (b *budget) spend(d time.Duration) { b.left -= d }
