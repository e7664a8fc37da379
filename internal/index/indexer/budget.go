package indexer

import (
	"time"

	"github.com/servemap/servemap/internal/decide/quota"
)

// Parsing a whole page is the one expensive step of the worker. It is paid from a budget
// that refills at budgetShare of one core and holds at most budgetSaved of work. So a new
// site is learned at once, and a busy one costs little. budgetReserved is kept for pages
// that something on the site vouches for: requests for made-up addresses must not use up
// the budget that new pages need. Networks share both parts. Each budgetHalf, a network is
// forgiven half of what was spent for it.
const (
	budgetShare    = 0.05
	budgetSaved    = 30 * time.Second
	budgetReserved = budgetSaved / 2
	budgetHalf     = 2 * time.Minute
)

// budget is CPU time to be spent. It belongs to one goroutine.
type budget struct {
	left  time.Duration
	begun time.Time
	last  time.Time
	held  quota.Fading // what was spent for each network
}

func newBudget(now time.Time) *budget {
	return &budget{left: budgetSaved, begun: now, last: now, held: quota.Fading{Half: budgetHalf}}
}

// allows reports whether a page may be parsed now that a network got. vouched says that
// something on the site vouches for it.
func (b *budget) allows(now time.Time, vouched bool, by quota.Payer) bool {
	if passed := now.Sub(b.last); passed > 0 {
		b.left = min(budgetSaved, b.left+time.Duration(float64(passed)*budgetShare))
		b.last = now
		b.held.Forgive(now.Sub(b.begun))
	}
	free := b.left
	if !vouched {
		free -= budgetReserved
	}
	return b.held.May(by, int64(free))
}

// spend pays for work for a network. It may leave a debt.
func (b *budget) spend(d time.Duration, by quota.Payer) {
	b.left -= d
	b.held.Add(by, int64(d))
}
