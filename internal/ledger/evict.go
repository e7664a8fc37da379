package ledger

import (
	"context"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/admit"
)

// waitingKept is the default bound of the locations that are known and not
// listed. When it is passed, as many go that a quarter of it is free again.
const waitingKept = 250_000

// evict drops waiting locations when there are too many: first those that only
// somebody's visit made known, the longest unseen ones first, then those that
// a page links to. What the owner had forgotten stays.
func (l *Ledger) evict(ctx context.Context) error {
	if l.waiting.Load() <= int64(l.cfg.MaxWaiting) {
		return nil
	}
	// Only the ranks are held at once, not the keys: there may be many.
	var ranks []uint64
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.Waits(), "") {
		if err != nil {
			return err
		}
		ranks = append(ranks, rank(r.Value))
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
		for r, err := range l.cfg.Store.Scan(ctx, l.keys.Waits(), after) {
			if err != nil {
				return err
			}
			after = strings.Clone(r.Key)
			if n := rank(r.Value); n <= most && n>>rankShift < worthForever {
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

// rankShift is where the worth stands in a rank, above the time of the last
// sighting, or link, in milliseconds.
const rankShift = 56

// rank returns where a waiting record stands in the order in which they go. One
// that cannot be read goes first.
func rank(value []byte) uint64 {
	s, err := decodeState(value)
	switch {
	case err != nil:
		return 0
	}
	return uint64(s.worth())<<rankShift | uint64(max(0, s.lastSeen, s.linkAt*1000))
}

// worthForever is the worth of a state that is never dropped.
const worthForever = 4

// worth ranks a waiting state by what would be lost with it.
func (s *state) worth() uint8 {
	switch {
	case s.barred:
		return worthForever
	case s.link && s.witnessed:
		return 3
	case s.link:
		return 2
	case s.witnessed && s.content == admit.None && len(s.networks) > 1:
		return 1
	}
	return 0
}
