package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/txn"
)

// boilerplateEvery is how often the boilerplate is stored. It takes some 33 KiB, and losing a
// few minutes of it costs little.
const boilerplateEvery = 10 * time.Minute

// boilerplate stores the text that the site's pages have in common.
type boilerplate struct {
	*Indexer
	changed bool
	kept    time.Time
}

// open reads the stored boilerplate, so that after a restart the text that all pages show is not
// taken for news. If it cannot be read, it is learned again. Later, what is in memory is newer.
func (b *boilerplate) open(ctx context.Context) error {
	if !b.kept.IsZero() {
		return nil
	}
	record, err := txn.Read(ctx, b.cfg.Store, b.site.Keys.Boilerplate())
	if err != nil {
		return err
	}
	b.kept = time.Now()
	if site, err := mark.ParseSite(codec.Read[[]byte](record)); err == nil {
		b.site.Boilerplate = *site
	}
	return nil
}

// run stores the boilerplate. Each process of a fleet has its
// own, and the last one to store it wins.
func (b *boilerplate) run(ctx context.Context, _ bool) error {
	err := txn.Update(ctx, b.cfg.Store, []string{b.site.Keys.Boilerplate()}, func(t *txn.Tx) {
		t.Put(b.site.Keys.Boilerplate(), codec.Marshal(b.site.Boilerplate.AppendBinary(nil)))
	})
	if err != nil {
		return err
	}
	b.changed, b.kept = false, time.Now()
	b.syncing.unsynced = true
	return nil
}

func (b *boilerplate) due(time.Time) time.Time {
	if !b.changed {
		return time.Time{}
	}
	return b.kept.Add(boilerplateEvery)
}
