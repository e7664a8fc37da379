// Package storetest has the rules that every store of servemap must keep. This tests a store's
// whole behaviour:
//
//	storetest.Run(t, func(t *testing.T) store.Store { ... })
//
// The rules themselves are tested against stores that break them one by one.
package storetest

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/servemap/servemap/store"
)

// Run tries every rule on its own store, as a subtest named after the rule. open returns an empty
// store and makes t.Cleanup close it.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	RunShared(t, func(t *testing.T) (a, b store.Store) {
		st := open(t)
		return st, st
	})
}

// RunShared tries every rule on two handles to the same data, like those of two servers. A rule
// writes through one and reads through the other. open returns two handles to one empty store and
// makes t.Cleanup close them.
func RunShared(t *testing.T, open func(t *testing.T) (a, b store.Store)) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			a, b := open(t)
			r.try(t, pair{a, b})
		})
	}
}

// A rule is something that every store does. try reports violations through t, and returns when it
// knows.
type rule struct {
	name string
	why  string // what goes wrong if a store breaks it
	try  func(t tester, p pair)
}

// tester is the part of *testing.T that a rule uses. So a test can try a rule on a broken store
// without failing.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A pair is two handles to one store, which may be the same. Rules write through a and read through
// b.
type pair struct{ a, b store.Store }

// put writes one value through a.
func (p pair) put(t tester, key string, value []byte) {
	t.Helper()
	p.putAll(t, map[string][]byte{key: value})
}

// putAll writes values through a, in one update.
func (p pair) putAll(t tester, records map[string][]byte) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(records))
	update(t, p.a, keys, func(values [][]byte) {
		for i, key := range keys {
			values[i] = clone(records[key])
		}
	})
}

// update makes fn change values of st. It must not fail.
func update(t tester, st store.Store, keys []string, fn func(values [][]byte)) {
	t.Helper()
	err := st.Update(context.Background(), keys, func(values [][]byte) error {
		fn(values)
		return nil
	})
	if err != nil {
		t.Fatalf("Update of %d keys: %v", len(keys), err)
	}
}

// get reads one value through b.
func (p pair) get(t tester, key string) []byte {
	t.Helper()
	return p.getAll(t, []string{key})[0]
}

// getAll reads values through b.
func (p pair) getAll(t tester, keys []string) [][]byte {
	t.Helper()
	var got [][]byte
	calls := 0
	err := p.b.View(context.Background(), keys, func(values [][]byte) error {
		calls++
		got = cloneAll(values)
		return nil
	})
	if err != nil {
		t.Fatalf("View of %d keys: %v", len(keys), err)
	}
	if calls != 1 || len(got) != len(keys) {
		t.Fatalf("View of %d keys called fn %d times, the last time with %d values", len(keys), calls, len(got))
	}
	return got
}

// scan returns what a scan through b yields.
func (p pair) scan(t tester, prefix, after string) []store.Record {
	t.Helper()
	var got []store.Record
	for r, err := range p.b.Scan(context.Background(), prefix, after) {
		if err != nil {
			t.Fatalf("Scan(%q, %q): %v", prefix, after, err)
		}
		got = append(got, store.Record{Key: r.Key, Value: clone(r.Value)})
	}
	return got
}
