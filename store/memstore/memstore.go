// Package memstore keeps servemap's records in memory, for tests and for sites that may forget
// everything when they end.
package memstore

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/servemap/servemap/store"
)

// A Store is a [store.Store] in memory. Its zero value is empty and ready for use. It is safe for
// concurrent use, must not be copied, and needs no closing. Its content does not survive the
// process, so Sync does nothing.
type Store struct {
	// An Update holds writer all the time, so that updates run one after the other. mu is held only
	// while records are read or replaced, so that a slow fn delays no reader.
	writer sync.Mutex
	mu     sync.RWMutex
	values map[string][]byte
	keys   []string // of values, in order, and some that were removed; sorted anew when a scan needs it
	grown  bool     // values has keys that are not in keys
}

// New returns an empty store. A zero Store is one as well.
func New() *Store { return &Store{} }

var _ store.Store = (*Store)(nil)

// View implements [store.Store].
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(s.read(keys))
}

// Update implements [store.Store]. It calls fn once.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	s.writer.Lock()
	defer s.writer.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	values := s.read(keys)
	if err := fn(values); err != nil {
		return err
	}
	if err := store.CheckValues(keys, values); err != nil {
		return err
	}
	for i, value := range values {
		values[i] = slices.Clone(value)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string][]byte{}
	}
	for i, key := range keys {
		_, there := s.values[key]
		switch {
		case values[i] == nil:
			delete(s.values, key)
		case there:
			s.values[key] = values[i]
		default:
			s.values[strings.Clone(key)], s.grown = values[i], true
		}
	}
	return nil
}

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := cmp.Or(store.CheckScan(prefix, after), ctx.Err()); err != nil {
			yield(store.Record{}, err)
			return
		}
		keys := s.sorted()
		first, _ := slices.BinarySearch(keys, max(prefix, after+"\x00"))
		for _, key := range keys[first:] {
			if !strings.HasPrefix(key, prefix) {
				return
			}
			if err := ctx.Err(); err != nil {
				yield(store.Record{}, err)
				return
			}
			value := s.read([]string{key})[0]
			if value != nil && !yield(store.Record{Key: key, Value: value}, nil) {
				return
			}
		}
	}
}

// sorted returns all keys in order, and some that were removed. Nobody changes the slice.
func (s *Store) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.grown || len(s.keys) > 2*len(s.values) {
		s.keys, s.grown = slices.Sorted(maps.Keys(s.values)), false
	}
	return s.keys
}

// Sync implements [store.Store] and does nothing: memory survives nothing.
func (s *Store) Sync(ctx context.Context) error { return ctx.Err() }

// read returns copies of the values of keys, nil for absent ones.
func (s *Store) read(keys []string) [][]byte {
	values := make([][]byte, len(keys))
	s.mu.RLock()
	for i, key := range keys {
		values[i] = s.values[key]
	}
	s.mu.RUnlock()
	for i, value := range values {
		values[i] = slices.Clone(value)
	}
	return values
}
