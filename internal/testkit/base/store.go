package base

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// Update is a function to replace [store.Store.Update].
type Update func(ctx context.Context, keys []string, fn func([][]byte) error) error

// Store is a store that fails on demand. A test may change its behaviour while it is in use.
type Store struct {
	store.Store
	before atomic.Pointer[func(context.Context) error]
	scan   atomic.Pointer[func(ctx context.Context, prefix string) error]
	update atomic.Pointer[Update]
	sync   atomic.Pointer[error]
}

// NewStore returns an empty store that works.
func NewStore() *Store { return &Store{Store: new(memstore.Store)} }

// Before calls a function before whatever the store does. If it returns an error, that is all.
func (s *Store) Before(do func(context.Context) error) { s.before.Store(&do) }

// OnScan calls a function before each Scan. If it returns an error, that is all. Mend does not end this.
func (s *Store) OnScan(do func(ctx context.Context, prefix string) error) { s.scan.Store(&do) }

func (s *Store) begin(ctx context.Context) error {
	if do := s.before.Load(); do != nil {
		return (*do)(ctx)
	}
	return nil
}

// View reads, unless the store is down.
func (s *Store) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	return s.Store.View(ctx, keys, fn)
}

// Scan reads, unless the store is down.
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		err := s.begin(ctx)
		if do := s.scan.Load(); do != nil && err == nil {
			err = (*do)(ctx, prefix)
		}
		if err != nil {
			yield(store.Record{}, err)
			return
		}
		s.Store.Scan(ctx, prefix, after)(yield)
	}
}

// Update calls the replacement, if there is one.
func (s *Store) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if update := s.update.Load(); update != nil {
		return (*update)(ctx, keys, fn)
	}
	return s.Store.Update(ctx, keys, fn)
}

// Sync fails if it was told to.
func (s *Store) Sync(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := s.sync.Load(); err != nil {
		return *err
	}
	return s.Store.Sync(ctx)
}

// Mend makes the store work again.
func (s *Store) Mend() {
	s.before.Store(nil)
	s.update.Store(nil)
	s.sync.Store(nil)
}

// OnUpdate replaces Update by a function.
func (s *Store) OnUpdate(update Update) { s.update.Store(&update) }

// OnUpdateOf replaces each Update with a key that has this suffix.
func (s *Store) OnUpdateOf(suffix string, update Update) {
	s.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		if slices.ContainsFunc(keys, func(key string) bool { return strings.HasSuffix(key, suffix) }) {
			return update(ctx, keys, fn)
		}
		return s.Store.Update(ctx, keys, fn)
	})
}

// Down makes everything fail, as if nobody could reach the store.
func (s *Store) Down(err error) { s.Before(func(context.Context) error { return err }) }

// Refuse makes each Update fail before it does anything.
func (s *Store) Refuse(err error) {
	s.OnUpdate(func(context.Context, []string, func([][]byte) error) error { return err })
}

// LoseAnswers makes each Update store what it should, and fail all the same.
func (s *Store) LoseAnswers(err error) {
	s.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		return errors.Join(s.Store.Update(ctx, keys, fn), err)
	})
}

// OnlyRead makes Sync fail, and each Update that changes something, as in a read-only database.
func (s *Store) OnlyRead(refusal error) {
	s.RefuseSync(refusal)
	s.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		return s.Store.Update(ctx, keys, func(values [][]byte) error {
			before := make([][]byte, len(values))
			for i, v := range values {
				before[i] = bytes.Clone(v)
			}
			if err := fn(values); err != nil || slices.EqualFunc(before, values, bytes.Equal) {
				return err
			}
			return refusal
		})
	})
}

// RefuseSync makes Sync fail.
func (s *Store) RefuseSync(err error) { s.sync.Store(&err) }

// Rehearse runs fn on the values of the keys and stores nothing, as a store does if its transaction
// conflicts with another.
func (s *Store) Rehearse(ctx context.Context, keys []string, fn func([][]byte) error) {
	_ = s.Store.Update(ctx, keys, func(values [][]byte) error {
		_ = fn(values)
		return errors.New("in conflict")
	})
}
