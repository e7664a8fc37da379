package indexer

import (
	"context"
	"time"
)

// pruneAfter is how many events are written to the changelog between two prunings.
const pruneAfter = 25_000

// pruning keeps the changelog small.
type pruning struct {
	*Indexer
	whenDue
	events int // written since the last pruning
}

func (p *pruning) due(now time.Time) time.Time { return nowIf(p.events >= pruneAfter, now) }

// run drops events that are too old or too many.
func (p *pruning) run(ctx context.Context, _ bool) error {
	if err := p.site.Journal.Prune(ctx, p.cfg.Store, time.Now()); err != nil {
		return err
	}
	p.events = 0
	return nil
}
