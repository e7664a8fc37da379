// Package txn runs transactions over a store. It takes a function that gets and puts
// values by their keys, and need not know beforehand which: when it asks for a key that
// was not read, it runs again with that key. What it puts is written all at once. The
// package also guards the process against its store: one that panics, hangs, or was
// taken over by a later version of the program. It must never pass a panic of the store
// on.
package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/servemap/servemap/store"
)

// Tx is what one transaction sees and writes. A key that was not loaded reads as
// absent and is noted; then all is done again with that key loaded.
type Tx struct {
	values  map[string][]byte
	written map[string]bool
	missing []string
}

// New returns a transaction that has read values.
func New(values map[string][]byte) *Tx { return &Tx{values: values, written: map[string]bool{}} }

// load returns a transaction that has read keys.
func load(keys []string, values [][]byte) *Tx {
	loaded := make(map[string][]byte, 2*len(keys))
	for i, key := range keys {
		loaded[key] = values[i]
	}
	return New(loaded)
}

// Get returns the value of key, nil if there is none.
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
	t.Get(key) // what is written is read first
	t.values[key] = value
	t.written[key] = true
}

// Written returns what was put, by its keys.
func (t *Tx) Written() map[string][]byte {
	written := make(map[string][]byte, len(t.written))
	for key := range t.written {
		written[key] = t.values[key]
	}
	return written
}

// ErrRestless ends a transaction that never has all its keys.
var ErrRestless = errors.New("a transaction asked for new keys")

// errMissing aborts a transaction whose keys were not all loaded.
var errMissing = errors.New("keys are missing")

// attempts bounds how often a transaction is done again for its keys. Each
// round loads all that the one before asked for, so a few are enough; other
// processes that write the same store may cost some more.
const attempts = 20

// Update runs fn in a transaction that begins with the keys given and takes in
// those that fn asks for. fn is run again from the start each time, so it must
// reset what it returns by its closure.
func Update(ctx context.Context, st store.Store, first []string, fn func(*Tx)) error {
	keys := slices.Clone(first)
	for range attempts {
		slices.Sort(keys)
		keys = slices.Compact(keys)
		var missing []string
		err := st.Update(ctx, keys, func(values [][]byte) error {
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

// View reads keys in one go and calls fn with a transaction that must write
// nothing and ask for nothing else.
func View(ctx context.Context, st store.Store, keys []string, fn func(*Tx)) error {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return st.View(ctx, keys, func(values [][]byte) error {
		fn(load(keys, values))
		return nil
	})
}

// TooMuch reports whether a transaction failed by its size, so that half of it may
// not: it takes too many keys, or asks for other ones again and again.
func TooMuch(err error) bool {
	return errors.Is(err, store.ErrInvalid) || errors.Is(err, ErrRestless)
}
