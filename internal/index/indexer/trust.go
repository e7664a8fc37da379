package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/txn"
)

// trustedDates says which sources of dates are trusted, and keeps what was found about them.
type trustedDates struct {
	*Indexer
	whenDue
	stamps lastmod.Trust // the stamps that the store holds
}

func (t *trustedDates) due(now time.Time) time.Time { return nowIf(t.found() != t.stamps, now) }

// tellFiles tells the files the present trust in dates and the present robots.txt.
func (t *trustedDates) tellFiles() {
	t.cfg.Files.Follow(files.Policy{Trust: t.site.Trust, Robots: t.site.Robots.Now})
}

// open reads the stored reputations of the sources of dates.
func (x *trustedDates) open(ctx context.Context) error {
	var rs lastmod.Reputations
	err := txn.View(ctx, x.cfg.Store, []string{x.site.Keys.Trust()}, func(t *txn.Tx) {
		rs, _ = lastmod.ReadReputations(t.Get(x.site.Keys.Trust()))
	})
	if err != nil {
		return err
	}
	before, after := x.site.Trust, rs.Trust()
	x.site.Reputations, x.site.Trust = rs, after
	for s := lastmod.Server; s <= lastmod.Page; s++ {
		switch was, is := before[s], after[s]; {
		case is.All && !was.All:
			x.cfg.Logger.Info("servemap: dates from this source are not used for lastmod: they moved although the content did not", "source", s.String(), "clock", is.Clock)
		case was.All && !is.All:
			x.cfg.Logger.Info("servemap: dates from this source are used for lastmod again: they have long moved with the content", "source", s.String())
		}
	}
	return nil
}

// found returns the stamps that the files found when they were rendered.
func (t *trustedDates) found() lastmod.Trust {
	found := t.cfg.Files.Trust()
	for s := range found {
		found[s] = lastmod.Distrust{Stamps: found[s].Stamps}
	}
	return found
}

// run stores the found stamps, so that a date that was doubted stays doubted after
// a restart.
func (t *trustedDates) run(ctx context.Context, _ bool) error {
	found := t.found()
	err := t.commit(ctx, []string{t.site.Keys.Trust()}, func(m *merge.Batch) {
		m.Repute(func(rs *lastmod.Reputations) { rs.AddStamps(found) })
	})
	if err == nil {
		t.stamps = found
	}
	return err
}
