// Package call has the steps of View, Update and Scan that all stores share.
package call

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/servemap/servemap/store"
)

// Lock is held by one call at a time, in the order in which they came. Unlike a sync.Mutex, it can be waited for
// until a context ends. The zero value is free.
type Lock struct {
	made sync.Once
	one  *semaphore.Weighted
}

// Take waits for the lock. It returns ctx.Err() if ctx ends before.
func (l *Lock) Take(ctx context.Context) error {
	l.made.Do(func() { l.one = semaphore.NewWeighted(1) })
	return l.one.Acquire(ctx, 1)
}

// Release gives the lock to the call that waits longest.
func (l *Lock) Release() { l.one.Release(1) }

// Changes calls the fn of an Update with copies of the old values. It returns copies of the records that fn changed, in
// the order of the keys; a nil Value deletes the key. The error is fn's, or says which limit fn exceeded.
func Changes(keys []string, old [][]byte, fn func(values [][]byte) error) (changes []store.Record, err error) {
	values := make([][]byte, len(old))
	for i, value := range old {
		values[i] = slices.Clone(value)
	}
	if err := fn(values); err != nil {
		return nil, err
	}
	if err := store.CheckValues(keys, values); err != nil {
		return nil, err
	}
	for i, value := range values {
		if (value == nil) != (old[i] == nil) || !bytes.Equal(value, old[i]) {
			changes = append(changes, store.Record{Key: keys[i], Value: slices.Clone(value)})
		}
	}
	return changes, nil
}

// How much a step of a Scan reads. The first step is small, since many loops end soon.
const (
	firstRecords = 256
	mostRecords  = 1000
	MostBytes    = 1 << 20 // of values, after which a step ends
)

// Scan implements a store's Scan in steps. next returns at most most records whose keys begin with prefix, from the key
// first on, and whether there may be more.
func Scan(ctx context.Context, prefix, after string, next func(first string, most int) ([]store.Record, bool,
	error)) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := store.CheckScan(prefix, after); err != nil {
			yield(store.Record{}, err)
			return
		}
		first := max(prefix, after+"!") // no key has a byte below '!'
		for most, more := firstRecords, true; more; most = mostRecords {
			var records []store.Record
			var err error
			if records, more, err = next(first, most); err != nil {
				yield(store.Record{}, err)
				return
			}
			for _, record := range records {
				if ctx.Err() != nil {
					yield(store.Record{}, ctx.Err())
					return
				}
				if !yield(record, nil) {
					return
				}
				first = record.Key + "!"
			}
		}
	}
}
