package storetest

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/servemap/servemap/store"
)

// A broken handle is one of two handles to a sound store. A single handle would seldom or never
// show its fault.
type brokenHandle struct {
	name   string // what it does
	breaks string // the rule that it breaks
	make   func(sound store.Store) pair
}

var brokenHandles = []brokenHandle{
	{"locks only its own updates out", "NoUpdateIsLost", eachHandle(locksItself)},
	{"locks only its own moves out", "NothingIsLostOnTheMove", eachHandle(locksItself)},
	{"moves in two steps", "NothingIsLostOnTheMove", eachHandle(deletesFirst)},
	{"remembers what it viewed", "OthersSeeWhatWasWritten", eachHandle(remembersViews)},
	{"remembers what it scanned", "OthersSeeWhatWasWritten", eachHandle(remembersScans)},
	{"locks keys in the order given", "NoUpdateIsLost", locksInGivenOrder},
}

func eachHandle(spoil func(store.Store) store.Store) func(store.Store) pair {
	return func(sound store.Store) pair { return pair{spoil(sound), spoil(sound)} }
}

func locksItself(st store.Store) store.Store {
	var mu sync.Mutex
	careless := getThenPut(slow(st))
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		mu.Lock()
		defer mu.Unlock()
		return careless.Update(ctx, keys, fn)
	}}
}

// slow makes updates take some time to reach the store, as over a network.
func slow(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		time.Sleep(100 * time.Microsecond)
		return st.Update(ctx, keys, fn)
	}}
}

// deletesFirst splits an update into two.
func deletesFirst(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		var left [][]byte
		err := st.Update(ctx, keys, func(values [][]byte) error {
			err := fn(values)
			left = cloneAll(values)
			for i := range values {
				if left[i] != nil && err == nil {
					values[i] = nil
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		return slow(st).Update(ctx, keys, func(values [][]byte) error { copy(values, left); return nil })
	}}
}

func remembersScans(st store.Store) store.Store {
	var known []store.Record
	return faulty{Store: st,
		update: around(st.Update, nop, func([]string, [][]byte) { known = nil }),
		scan: func(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
			return func(yield func(store.Record, error) bool) {
				if known == nil {
					known = []store.Record{}
					for r, err := range st.Scan(ctx, prefix, after) {
						if err != nil {
							yield(r, err)
							return
						}
						known = append(known, store.Record{Key: r.Key, Value: clone(r.Value)})
					}
				}
				for _, r := range known {
					if !yield(r, nil) {
						return
					}
				}
			}
		},
	}
}

var errDeadlock = errors.New("deadlock detected")

// locksInGivenOrder has a lock for each key, as databases do. If it does not get one in time, it
// reports a deadlock, as databases do.
func locksInGivenOrder(st store.Store) pair {
	var mu sync.Mutex
	locks := map[string]chan struct{}{}
	lock := func(key string) chan struct{} {
		mu.Lock()
		defer mu.Unlock()
		if locks[key] == nil {
			locks[key] = make(chan struct{}, 1)
		}
		return locks[key]
	}
	return eachHandle(func(st store.Store) store.Store {
		return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			for _, key := range keys {
				select {
				case lock(key) <- struct{}{}:
					defer func() { <-lock(key) }()
				case <-time.After(50 * time.Millisecond):
					return errDeadlock
				}
				time.Sleep(time.Microsecond) // the time until a database reaches the next key
			}
			return st.Update(ctx, keys, fn)
		}}
	})(st)
}
