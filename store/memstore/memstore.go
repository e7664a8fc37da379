// Package memstore keeps servemap's records in memory, for tests and for sites that may forget
// everything when they end.
package memstore

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/internal/call"
)

// A Store is a [store.Store] in memory. Its zero value is empty and ready for use. It is safe for
// concurrent use, must not be copied, and needs no closing. Its content does not survive the
// process, so Sync does nothing.
type Store struct {
	// An Update holds writer all the time, so that updates run one after the other. mu is held only
	// while records are read or replaced, so that a slow fn delays no reader.
	writer call.Lock
	mu     sync.RWMutex
	values map[string][]byte
	sorted []string // all keys in order, or nil once a key came or went; scans share it, so it is never changed
}

// New returns an empty store. A zero Store is one as well.
func New() *Store { return &Store{} }

var _ store.Store = (*Store)(nil)

// View implements [store.Store].
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := cmp.Or(store.CheckKeys(keys), ctx.Err()); err != nil {
		return err
	}
	return fn(s.read(keys))
}

// Update implements [store.Store]. It calls fn once.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	if err := s.writer.Take(ctx); err != nil {
		return err
	}
	defer s.writer.Release()
	changes, err := call.Changes(keys, s.read(keys), fn)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string][]byte{}
	}
	for _, c := range changes {
		if _, had := s.values[c.Key]; had == (c.Value == nil) {
			s.sorted = nil
		}
		if c.Value == nil {
			delete(s.values, c.Key)
		} else {
			s.values[strings.Clone(c.Key)] = c.Value
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
		for _, key := range s.keys(prefix, after) {
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

// keys returns the keys that a scan begins with, in order.
func (s *Store) keys(prefix, after string) []string {
	s.mu.Lock()
	if s.sorted == nil {
		s.sorted = slices.Sorted(maps.Keys(s.values))
	}
	all := s.sorted
	s.mu.Unlock()
	first, found := slices.BinarySearch(all, max(prefix, after))
	if found && after >= prefix {
		first++ // a scan begins behind after
	}
	all = all[first:]
	end := sort.Search(len(all), func(i int) bool { return !strings.HasPrefix(all[i], prefix) })
	return all[:end]
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
