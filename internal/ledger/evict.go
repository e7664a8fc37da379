package ledger

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/merge"
)

// waitingKept is the default bound of the locations that are known and not
// listed. When it is passed, as many go that a quarter of it is free again.
const waitingKept = 250_000

func (l *Ledger) evictDue(now time.Time) time.Time {
	return nowIf(l.waiting.Load() > int64(l.cfg.MaxWaiting), now)
}

// evict drops waiting locations when there are too many: first those that only
// somebody's visit made known, the longest unseen ones first, then those that
// a page links to. Those that Forget has barred stay.
func (l *Ledger) evict(ctx context.Context, _ bool) error {
	// Only the ranks are held at once, not the keys: there may be many.
	var ranks []uint64
	for r, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Waits(), "") {
		if err != nil {
			return err
		}
		rank, _ := merge.Rank(r.Value)
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
			if n, keep := merge.Rank(r.Value); n <= most && !keep {
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
