package ledger

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

// commit stores what fn merges, and then does what follows from it.
func (l *Ledger) commit(ctx context.Context, first []string, fn func(*merge.Batch)) error {
	return l.commitAt(ctx, time.Now(), first, fn)
}

// commitAt is commit at a time, which is the same however often fn runs.
func (l *Ledger) commitAt(ctx context.Context, now time.Time, first []string, fn func(*merge.Batch)) error {
	l.site.Listed = l.survey.Listed()
	var done merge.Effects
	var written map[string][]byte
	err := txn.Update(ctx, l.cfg.Store, first, func(t *txn.Tx) {
		m := merge.New(t, l.site, now)
		fn(m)
		m.Settle()
		if m.Effects.Erased && !l.fleet.Alone() {
			t.Put(l.site.Keys.Erased(), now.AppendFormat(nil, time.RFC3339Nano)) // others forget what they followed
		}
		done, written = m.Effects, t.Written()
	})
	if err != nil {
		l.known.opened = l.known.opened && errors.Is(err, store.ErrInvalid) // nothing has happened, or nobody knows
		return err
	}
	l.fleet.Wrote(written)
	return l.apply(ctx, done, now)
}

// apply does what a stored transaction asks of the rest of the program.
func (l *Ledger) apply(ctx context.Context, done merge.Effects, now time.Time) error {
	l.syncing.unsynced, l.syncing.urgent = true, l.syncing.urgent || len(done.Left) > 0
	l.waiting.Add(int64(done.Waiting))
	l.known.events += done.Events
	if done.Filling != 0 {
		l.known.filling = done.Filling
	}
	l.site.Followed.Add(done.Followed)
	l.survey.Stored(&done, now)
	l.damagedRecords(done.Damaged)
	for location, since := range done.Doubted {
		l.doubts.note(location, since.Time(), now)
	}
	for _, location := range done.Undoubted {
		delete(l.doubts.of, location)
	}
	for _, k := range done.Early {
		l.site.Early.Keep(k.Look)
	}
	for _, location := range done.Due {
		l.cfg.Schedule.Reset(location)
		l.site.Early.Enter(location, now)
	}
	l.cfg.Files.Changed(slices.Collect(maps.Keys(done.Parts))...)
	for location, by := range done.Settled {
		l.cfg.Files.Settle(location, by.Part, by.At)
	}
	if !done.Reputes {
		return nil
	}
	if err := l.openTrust(ctx); err != nil {
		l.known.opened = false
		return err
	}
	l.tellFiles()
	return nil
}

// tellFiles has the files go by the trust in dates and the robots.txt that hold now.
func (l *Ledger) tellFiles() {
	l.cfg.Files.Follow(files.Policy{Trust: l.site.Trust, Robots: l.site.Robots.Now})
}

// openTrust reads what is stored of the sources of dates.
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
			l.cfg.Logger.Info("servemap: given dates are not used for lastmod: they moved although the content did not", "source", s.String(), "clock", is.Clock)
		case was.All && !is.All:
			l.cfg.Logger.Info("servemap: given dates are used for lastmod again: they have moved with the content for long", "source", s.String())
		}
	}
	return nil
}

// foundStamps returns the stamps that were found when the files were rendered.
func (l *Ledger) foundStamps() lastmod.Trust {
	found := l.cfg.Files.Trust()
	for s := range found {
		found[s] = lastmod.Distrust{Stamps: found[s].Stamps}
	}
	return found
}

func (l *Ledger) stampsDue(now time.Time) time.Time {
	if l.foundStamps() == l.known.stamps {
		return time.Time{}
	}
	return now
}

// keepStamps stores the stamps that were found, so that a date which was doubted is not
// believed after a restart.
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
