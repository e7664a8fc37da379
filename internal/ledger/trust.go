package ledger

import (
	"context"
	"math"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/txn"
)

// report merges what a look at a location showed of the sources of dates.
func (m *merge) report(location string, reports []lastmod.Report) {
	for _, r := range reports {
		if !m.l.reputations.Concerns(r) {
			continue
		}
		page := m.l.secret.Key().Hash("suspect", location) | 1
		m.repute(func(rs *lastmod.Reputations) { rs.Take(r, page, m.moment()) })
	}
}

// repute changes the stored reputations.
func (m *merge) repute(change func(*lastmod.Reputations)) {
	key := m.l.keys.Trust()
	before, unread := lastmod.ReadReputations(m.Get(key))
	after := before
	if change(&after); after != before {
		m.Put(key, after.Encode(unread))
		m.effects.reputes = true
	}
}

// readTrust reads what is stored of the sources, and reports whether one of them
// has lost trust, or won it. The files know of stamps themselves.
func (l *Ledger) readTrust(ctx context.Context) (changed bool, err error) {
	var rs lastmod.Reputations
	err = txn.View(ctx, l.cfg.Store, []string{l.keys.Trust()}, func(t *txn.Tx) {
		rs, _ = lastmod.ReadReputations(t.Get(l.keys.Trust()))
	})
	if err != nil {
		return false, err
	}
	before, after := l.Doubts(), rs.Trust()
	l.reputations = rs
	l.trust.Store(&after)
	for s := lastmod.Server; s <= lastmod.Page; s++ {
		switch was, is := before[s], after[s]; {
		case is.All && !was.All:
			l.cfg.Logger.Info("servemap: given dates are not used for lastmod: they moved although the content did not", "source", s.String(), "clock", is.Clock)
			changed = true
		case was.All && !is.All:
			l.cfg.Logger.Info("servemap: given dates are used for lastmod again: they have moved with the content for long", "source", s.String())
			changed = true
		}
	}
	return changed, nil
}

// keepStamps stores the stamps that were found when the files were rendered, so
// that a date which was doubted is not believed after a restart.
func (l *Ledger) keepStamps(ctx context.Context) error {
	found := l.cfg.Files.Trust()
	for s := range found {
		found[s] = lastmod.Distrust{Stamps: found[s].Stamps}
	}
	if found == l.stamped {
		return nil
	}
	err := l.commit(ctx, []string{l.keys.Trust()}, func(m *merge) {
		m.repute(func(rs *lastmod.Reputations) { rs.AddStamps(found) })
	})
	if err == nil {
		l.stamped = found
	}
	return err
}

func readCount(b []byte) (n int) {
	_ = record.Open(b, func(f record.Field) {
		if f.Num == 1 {
			n = int(min(f.Value, math.MaxInt64))
		}
	})
	return n
}

func encodeCount(n int) []byte {
	var e record.Encoder
	e.Uint(1, uint64(max(0, n)))
	return e.SealAny()
}
