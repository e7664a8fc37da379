package storetest

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/servemap/servemap/store"
)

// careless is a store of its own, since slices are what a wrapper cannot
// spoil: it copies them where it is told to.
type careless struct {
	mu       sync.Mutex
	values   map[string][]byte
	in, out  func([]byte) []byte
	together bool // hand values out in one array
}

func same(b []byte) []byte { return b }

func keepsSlices(store.Store) store.Store {
	return &careless{values: map[string][]byte{}, in: same, out: clone}
}

func sharesSlices(store.Store) store.Store {
	return &careless{values: map[string][]byte{}, in: clone, out: same}
}

func oneArena(store.Store) store.Store {
	return &careless{values: map[string][]byte{}, in: clone, out: clone, together: true}
}

func (c *careless) View(_ context.Context, keys []string, fn func([][]byte) error) error {
	c.mu.Lock()
	values := c.read(keys)
	c.mu.Unlock()
	return fn(values)
}

func (c *careless) Update(_ context.Context, keys []string, fn func([][]byte) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	values := c.read(keys)
	if err := fn(values); err != nil {
		return err
	}
	for i, key := range keys {
		if values[i] == nil {
			delete(c.values, key)
		} else {
			c.values[key] = c.in(values[i])
		}
	}
	return nil
}

func (c *careless) read(keys []string) [][]byte {
	values := make([][]byte, len(keys))
	var arena []byte
	for _, key := range keys {
		arena = append(arena, c.values[key]...)
	}
	at := 0
	for i, key := range keys {
		if values[i] = c.out(c.values[key]); c.together && values[i] != nil {
			values[i] = arena[at : at+len(values[i])]
			at += len(values[i])
		}
	}
	return values
}

func (c *careless) Scan(_ context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		c.mu.Lock()
		keys := slices.Sorted(maps.Keys(c.values))
		c.mu.Unlock()
		for _, key := range keys {
			if key > after && strings.HasPrefix(key, prefix) && !yield(store.Record{Key: key, Value: c.out(c.values[key])}, nil) {
				return
			}
		}
	}
}

func (c *careless) Sync(context.Context) error { return nil }
