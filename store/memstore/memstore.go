// Package memstore keeps servemap's records in memory, for tests and for sites that may forget
// everything when they end.
package memstore

import (
	"cmp"
	"context"
	"iter"
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
	table  table
}

// New returns an empty store.
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
	for i, key := range keys {
		s.table.put(strings.Clone(key), values[i])
	}
	return nil
}

// scanChunk is how many records a Scan takes from the table at a time.
const scanChunk = 1000

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := cmp.Or(store.CheckScan(prefix, after), ctx.Err()); err != nil {
			yield(store.Record{}, err)
			return
		}
		after, buf := after, make([]byte, 0, 256)
		for chunk := make([]store.Record, scanChunk); len(chunk) == scanChunk; {
			chunk = s.chunk(chunk[:0], prefix, after)
			for _, r := range chunk {
				if err := ctx.Err(); err != nil {
					yield(store.Record{}, err)
					return
				}
				buf = append(buf[:0], r.Value...)
				if !yield(store.Record{Key: r.Key, Value: buf}, nil) {
					return
				}
				after = r.Key
			}
		}
	}
}

// Sync implements [store.Store] and does nothing: memory survives nothing.
func (s *Store) Sync(ctx context.Context) error { return ctx.Err() }

// read returns copies of the values of keys, nil for absent ones.
func (s *Store) read(keys []string) [][]byte {
	values := make([][]byte, len(keys))
	s.mu.RLock()
	for i, key := range keys {
		values[i] = s.table.values[key]
	}
	s.mu.RUnlock()
	for i, value := range values {
		values[i] = slices.Clone(value)
	}
	return values
}

// chunk appends records to an empty chunk: the next ones after the key after whose keys begin with
// prefix. The values belong to the table, which never changes them.
func (s *Store) chunk(chunk []store.Record, prefix, after string) []store.Record {
	s.mu.Lock() // it may have to sort
	defer s.mu.Unlock()
	s.table.ascend(max(prefix, after+"\x00"), func(key string, value []byte) bool {
		if len(chunk) == scanChunk || !strings.HasPrefix(key, prefix) {
			return false
		}
		chunk = append(chunk, store.Record{Key: key, Value: value})
		return true
	})
	return chunk
}
