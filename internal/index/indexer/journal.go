package indexer

import (
	"context"
	"time"
)

// pruneAfter is how many events are written to the journal between two prunings.
const pruneAfter = 25_000

// pruneJournal drops events that are too old or too many.
func (l *Ledger) pruneJournal(ctx context.Context, _ bool) error {
	if err := l.site.Journal.Prune(ctx, l.cfg.Store, time.Now()); err != nil {
		return err
	}
	l.known.events = 0
	return nil
}
