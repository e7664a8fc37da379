package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
)

// tellLinks tells the owner of the links of a listed page, and what their targets last answered. If the page shows
// the same as before, it is read for that once in the life of the process, with what no vouched page needs of the budget.
func (m *merging) tellLinks(ctx context.Context, v *merge.Visit) error {
	o := v.Observation
	if v.Same && !v.Tracked && m.Links.Unread(v.Location) && m.budget.Allows(time.Now(), false, v.Payer) {
		read := *o
		m.read(v, func() { read.Read(m.site.Normalizer, true, 0, nil) })
		m.budget.Pay(int64(read.Cost), v.Payer)
		o = &read
	}
	if !o.Full || o.NoFollow || o.Tracked {
		return nil
	}
	return inSteps(m.Links.Read(o), itemsAtOnce, func(some []string) error {
		pages, err := m.load(ctx, some...)
		for i, p := range pages {
			m.Links.Knew(some[i], p.Status)
		}
		return err
	})
}
