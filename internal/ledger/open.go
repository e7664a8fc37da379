package ledger

import (
	"context"
	"strings"

	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/internal/txn"
)

// open reads what the store holds of the site as a whole: at the start, and after an
// error, since a store may have done what it did not confirm.
func (l *Ledger) open(ctx context.Context) error {
	if l.known.opened {
		return nil
	}
	for _, step := range []func(context.Context) error{
		l.openSecret, l.openFleet, l.openTrust, l.openSuspects, l.openRobots, l.openActivity, l.openExtensions,
		l.openJournal,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	l.tellFiles()
	if err := l.openOnce(ctx); err != nil {
		return err
	}
	l.site.Followed.Forget()
	l.known.opened = true
	l.beginReview() // what was counted may be wrong
	return nil
}

// openOnce reads what only this process changes.
func (l *Ledger) openOnce(ctx context.Context) error {
	if l.known.counted {
		return nil
	}
	if err := l.openFurniture(ctx); err != nil {
		return err
	}
	if err := l.countWaiting(ctx); err != nil {
		return err
	}
	l.known.counted = true
	return nil
}

// countWaiting counts the waiting locations, and remembers what they showed.
func (l *Ledger) countWaiting(ctx context.Context) error {
	waiting := int64(0)
	for r, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Waits(), "") {
		if err != nil {
			return err
		}
		waiting++
		s, err := merge.Decode(r.Value)
		if err != nil {
			continue
		}
		showing, networks, ok := s.Waiting()
		if !ok {
			continue
		}
		id := secret.ID(strings.TrimPrefix(r.Key, l.site.Keys.Waits()))
		for _, n := range networks {
			l.shown.Shows(showing, id, uint32(n)+1)
		}
		if len(networks) == 0 {
			l.shown.Shows(showing, id, 0)
		}
	}
	l.waiting.Store(waiting)
	return nil
}

// openSecret reads the site's secret, and makes one at the very first start. It only
// writes then, so that a store which is full can still be read.
func (l *Ledger) openSecret(ctx context.Context) (err error) {
	var key secret.Key
	var bad error
	fetch := func(t *txn.Tx) { key, bad = secret.Read(t.Get(l.site.Keys.Site())) }
	if err := txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Site()}, fetch); err != nil {
		return err
	}
	if key == nil {
		if bad != nil {
			l.health.damaged.Add(1)
			l.cfg.Logger.Error("servemap: the site's secret in the store is damaged; what waits is learned anew, and pages barred by Forget need a rule that says never")
		}
		if key, err = l.newSecret(ctx); err != nil {
			return err
		}
	}
	l.site.Names = secret.NewNames(key)
	return nil
}

// newSecret stores a new secret, or returns the one that another process has stored
// meanwhile.
func (l *Ledger) newSecret(ctx context.Context) (key secret.Key, err error) {
	fresh := secret.New()
	err = txn.Update(ctx, l.cfg.Store, []string{l.site.Keys.Site()}, func(t *txn.Tx) {
		if key, _ = secret.Read(t.Get(l.site.Keys.Site())); key == nil {
			t.Put(l.site.Keys.Site(), fresh.Encode())
			key = fresh
		}
	})
	return key, err
}

// openExtensions reads for which extensions the pages were read. Where that is another
// set than now, the review brings the entries in line, and has pages read again at their
// next visit if there is more to be found.
func (l *Ledger) openExtensions(ctx context.Context) error {
	return txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Extensions()}, func(t *txn.Tx) {
		l.site.Extended = 0
		_ = record.Open(t.Get(l.site.Keys.Extensions()), func(f record.Field) { // of a damaged one nothing was read
			if f.Num == 1 {
				l.site.Extended = sitemap.Namespaces(f.Value)
			}
		})
	})
}

// keepExtensions notes that the entries are in line with the present extensions.
func (l *Ledger) keepExtensions(ctx context.Context) error {
	if !l.site.Extends() {
		return nil
	}
	err := txn.Update(ctx, l.cfg.Store, []string{l.site.Keys.Extensions()}, func(t *txn.Tx) {
		var e record.Encoder
		e.Uint(1, uint64(l.cfg.Extensions))
		e.Keep(record.Others(t.Get(l.site.Keys.Extensions()), 1))
		t.Put(l.site.Keys.Extensions(), e.SealAny())
	})
	if err == nil {
		l.site.Extended = l.cfg.Extensions
	}
	return err
}
