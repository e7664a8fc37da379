package indexer

import (
	"context"
	"time"
)

// syncing says whether a loss of power could still undo a write.
type syncing struct {
	*Indexer
	unsynced bool
	last     time.Time
}

// syncEvery is the least time between two syncs.
const syncEvery = time.Second

func (s *syncing) due(time.Time) time.Time {
	if !s.unsynced {
		return time.Time{}
	}
	return s.last.Add(syncEvery)
}

// run makes all writes survive a loss of power.
func (s *syncing) run(ctx context.Context, _ bool) error {
	if err := s.cfg.Store.Sync(ctx); err != nil {
		return err
	}
	s.unsynced, s.last = false, time.Now()
	return nil
}
