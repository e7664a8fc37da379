package ledger

import (
	"cmp"
	"context"
	"slices"

	"github.com/servemap/servemap/internal/admit"
)

// waitingKept is the default bound of the locations that are known and not
// listed. When it is passed, as many go that a quarter of it is free again.
const waitingKept = 250_000

// candidate is a waiting location that might be dropped. It is kept small: all
// of them are sorted at once.
type candidate struct {
	key      string
	keep     uint8 // what is greater is kept longer
	lastSeen int64
}

// evict drops waiting locations when there are too many: first those that only
// somebody's visit made known, the longest unseen ones first, then those that
// a page links to. What the owner had forgotten stays.
func (l *Ledger) evict(ctx context.Context) error {
	if l.waiting.Load() <= int64(l.cfg.MaxWaiting) {
		return nil
	}
	var all []candidate
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.waits(), "") {
		if err != nil {
			return err
		}
		c := candidate{key: r.Key}
		if s, err := decodeState(r.Value); err == nil {
			c.keep, c.lastSeen = s.worth(), s.lastSeen
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.keep, b.keep), cmp.Compare(a.lastSeen, b.lastSeen))
	})
	drop := all[:max(0, len(all)-l.cfg.MaxWaiting*3/4)]
	for chunk := range slices.Chunk(drop, batch) {
		var keys []string
		for _, c := range chunk {
			if c.keep < worthForever {
				keys = append(keys, c.key)
			}
		}
		if len(keys) == 0 {
			break
		}
		if err := l.drop(ctx, keys); err != nil {
			return err
		}
	}
	return nil
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
