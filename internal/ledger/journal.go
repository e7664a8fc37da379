package ledger

import (
	"context"
	"time"
)

// openJournal begins the journal if there is none. The journal of a new site begins with
// its first page, that of a site with pages when this process started. An error is ignored:
// nothing else depends on this, and it is tried again later.
func (l *Ledger) openJournal(ctx context.Context) error {
	isNew := true
	for _, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Pages(), "") {
		if err != nil {
			return nil
		}
		isNew = false
		break
	}
	_ = l.site.Journal.Begin(ctx, l.cfg.Store, l.site.Journal.Started, isNew)
	return nil
}

// pruneAfter is how many events are written to the journal between two prunings.
const pruneAfter = 25_000

func (l *Ledger) pruneDue(now time.Time) time.Time { return nowIf(l.known.events >= pruneAfter, now) }

// pruneJournal drops events that are too old or too many.
func (l *Ledger) pruneJournal(ctx context.Context, _ bool) error {
	if err := l.site.Journal.Prune(ctx, l.cfg.Store, time.Now()); err != nil {
		return err
	}
	l.known.events = 0
	return nil
}
