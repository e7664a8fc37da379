// Package sights is a store that keeps the last sights of pages in memory, since nearly all observations find a page
// unchanged, and each would be a write. It takes the calls that the indexer makes of its store, and passes them on. It
// keeps nothing but sights: any other change of a record is stored at once.
package sights

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Store is a store as the indexer sees it. A sight is stored with the page's next change, and by Save. Whoever reads a
// page reads it with its last sight. If another process has changed the record since, the sight no longer counts.
type Store struct {
	store.Store
	kinds []string // the beginnings of the keys of pages

	mu   sync.Mutex // guards the rest
	last map[string]sight
	size int       // bytes
	from time.Time // when the first of these sights was kept
}

// sight is the last sight of a page, and a hash of the record to which it belongs.
type sight struct {
	pagerecord.Sight
	of uint64
}

const (
	every = time.Hour // how often sights are stored
	most  = 8 << 20   // bytes of sights in memory; with more, they are stored at once
	each  = 200       // bytes that a sight takes beside its key
)

// New returns a store over st.
func New(st store.Store, k keys.Keys) *Store {
	return &Store{Store: st, kinds: []string{k.Pages(), k.Waits()}, last: map[string]sight{}}
}

// seen returns the record of a page with its last sight.
func (s *Store) seen(key string, record []byte) []byte {
	s.mu.Lock()
	last, ok := s.last[key]
	s.mu.Unlock()
	if !ok || xxh3.Hash(record) != last.of {
		return record
	}
	return pagerecord.Sighted(record, last.Sight)
}

func (s *Store) allSeen(keys []string, records [][]byte) {
	for i, key := range keys {
		records[i] = s.seen(key, records[i])
	}
}

// View reads pages with their last sights.
func (s *Store) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	return s.Store.View(ctx, keys, func(values [][]byte) error {
		s.allSeen(keys, values)
		return fn(values)
	})
}

// Scan reads pages with their last sights.
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range s.Store.Scan(ctx, prefix, after) {
			if r.Value = s.seen(r.Key, r.Value); !yield(r, err) {
				return
			}
		}
	}
}

// Update stores what fn changes. A record in which only a sight has changed is kept in memory.
func (s *Store) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	var kept map[string]sight
	var stored []string
	err := s.Store.Update(ctx, keys, func(values [][]byte) error {
		kept, stored = map[string]sight{}, nil
		records := slices.Clone(values)
		s.allSeen(keys, values)
		before := slices.Clone(values)
		if err := fn(values); err != nil {
			return err
		}
		for i, key := range keys {
			if values[i] == nil == (before[i] == nil) && bytes.Equal(values[i], before[i]) {
				values[i] = records[i]
			} else if one, ok := s.between(key, records[i], values[i]); ok {
				kept[key], values[i] = one, records[i]
			} else {
				stored = append(stored, key)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.drop(stored)
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, one := range kept {
		if len(s.last) == 0 {
			s.from = time.Now()
		}
		if _, known := s.last[key]; !known {
			key = strings.Clone(key)
			s.size += len(key) + each
		}
		s.last[key] = one
	}
	return nil
}

// between returns the sight that leads from a record to its next value. ok is false if more than a sight has changed,
// or there is no room for one.
func (s *Store) between(key string, record, value []byte) (one sight, ok bool) {
	ofPage := func(kind string) bool { return strings.HasPrefix(key, kind) }
	if record == nil || value == nil || !slices.ContainsFunc(s.kinds, ofPage) {
		return one, false
	}
	s.mu.Lock()
	full := s.size >= most
	s.mu.Unlock()
	if full {
		return one, false
	}
	one.of = xxh3.Hash(record)
	one.Sight, ok = pagerecord.SightBetween(record, value)
	return one, ok
}

// drop forgets the sights of pages that were stored.
func (s *Store) drop(keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		if _, known := s.last[key]; known {
			s.size -= len(key) + each
			delete(s.last, key)
		}
	}
}

// Due returns when the sights are to be stored, zero if there are none.
func (s *Store) Due(now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.last) == 0:
		return time.Time{}
	case s.size >= most:
		return now
	}
	return s.from.Add(every)
}

// Save stores the sights.
func (s *Store) Save(ctx context.Context) error {
	s.mu.Lock()
	all := slices.Sorted(maps.Keys(s.last))
	s.mu.Unlock()
	return txn.InSteps(all, txn.Items, func(some []string) error {
		err := txn.Update(ctx, s.Store, some, func(t *txn.Tx) {
			for _, key := range some {
				t.Put(key, s.seen(key, t.Get(key)))
			}
		})
		if err == nil {
			s.drop(some)
		}
		return err
	})
}
