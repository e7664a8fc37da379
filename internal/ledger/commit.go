package ledger

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

// commit stores what fn merges, and then does what follows from it.
func (l *Ledger) commit(ctx context.Context, first []string, fn func(*merge)) error {
	return l.commitAt(ctx, time.Now(), first, fn)
}

// commitAt is commit at a time, which is the same however often fn runs.
func (l *Ledger) commitAt(ctx context.Context, now time.Time, first []string, fn func(*merge)) error {
	var done effects
	err := txn.Update(ctx, l.cfg.Store, slices.Concat(first, l.ownBulletin()), func(t *txn.Tx) {
		m := &merge{Tx: t, l: l, now: now, media: map[string]*book.Extension{}, effects: effects{parts: map[int]bool{}, doubted: map[string]int64{}, settled: map[string]settlement{}, left: map[admit.Reason]int{}}}
		fn(m)
		m.tell()
		done = m.effects
	})
	if err != nil {
		l.opened = l.opened && errors.Is(err, store.ErrInvalid) // nothing has happened, or nobody knows
		return err
	}
	l.unsynced, l.urgent = true, l.urgent || done.withdrew
	l.waiting.Add(int64(done.waiting))
	l.events += done.events
	if done.filling != 0 {
		l.filling = done.filling
	}
	l.tally.moved(done.moves)
	l.hintLeft(done.left)
	if done.refused {
		l.cfg.Hints.Give(hint.Refused)
	}
	l.damagedRecords(done.damaged)
	for location, since := range done.doubted {
		l.noteDoubt(location, time.UnixMilli(since), now)
	}
	for _, location := range done.undoubted {
		delete(l.doubts, location)
	}
	for _, k := range done.early {
		l.early.keep(k)
	}
	for _, location := range done.due {
		l.cfg.MakeDue(location)
		l.early.enter(location, now)
	}
	l.cfg.Files.Changed(slices.Collect(maps.Keys(done.parts))...)
	for location, by := range done.settled {
		l.cfg.Files.Settle(location, by.part, by.at)
	}
	if done.reputes {
		changed, err := l.readTrust(ctx)
		if err != nil {
			l.opened = false
			return err
		}
		if changed {
			l.cfg.Files.ChangedAll()
		}
	}
	return nil
}

func (l *Ledger) damagedRecords(n int) {
	if n > 0 && l.damaged.Add(uint64(n)) == uint64(n) {
		l.cfg.Logger.Warn("servemap: a damaged record in the store was left out; the page is learned anew", "count", n)
	}
}
