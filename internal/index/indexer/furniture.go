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

// openFurniture reads the stored furniture, so that after a restart the text that all
// pages show is not taken for news. If it cannot be read, it is learned again.
func (l *Ledger) openFurniture(ctx context.Context) error {
	return txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Furniture()}, func(t *txn.Tx) {
		var packed []byte
		if codec.Unmarshal(t.Get(l.site.Keys.Furniture()), &packed) != nil {
			return
		}
		if site, err := mark.ParseSite(packed); err == nil {
			l.furniture = furniture{Site: *site, kept: time.Now()}
		}
	})
}

// keepFurniture stores the furniture if it has changed. Each process of a fleet has its
// own, and the last one to store it wins.
func (l *Ledger) keepFurniture(ctx context.Context, _ bool) error {
	if !l.furniture.changed {
		return nil
	}
	err := txn.Update(ctx, l.cfg.Store, []string{l.site.Keys.Furniture()}, func(t *txn.Tx) {
		t.Put(l.site.Keys.Furniture(), codec.Marshal(l.furniture.AppendBinary(nil)))
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
