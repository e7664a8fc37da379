package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/servemap/servemap/store"
)

// tx is what one transaction sees and writes. Code that uses it need not know
// beforehand which keys it will touch: a key that was not loaded reads as
// absent and is noted, and then the whole is done again with that key loaded.
type tx struct {
	values  map[string][]byte
	written map[string]bool
	missing []string
	failed  error // aborts the transaction
}

// Get returns the value of key, nil if there is none.
func (t *tx) Get(key string) []byte {
	v, loaded := t.values[key]
	if !loaded {
		t.missing = append(t.missing, key)
		t.values[key] = nil
	}
	return v
}

// Put sets the value of key; nil deletes it.
func (t *tx) Put(key string, value []byte) {
	t.Get(key) // what is written is read first
	t.values[key] = value
	t.written[key] = true
}

// errRestless ends a transaction that never has all its keys.
var errRestless = errors.New("a transaction asked for new keys")

// errMissing aborts a transaction whose keys were not all loaded.
var errMissing = errors.New("keys are missing")

// attempts bounds how often a transaction is done again for its keys. Each
// round loads all that the one before asked for, so a few are enough; other
// processes that write the same store may cost some more.
const attempts = 20

// update runs fn in a transaction that begins with the keys given and takes in
// those that fn asks for. fn is run again from the start each time, so it must
// reset what it returns by its closure.
func update(ctx context.Context, st store.Store, first []string, fn func(*tx)) error {
	keys := slices.Clone(first)
	for range attempts {
		slices.Sort(keys)
		keys = slices.Compact(keys)
		var missing []string
		err := st.Update(ctx, keys, func(values [][]byte) error {
			t := &tx{values: make(map[string][]byte, 2*len(keys)), written: map[string]bool{}}
			for i, key := range keys {
				t.values[key] = values[i]
			}
			fn(t)
			if t.failed != nil {
				return t.failed
			}
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
	return fmt.Errorf("%w %d times", errRestless, attempts)
}

// view reads keys in one go and calls fn with a transaction that must write
// nothing and ask for nothing else.
func view(ctx context.Context, st store.Store, keys []string, fn func(*tx)) error {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return st.View(ctx, keys, func(values [][]byte) error {
		t := &tx{values: make(map[string][]byte, len(keys)), written: map[string]bool{}}
		for i, key := range keys {
			t.values[key] = values[i]
		}
		fn(t)
		return t.failed
	})
}
