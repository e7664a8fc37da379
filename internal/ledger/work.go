package ledger

import (
	"context"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/txn"
)

// open reads what the store holds of the site as a whole: at the start, and
// after an error, since a store may have done what it did not confirm.
func (l *Ledger) open(ctx context.Context) error {
	if l.opened {
		return nil
	}
	if err := l.openSecret(ctx); err != nil {
		return err
	}
	if err := l.openOthers(ctx); err != nil {
		return err
	}
	if _, err := l.readTrust(ctx); err != nil {
		return err
	}
	if err := l.openDoubts(ctx); err != nil {
		return err
	}
	if err := l.openRobots(ctx); err != nil {
		return err
	}
	if err := l.openActivity(ctx); err != nil {
		return err
	}
	if err := l.openExtensions(ctx); err != nil {
		return err
	}
	l.openJournal(ctx)
	if !l.counted {
		if err := l.openFurniture(ctx); err != nil {
			return err
		}
		l.cfg.Files.ChangedAll()
		if err := l.countWaiting(ctx); err != nil {
			return err
		}
		l.counted = true
	}
	l.followed.forget()
	l.opened = true
	l.beginReview() // what was counted may be wrong
	return nil
}

// countWaiting counts the waiting locations, and remembers what they showed.
func (l *Ledger) countWaiting(ctx context.Context) error {
	waiting := int64(0)
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.Waits(), "") {
		if err != nil {
			return err
		}
		waiting++
		s, err := decodeState(r.Value)
		if err != nil || s.query || s.content != admit.None {
			continue // see speaks
		}
		for _, n := range s.networks {
			l.contents.shows(s.showing, idOf(l.keys, r.Key), uint32(n)+1)
		}
		if len(s.networks) == 0 {
			l.contents.shows(s.showing, idOf(l.keys, r.Key), 0)
		}
	}
	l.waiting.Store(waiting)
	return nil
}

// openSecret reads the site's secret, and makes one at the very first start.
// It only writes then, so that a store which is full can still be read.
func (l *Ledger) openSecret(ctx context.Context) (err error) {
	var key secret.Key
	var bad error
	fetch := func(t *txn.Tx) { key, bad = secret.Read(t.Get(l.keys.Site())) }
	if err := txn.View(ctx, l.cfg.Store, []string{l.keys.Site()}, fetch); err != nil {
		return err
	}
	if key == nil {
		if bad != nil {
			l.damaged.Add(1)
			l.cfg.Logger.Error("servemap: the site's secret in the store is damaged; what waits is learned anew, and pages barred by Forget need a rule that says never")
		}
		if key, err = l.newSecret(ctx); err != nil {
			return err
		}
	}
	l.secret = secret.NewNames(key)
	return nil
}

// newSecret stores a new secret, or returns the one that another process has
// stored meanwhile.
func (l *Ledger) newSecret(ctx context.Context) (key secret.Key, err error) {
	fresh := secret.New()
	err = txn.Update(ctx, l.cfg.Store, []string{l.keys.Site()}, func(t *txn.Tx) {
		if key, _ = secret.Read(t.Get(l.keys.Site())); key == nil {
			t.Put(l.keys.Site(), fresh.Encode())
			key = fresh
		}
	})
	return key, err
}
