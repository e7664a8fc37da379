package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
)

// openActivity reads the stored activity.
func (l *Ledger) openActivity(ctx context.Context) error {
	return txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Active()}, func(t *txn.Tx) { l.site.Activity = sitewide.ReadActivity(t.Get(l.site.Keys.Active())) })
}

// noteActivity stores once per span that the site is observed. If a clock that was ahead stored a
// later time, that counts as now.
func (l *Ledger) noteActivity(ctx context.Context, at time.Time) error {
	now, length := moment.Of(at), l.site.SpanLength()
	if l.site.Activity.Observed(now, length) == l.site.Activity {
		return nil
	}
	var merged sitewide.Activity
	err := txn.Update(ctx, l.cfg.Store, []string{l.site.Keys.Active()}, func(t *txn.Tx) {
		merged = sitewide.ReadActivity(t.Get(l.site.Keys.Active())).Observed(now, length)
		t.Put(l.site.Keys.Active(), merged.Encode())
	})
	if err == nil {
		l.site.Activity = merged
	}
	return err
}
