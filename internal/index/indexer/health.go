package indexer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// health says what is wrong with the store. It may be read concurrently.
type health struct {
	mu      sync.Mutex
	problem error // why the store cannot be used, nil if it can
	damaged atomic.Uint64
}

// note records an error of the store for Stats, and logs each cause once.
func (x *Indexer) note(ctx context.Context, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	x.health.mu.Lock()
	before := x.health.problem
	x.health.problem = err
	x.health.mu.Unlock()
	if err != nil {
		x.cfg.Files.StoreFailed()
	}
	switch {
	case errors.Is(err, store.ErrUnavailable):
		// The store tells of its troubles itself.
	case err != nil && (before == nil || before.Error() != err.Error()):
		x.cfg.Logger.Warn("servemap: the store cannot be used; the site goes on, the last sitemap stays, and what was seen "+
			"is stored once the store works", "err", err)
	case err == nil && before != nil:
		x.cfg.Files.ChangedAll()
	}
}

// trouble returns why the store cannot be used: its last error, or that it does not
// answer. It returns nil if the store works.
func (x *Indexer) trouble() error {
	x.health.mu.Lock()
	defer x.health.mu.Unlock()
	if g, ok := x.sights.Store.(*txn.Guarded); ok && x.health.problem == nil {
		return g.Stalled()
	}
	return x.health.problem
}

// skipped counts records that could not be read, and logs the first ones.
func (x *Indexer) skipped(n int) {
	if n > 0 && x.health.damaged.Add(uint64(n)) == uint64(n) {
		x.cfg.Logger.Warn("servemap: a record in the store is damaged and was skipped; its page is learned anew", "count", n)
	}
}
