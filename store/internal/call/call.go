// Package call has what the stores do alike in their calls.
package call

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/servemap/servemap/store"
)

// Lock is held by one call at a time, in the order in which they came. Unlike a sync.Mutex, it can be waited for
// until a context ends. The zero value is free. It has no channel, since a test's store may outlive the bubble of
// synctest.
type Lock struct {
	mu      sync.Mutex
	held    bool
	waiting []*waiter
}

// waiter is a call that waits for a Lock. It is woken when it has the lock, or its context has ended.
type waiter struct {
	*sync.Cond
	has bool
}

// Take waits for the lock. It returns ctx.Err() if ctx ends before.
func (l *Lock) Take(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil || !l.held {
		l.held = l.held || err == nil
		return err
	}
	w := &waiter{Cond: sync.NewCond(&l.mu)}
	l.waiting = append(l.waiting, w)
	defer context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		w.Signal()
	})()
	for !w.has && ctx.Err() == nil {
		w.Wait()
	}
	if w.has {
		return nil
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(other *waiter) bool { return other == w })
	return ctx.Err()
}

// Release gives the lock to the call that waits longest.
func (l *Lock) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held = len(l.waiting) > 0; !l.held {
		return
	}
	next := l.waiting[0]
	l.waiting[0] = nil
	l.waiting, next.has = l.waiting[1:], true
	next.Signal()
}

// Changes calls fn of an Update with copies of the old values, and returns what it changed, in order:
// copies, whose Value is nil if the key is to be deleted. The error is fn's, or that of what it left.
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

// Scan is a Scan that reads some records at a time. next returns at most so many records whose keys begin
// with prefix, from the first key on, and whether there may be more.
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
