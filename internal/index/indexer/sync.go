package indexer

import (
	"context"
	"time"
)

// syncing says whether a loss of power could still undo a write.
type syncing struct {
	unsynced bool
	urgent   bool // it must not wait
	last     time.Time
}

// syncEvery is the least time between two syncs.
const syncEvery = time.Second

func (l *Ledger) syncDue(now time.Time) time.Time {
	switch {
	case !l.syncing.unsynced:
		return time.Time{}
	case l.syncing.urgent:
		return now
	}
	return l.syncing.last.Add(syncEvery)
}

// sync makes all writes survive a loss of power.
func (l *Ledger) sync(ctx context.Context, _ bool) error {
	if !l.syncing.unsynced {
		return nil
	}
	if err := l.cfg.Store.Sync(ctx); err != nil {
		return err
	}
	l.syncing = syncing{last: time.Now()}
	return nil
}
