package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/txn"
)

// trustedDates says which sources of dates are trusted, and forgives them in time.
type trustedDates struct{ *Indexer }

// forgive forgives the sources that have not lied for long.
func (t *trustedDates) forgive(ctx context.Context) error {
	rs, now := t.site.Reputations, moment.Of(time.Now())
	if rs.Forgive(now); rs == t.site.Reputations {
		return nil
	}
	return t.commit(ctx, []string{t.site.Keys.Trust()}, func(m *merge.Transaction) {
		m.Repute(func(rs *lastmod.Reputations) { rs.Forgive(now) })
	})
}

// tellFiles tells the files the present trust in dates and the present robots.txt.
func (t *trustedDates) tellFiles() {
	t.cfg.Files.Follow(files.Policy{Trust: t.site.Trust, Robots: t.site.Robots.Now})
}

// open reads the stored reputations of the sources of dates.
func (t *trustedDates) open(ctx context.Context) error {
	record, err := txn.Read(ctx, t.cfg.Store, t.site.Keys.Trust())
	if err != nil {
		return err
	}
	rs := codec.Read[lastmod.Reputations](record)
	before, after := t.site.Trust, rs.Trust()
	t.site.Reputations, t.site.Trust = rs, after
	for s := lastmod.Server; s <= lastmod.Page; s++ {
		switch was, is := before[s], after[s]; {
		case is.Caught && !was.Caught:
			t.cfg.Logger.Info("servemap: dates from this source moved on pages whose text did not change, so they are no "+
				"lastmod until a month without that has passed", "source", s.String(), "clock", is.Clock)
		case was.Caught && !is.Caught:
			t.cfg.Logger.Info("servemap: dates from this source are a lastmod again: for a month they moved only with the text",
				"source", s.String())
		}
	}
	return nil
}
