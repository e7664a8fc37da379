// Package txn runs transactions over a store. It takes a function that gets and puts values by
// their keys. The function need not know its keys in advance: when it asks for a key that was not
// read, txn reads that key too and runs the function again. All that it puts is stored in one
// transaction. The package also protects the process from a store that panics, hangs, or was taken
// over by a later version of the program. It must never pass on a panic of the store.
package txn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/servemap/servemap/store"
)

// Records is the store as one transaction sees it; [Tx] is one.
type Records interface {
	Get(key string) []byte
	Put(key string, value []byte) // nil deletes
}

// Tx is what one transaction reads and writes. A key that was not loaded reads as absent and is
// noted. Then the transaction runs again with that key loaded.
type Tx struct {
	values  map[string][]byte
	written map[string]bool
	missing []string
}

// New returns a transaction that has already read values.
func New(values map[string][]byte) *Tx { return &Tx{values: values, written: map[string]bool{}} }

// load returns a transaction that has read keys.
func load(keys []string, values [][]byte) *Tx {
	t := New(make(map[string][]byte, 2*len(keys)))
	for i, key := range keys {
		t.values[key] = values[i]
	}
	return t
}

// Get returns the value of key, or nil.
func (t *Tx) Get(key string) []byte {
	v, loaded := t.values[key]
	if !loaded {
		t.missing = append(t.missing, key)
		t.values[key] = nil
	}
	return v
}

// Put sets the value of key; nil deletes it.
func (t *Tx) Put(key string, value []byte) {
	t.Get(key) // a key must be read before it is written
	t.values[key] = value
	t.written[key] = true
}

// Written returns what was put, by key.
func (t *Tx) Written() map[string][]byte {
	written := make(map[string][]byte, len(t.written))
	for key := range t.written {
		written[key] = t.values[key]
	}
	return written
}

// ErrRestless is the error of a transaction that keeps asking for new keys.
var ErrRestless = errors.New("a transaction asked for new keys")

// errMissing aborts a transaction that needs more keys.
var errMissing = errors.New("keys are missing")

// attempts bounds how often a transaction runs again for its keys. Each run loads all keys that the
// last one asked for, so a few are enough. Other processes that write to the store may cost some
// more.
const attempts = 20

// Update runs fn in a transaction that reads the keys in first, and then any that fn asks for. fn
// runs again from its start each time, so it must reset what it returns by its closure.
func Update(ctx context.Context, st store.Store, first []string, fn func(*Tx)) error {
	return run(ctx, st.Update, first, fn)
}

// Try runs fn as Update does, and stores nothing.
func Try(ctx context.Context, st store.Store, first []string, fn func(*Tx)) error {
	view := func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		return st.View(ctx, keys, func(values [][]byte) error { return fn(slices.Clone(values)) })
	}
	return run(ctx, view, first, fn)
}

// access is how a store is asked: [store.Store.View] or Update.
type access = func(ctx context.Context, keys []string, fn func([][]byte) error) error

func run(ctx context.Context, in access, first []string, fn func(*Tx)) error {
	keys := first
	for range attempts {
		keys = slices.Compact(slices.Sorted(slices.Values(keys)))
		var missing []string
		err := in(ctx, keys, func(values [][]byte) error {
			t := load(keys, values)
			fn(t)
			if missing = t.missing; len(missing) > 0 {
				return errMissing
			}
			for i, key := range keys {
				if t.written[key] {
					values[i] = t.values[key]
				}
			}
			return nil
		})
		if err == nil || !errors.Is(err, errMissing) {
			return err
		}
		keys = append(keys, missing...)
	}
	return fmt.Errorf("%w %d times", ErrRestless, attempts)
}

// View reads keys at once and calls fn with a transaction. fn must not write, nor ask for other
// keys.
func View(ctx context.Context, st store.Store, keys []string, fn func(*Tx)) error {
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	return st.View(ctx, keys, func(values [][]byte) error {
		fn(load(keys, values))
		return nil
	})
}

// TooMuch reports whether a transaction failed because of its size, so that half of it may succeed.
// It takes too many keys, or asks for new ones again and again.
func TooMuch(err error) bool {
	return errors.Is(err, store.ErrInvalid) || errors.Is(err, ErrRestless)
}

// Items is how many items of one record each a transaction gets.
const Items = 64

// InSteps calls fn with all items, most of them at a time, and with fewer if these are too much for a transaction. It
// leaves out an item that is too much alone. Nothing is stored of a transaction that is too much.
func InSteps[T any](items []T, most int, fn func([]T) error) error {
	for some := range slices.Chunk(items, most) {
		err := fn(some)
		if n := len(some); TooMuch(err) && n > 1 {
			err = InSteps(some, (n+1)/2, fn)
		}
		if err != nil && !TooMuch(err) {
			return err
		}
	}
	return nil
}

// Read returns the record of one key, nil if there is none.
func Read(ctx context.Context, st store.Store, key string) ([]byte, error) {
	records, err := ReadAll(ctx, st, key)
	if err != nil {
		return nil, err
	}
	return records[0], nil
}

// ReadAll returns the records of keys, nil for absent ones. A key may be there twice. If there are more keys than one
// transaction takes, the records may be of different moments.
func ReadAll(ctx context.Context, st store.Store, keys ...string) (records [][]byte, err error) {
	at := make(map[string][]int, len(keys))
	for n, key := range keys {
		at[key] = append(at[key], n)
	}
	records = make([][]byte, len(keys))
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(at)), store.MaxKeys) {
		err := st.View(ctx, chunk, func(values [][]byte) error {
			for i, v := range values {
				for _, n := range at[chunk[i]] {
					records[n] = bytes.Clone(v)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}
