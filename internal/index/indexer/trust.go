package indexer

import (
	"context"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/txn"
)

// tellFiles tells the files the present trust in dates and the present robots.txt.
func (l *Ledger) tellFiles() {
	l.cfg.Files.Follow(files.Policy{Trust: l.site.Trust, Robots: l.site.Robots.Now})
}

// openTrust reads the stored reputations of the sources of dates.
func (l *Ledger) openTrust(ctx context.Context) error {
	var rs lastmod.Reputations
	err := txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Trust()}, func(t *txn.Tx) {
		rs, _ = lastmod.ReadReputations(t.Get(l.site.Keys.Trust()))
	})
	if err != nil {
		return err
	}
	before, after := l.site.Trust, rs.Trust()
	l.site.Reputations, l.site.Trust = rs, after
	for s := lastmod.Server; s <= lastmod.Page; s++ {
		switch was, is := before[s], after[s]; {
		case is.All && !was.All:
			l.cfg.Logger.Info("servemap: dates from this source are not used for lastmod: they moved although the content did not", "source", s.String(), "clock", is.Clock)
		case was.All && !is.All:
			l.cfg.Logger.Info("servemap: dates from this source are used for lastmod again: they have long moved with the content", "source", s.String())
		}
	}
	return nil
}

// foundStamps returns the stamps that the files found when they were rendered.
func (l *Ledger) foundStamps() lastmod.Trust {
	found := l.cfg.Files.Trust()
	for s := range found {
		found[s] = lastmod.Distrust{Stamps: found[s].Stamps}
	}
	return found
}

// keepStamps stores the found stamps, so that a date that was doubted stays doubted after
// a restart.
func (l *Ledger) keepStamps(ctx context.Context, _ bool) error {
	found := l.foundStamps()
	err := l.commit(ctx, []string{l.site.Keys.Trust()}, func(m *merge.Batch) {
		m.Repute(func(rs *lastmod.Reputations) { rs.AddStamps(found) })
	})
	if err == nil {
		l.known.stamps = found
	}
	return err
}
