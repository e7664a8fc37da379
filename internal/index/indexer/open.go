package indexer

import (
	"context"
	"strings"

	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/schema/txn"
)

// open reads the site-wide records: at the start, and again after an error, since a store
// may have done what it did not confirm.
func (l *Ledger) open(ctx context.Context) error {
	if l.known.opened {
		return nil
	}
	for _, step := range []func(context.Context) error{
		l.openSecret, l.openFleet, l.openTrust, l.openSuspects, l.openRobots, l.openActivity, l.openExtensions,
		l.reviewParts,
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
	l.beginReview() // the counts may be wrong
	return nil
}

// openOnce reads the records that only this process changes. Once is enough.
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

// countWaiting counts the waiting locations, and notes the contents they showed.
func (l *Ledger) countWaiting(ctx context.Context) error {
	waiting := int64(0)
	for r, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Waits(), "") {
		if err != nil {
			return err
		}
		waiting++
		s, err := pagerecord.Decode(r.Value)
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

// openSecret reads the site's secret, and makes one at the very first start. It writes
// only then, so that a full store can still be opened.
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
			l.cfg.Logger.Error("servemap: the site's secret in the store is damaged; waiting pages are learned anew, and pages that Forget took out need Never rules")
		}
		if key, err = l.newSecret(ctx); err != nil {
			return err
		}
	}
	l.site.Names = secret.NewNames(key)
	return nil
}

// newSecret stores a new secret. If another process was faster, it returns that one's.
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

// openExtensions reads which extensions were on when the pages were last reviewed. If the
// settings have changed since, the review updates the entries. If extensions were added,
// it also marks pages to be read again at their next visit.
func (l *Ledger) openExtensions(ctx context.Context) error {
	return txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Extensions()}, func(t *txn.Tx) {
		l.site.Extended = 0
		_ = codec.Unmarshal(t.Get(l.site.Keys.Extensions()), &l.site.Extended) // a damaged record counts as none
	})
}

// keepExtensions notes that the entries agree with the present extensions.
func (l *Ledger) keepExtensions(ctx context.Context) error {
	if !l.site.Extends() {
		return nil
	}
	err := txn.Update(ctx, l.cfg.Store, []string{l.site.Keys.Extensions()}, func(t *txn.Tx) {
		t.Put(l.site.Keys.Extensions(), codec.Marshal(l.cfg.Extensions))
	})
	if err == nil {
		l.site.Extended = l.cfg.Extensions
	}
	return err
}
