package ledger

import (
	"context"
	"time"
)

// openJournal begins the journal, if nobody did: with the first page of a new site, or
// with the start of this process where there are pages already. If the store cannot tell
// or take that now, it is tried again later; nothing else depends on it.
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

// pruneAfter is how many events are noted in the journal before it is pruned.
const pruneAfter = 25_000

func (l *Ledger) pruneDue(now time.Time) time.Time { return nowIf(l.known.events >= pruneAfter, now) }

// pruneJournal drops what is too old or too much.
func (l *Ledger) pruneJournal(ctx context.Context, _ bool) error {
	if err := l.site.Journal.Prune(ctx, l.cfg.Store, time.Now()); err != nil {
		return err
	}
	l.known.events = 0
	return nil
}
