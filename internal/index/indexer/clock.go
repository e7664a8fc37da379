package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
)

// activity reads the stored activity.
func (r *records) activity(ctx context.Context) error {
	return txn.View(ctx, r.cfg.Store, []string{r.site.Keys.Active()}, func(t *txn.Tx) { r.site.Activity = sitewide.ReadActivity(t.Get(r.site.Keys.Active())) })
}

// noteActivity stores once per span that the site is observed. If a clock that was ahead stored a
// later time, that counts as now.
func (r *records) noteActivity(ctx context.Context, at time.Time) error {
	now, length := moment.Of(at), r.site.SpanLength()
	if r.site.Activity.Observed(now, length) == r.site.Activity {
		return nil
	}
	var merged sitewide.Activity
	err := txn.Update(ctx, r.cfg.Store, []string{r.site.Keys.Active()}, func(t *txn.Tx) {
		merged = sitewide.ReadActivity(t.Get(r.site.Keys.Active())).Observed(now, length)
		t.Put(r.site.Keys.Active(), merged.Encode())
	})
	if err == nil {
		r.site.Activity = merged
	}
	return err
}
