package ledger

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/pagerecord"
)

// waitingKept is the default bound of the locations that are known and not
// listed. When it is passed, as many go that a quarter of it is free again.
const waitingKept = 250_000

// evictAgain is how long after an eviction that did not make enough room the next one
// comes: what is left may never go.
const evictAgain = time.Minute

func (l *Ledger) evictDue(now time.Time) time.Time {
	if l.waiting.Load() <= int64(l.cfg.MaxWaiting) {
		return time.Time{}
	}
	return l.evicted.Add(evictAgain)
}

// evict drops waiting locations when there are too many: first those that only
// somebody's visit made known, the longest unseen ones first, then those that
// a page links to. Those that Forget has barred stay.
func (l *Ledger) evict(ctx context.Context, _ bool) error {
	l.evicted = time.Time{}
	defer func() {
		if l.waiting.Load() > int64(l.cfg.MaxWaiting) {
			l.evicted = time.Now()
		}
	}()
	// Only the ranks are held at once, not the keys: there may be many.
	var ranks []uint64
	for r, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Waits(), "") {
		if err != nil {
			return err
		}
		rank, _ := pagerecord.Rank(r.Value)
		ranks = append(ranks, rank)
	}
	excess := len(ranks) - l.cfg.MaxWaiting*3/4
	if excess <= 0 {
		l.waiting.Store(int64(len(ranks)))
		return nil
	}
	slices.Sort(ranks)
	return l.evictUpTo(ctx, ranks[excess-1], excess)
}

// evictUpTo drops the waiting locations up to a rank, but no more than excess.
func (l *Ledger) evictUpTo(ctx context.Context, most uint64, excess int) error {
	after := ""
	for excess > 0 {
		var keys []string
		for r, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Waits(), after) {
			if err != nil {
				return err
			}
			after = strings.Clone(r.Key)
			if n, keep := pagerecord.Rank(r.Value); n <= most && !keep {
				if keys = append(keys, after); len(keys) == min(batch, excess) {
					break
				}
			}
		}
		if len(keys) == 0 {
			return nil
		}
		if err := l.drop(ctx, keys); err != nil {
			return err
		}
		excess -= len(keys)
	}
	return nil
}
