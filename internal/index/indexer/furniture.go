package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/txn"
)

// furnitureEvery is how often the furniture is stored. It takes some 33 KiB, and losing a
// few minutes of it costs little.
const furnitureEvery = 10 * time.Minute

// furniture is the text that the site's pages have in common.
type furniture struct {
	mark.Site
	changed bool
	kept    time.Time
}

// fields lists what is stored of the furniture.
func (x *furniture) fields(f *codec.Fields) {
	f.Data(1, 1, func(int) []byte { return x.AppendBinary(nil) }, func(b []byte) {
		if site, err := mark.ParseSite(b); err == nil {
			*x = furniture{Site: *site, kept: time.Now()}
		}
	})
}

// openFurniture reads the stored furniture, so that after a restart the text that all
// pages show is not taken for news. If it cannot be read, it is learned again.
func (l *Ledger) openFurniture(ctx context.Context) error {
	return txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Furniture()}, func(t *txn.Tx) {
		_, _ = codec.Read(t.Get(l.site.Keys.Furniture()), codec.Into(l.furniture.fields))
	})
}

// keepFurniture stores the furniture if it has changed. Each process of a fleet has its
// own, and the last one to store it wins.
func (l *Ledger) keepFurniture(ctx context.Context, _ bool) error {
	if !l.furniture.changed {
		return nil
	}
	err := txn.Update(ctx, l.cfg.Store, []string{l.site.Keys.Furniture()}, func(t *txn.Tx) {
		t.Put(l.site.Keys.Furniture(), codec.Encode(l.furniture.fields, codec.Others(t.Get(l.site.Keys.Furniture()), 1)))
	})
	if err != nil {
		return err
	}
	l.furniture.changed, l.furniture.kept = false, time.Now()
	l.syncing.unsynced = true
	return nil
}

func (l *Ledger) furnitureDue(time.Time) time.Time {
	if !l.furniture.changed {
		return time.Time{}
	}
	return l.furniture.kept.Add(furnitureEvery)
}
