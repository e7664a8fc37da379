package badgerstore

import (
	"context"
	"iter"
	"time"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/internal/call"
)

// View implements [store.Store]. It calls fn after it has read the records, so that a slow fn
// delays nobody.
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	db, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	values, err := db.read(keys)
	db.calls.Done()
	if err != nil {
		return s.fail(db, err)
	}
	return fn(values)
}

// Update implements [store.Store]. It calls fn once, and writes only the values that changed.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	if err := s.writer.Take(ctx); err != nil {
		return err
	}
	defer s.writer.Release()
	db, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	old, err := db.read(keys)
	db.calls.Done()
	if err != nil {
		return s.fail(db, err)
	}
	changes, err := call.Changes(keys, old, fn)
	if err != nil || len(changes) == 0 {
		return err
	}
	err = db.mayWrite(spareFiles)
	s.logChange(err)
	if err != nil {
		return err
	}
	s.synced = false
	if err = s.fail(db, db.commit(changes)); err == nil {
		s.written.Store(time.Now().Unix())
	}
	return err
}

// Sync implements [store.Store]. If nothing was written since another call synced, it has nothing to do: many sites
// that close at once each want a sync.
func (s *Store) Sync(ctx context.Context) error {
	if err := s.writer.Take(ctx); err != nil {
		return err
	}
	defer s.writer.Release()
	db, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	db.calls.Done()
	if err := db.mayWrite(0); err != nil || s.synced {
		return err
	}
	err = s.fail(db, db.sync())
	s.synced = err == nil
	return err
}

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return call.Scan(ctx, prefix, after, func(first string, most int) ([]store.Record, bool, error) {
		db, err := s.acquire(ctx)
		if err != nil {
			return nil, false, err
		}
		records, more, err := db.next(prefix, first, most)
		db.calls.Done()
		return records, more, s.fail(db, err)
	})
}
