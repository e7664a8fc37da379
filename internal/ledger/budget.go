package ledger

import "time"

// A parse of a whole page is the one thing here that costs. It is paid from a
// budget that fills at budgetShare of one core and holds budgetSaved of work,
// so that a new site is learned at once and a busy one costs little.
// budgetReserved of it is kept for pages that something on the site vouches for:
// whoever asks for made-up addresses must not use up what new pages need.
const (
	budgetShare    = 0.05
	budgetSaved    = 30 * time.Second
	budgetReserved = budgetSaved / 2
)

// budget is time of a core to be spent. It belongs to one goroutine.
type budget struct {
	left time.Duration
	last time.Time
}

func newBudget(now time.Time) budget { return budget{left: budgetSaved, last: now} }

// allows reports whether anything is left at now for a page. vouched says that
// something on the site vouches for it.
func (b *budget) allows(now time.Time, vouched bool) bool {
	if passed := now.Sub(b.last); passed > 0 {
		b.left = min(budgetSaved, b.left+time.Duration(float64(passed)*budgetShare))
		b.last = now
	}
	return vouched && b.left > 0 || b.left > budgetReserved
}

// spend pays for work that was done. It may leave a debt.
func (b *budget) spend(d time.Duration) { b.left -= d }
