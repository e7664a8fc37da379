package indexer

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/schema/txn"
)

// commit stores what fn merges, and then applies the effects.
func (x *Indexer) commit(ctx context.Context, first []string, fn func(*merge.Transaction)) error {
	return x.commitAt(ctx, time.Now(), first, fn)
}

// commitAt is commit at a given time. The time is the same each time fn runs.
func (x *Indexer) commitAt(ctx context.Context, now time.Time, first []string, fn func(*merge.Transaction)) error {
	x.site.Listed = x.counts.Listed()
	var done merge.Effects
	var written map[string][]byte
	err := txn.Update(ctx, x.cfg.Store, first, func(t *txn.Tx) {
		m := merge.New(t, x.site, now)
		fn(m)
		m.Settle()
		if m.Effects.Erased && !x.replicas.alone() {
			t.Put(x.site.Keys.Erased(), now.AppendFormat(nil, time.RFC3339Nano)) // other processes forget what they followed
		}
		done, written = m.Effects, t.Written()
	})
	if err != nil {
		return err
	}
	x.replicas.wrote(written)
	return x.apply(ctx, done, now)
}

// apply tells the rest of the program about the effects of a stored transaction.
func (x *Indexer) apply(ctx context.Context, done merge.Effects, now time.Time) error {
	x.syncing.unsynced = true
	for what, n := range done.Events {
		x.changes[what].Add(uint64(n))
	}
	x.days.happened(done.Events, now)
	if len(done.Left) > 0 {
		x.Links.Left(now)
	}
	if done.Erased {
		x.site.Followed.Forget() // it may name links that are no longer stored
	}
	x.site.Followed.Add(done.Followed...)
	x.site.Growth.Add(done.Grown, now)
	x.counts.Stored(&done.Counts, now)
	x.skipped(done.Damaged)
	for location, since := range done.Pending {
		x.removals.note(location, since.Time(), now)
	}
	for _, location := range done.Ended {
		delete(x.removals.since, location)
	}
	for _, location := range done.Looks {
		x.look(location)
	}
	if x.cfg.Looks != nil {
		for _, location := range done.Linked {
			x.cfg.Looks.Linked(location)
		}
	}
	for _, location := range done.Due {
		x.cfg.Schedule.Reset(location)
	}
	x.noteChanged(slices.Collect(maps.Keys(done.Shards)), done.Sections)
	if !done.Reputes {
		return nil
	}
	if err := x.trust.open(ctx); err != nil {
		return err
	}
	x.trust.tellFiles()
	return nil
}

// noteChanged notes the shards that a transaction has changed, and the sections of the new ones, and tells the files.
func (x *Indexer) noteChanged(changed []int, sections map[int]string) {
	layout := &x.site.Layout
	layout.Filling = slices.Max(append(changed, layout.Filling))
	if len(sections) > 0 {
		all := map[int]string{} // the map is replaced, never changed
		maps.Copy(all, layout.Sections)
		maps.Copy(all, sections)
		layout.Sections = all
	}
	x.cfg.Files.Changed(changed...)
}
