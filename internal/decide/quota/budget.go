// Package quota keeps strangers, and one of several sites, from using up what all share: time and memory. A part is
// kept for what something on the site vouches for. A site of several takes no more than it leaves to the others, so a
// newcomer always finds something.
package quota

import (
	"cmp"
	"sync"
	"time"
)

// Rate says how a [Budget] refills.
type Rate struct {
	PerSecond, Most, Reserved int64         // Reserved is kept for what something on the site vouches for
	Half                      time.Duration // how often a site is forgiven half of what it has spent
}

// Reading a whole page is the one expensive step of a worker. It is paid from a budget
// that refills at 5 % of one core and holds at most 30 seconds of work. So a new
// site is learned at once, and a busy one costs little. Half is kept for pages
// that something on the site vouches for: requests for made-up addresses must not use up
// the budget that new pages need. The sites of a process share one budget.
var Reading = Rate{
	PerSecond: int64(time.Second / 20), Most: int64(30 * time.Second), Reserved: int64(15 * time.Second),
	Half: 2 * time.Minute,
}

// Open returns how many of the bytes may be used by pages that nothing vouches for. That is most of them, since the
// first visits to a new site, of which nothing is known yet, need much. The rest suffices for all others, as they soon
// give their bytes back.
func Open(bytes int64) int64 { return bytes / 5 * 4 }

// Budget is to be spent by all sites of a process. It is safe for concurrent use.
type Budget struct {
	rate Rate
	mu   sync.Mutex
	left float64
	last time.Time
}

// NewBudget returns a full budget.
func NewBudget(rate Rate, now time.Time) *Budget {
	return &Budget{rate: rate, left: float64(rate.Most), last: now}
}

// free returns how much may be spent now.
func (b *Budget) free(now time.Time, vouched bool) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if passed := now.Sub(b.last); passed > 0 {
		b.left = min(float64(b.rate.Most), b.left+passed.Seconds()*float64(b.rate.PerSecond))
		b.last = now
	}
	if !vouched {
		return int64(b.left) - b.rate.Reserved
	}
	return int64(b.left)
}

func (b *Budget) spend(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= float64(n)
}

// Part is what one site has of a Budget. Its methods are not safe for concurrent use.
type Part struct {
	of      *Budget
	alone   bool // no other site has a part of it
	half    time.Duration
	forgave time.Time // when half of what was spent was last forgiven
	spent   int64
}

// NewPart returns a part, of a Budget for the site alone if of is nil.
func NewPart(of *Budget, rate Rate, now time.Time) *Part {
	return &Part{of: cmp.Or(of, NewBudget(rate, now)), alone: of == nil, half: rate.Half, forgave: now}
}

// Allows reports whether something may be spent now. vouched says that something on the site vouches for what
// it is spent for.
func (b *Part) Allows(now time.Time, vouched bool) bool {
	free := b.of.free(now, vouched)
	if times := now.Sub(b.forgave) / b.half; times > 0 {
		b.forgave = b.forgave.Add(times * b.half)
		b.spent >>= min(times, 63)
	}
	return free > 0 && (b.alone || b.spent <= free)
}

// Pay spends n. It may leave a debt.
func (b *Part) Pay(n int64) {
	b.of.spend(n)
	b.spent += n
}
