package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/txn"
)

// readLinks reads the links of a listed page that shows the same as before, if this process has not done so: the
// owner is told of broken ones. It spends only what no vouched page needs.
func (m *merging) readLinks(v *merge.Visit) {
	if !v.Same || v.Tracked || !v.Before.Listed() || !m.Links.Unread(v.Location) || !m.budget.Allows(time.Now(), false, v.Payer) {
		return
	}
	seen := *v.Observation
	m.read(v, func() { seen.Read(m.site.Normalizer, true, 0, nil) })
	m.budget.Pay(int64(seen.Cost), v.Payer)
	m.linked = append(m.linked, &seen)
}

// tellLinks tells the owner of the links of a listed page, and what their targets last answered.
func (m *merging) tellLinks(ctx context.Context, o *observation.Observation) error {
	if !o.Full || o.NoFollow || o.Tracked {
		return nil
	}
	fresh := m.Links.Read(o)
	return inSteps(fresh, func(some []string) error {
		var keys []string
		for _, location := range some {
			keys = append(keys, m.site.RecordKeys(location)...)
		}
		return txn.View(ctx, m.cfg.Store, keys, func(t *txn.Tx) {
			records := merge.New(t, m.site, time.Time{})
			for _, location := range some {
				p, _ := records.Load(location)
				m.Links.Knew(location, p.Status)
			}
		})
	})
}
