package indexer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// commit stores what fn merges, and then applies the effects.
func (l *Ledger) commit(ctx context.Context, first []string, fn func(*merge.Batch)) error {
	return l.commitAt(ctx, time.Now(), first, fn)
}

// commitAt is commit at a given time. The time is the same each time fn runs.
func (l *Ledger) commitAt(ctx context.Context, now time.Time, first []string, fn func(*merge.Batch)) error {
	l.site.Listed = l.survey.Listed()
	var done merge.Effects
	var written map[string][]byte
	err := txn.Update(ctx, l.cfg.Store, first, func(t *txn.Tx) {
		m := merge.New(t, l.site, now)
		fn(m)
		m.Settle()
		if m.Effects.Erased && !l.fleet.Alone() {
			t.Put(l.site.Keys.Erased(), now.AppendFormat(nil, time.RFC3339Nano)) // other processes forget what they followed
		}
		done, written = m.Effects, t.Written()
	})
	if err != nil {
		l.known.opened = l.known.opened && errors.Is(err, store.ErrInvalid) // any other error may have stored something
		return err
	}
	l.fleet.Wrote(written)
	return l.apply(ctx, done, now)
}

// apply tells the rest of the program about the effects of a stored transaction.
func (l *Ledger) apply(ctx context.Context, done merge.Effects, now time.Time) error {
	l.syncing.unsynced, l.syncing.urgent = true, l.syncing.urgent || len(done.Left) > 0
	l.waiting.Add(int64(done.Waiting))
	for what, n := range done.Events {
		l.known.events += n
		l.changes[what].Add(uint64(n))
	}
	l.site.Book.Filling = max(l.site.Book.Filling, done.Filling)
	if done.Erased {
		l.site.Followed.Forget() // it may name links that are no longer stored
	}
	l.site.Followed.Add(done.Followed)
	l.survey.Stored(&done, now)
	l.damagedRecords(done.Damaged)
	for location, since := range done.Pending {
		l.suspects.note(location, since.Time(), now)
	}
	for _, location := range done.Ended {
		delete(l.suspects, location)
	}
	for _, location := range done.Due {
		l.cfg.Schedule.Reset(location)
	}
	l.cfg.Files.Changed(slices.Collect(maps.Keys(done.Parts))...)
	for location, by := range done.Stored {
		l.cfg.Files.Settle(location, by.Part, by.At)
	}
	if !done.Reputes {
		return nil
	}
	if err := l.openTrust(ctx); err != nil {
		l.known.opened = false
		return err
	}
	l.tellFiles()
	return nil
}
