// Package strict finds callers of a store that break what callers promise.
package strict

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/servemap/servemap/store"
)

// Reporter is the part of *testing.T that hears of what callers break.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// New returns st and watches its callers. If one breaks a promise that callers of a
// [store.Store] make, t gets an error. The store
//   - runs the fn of each Update twice on equal values, and compares what the
//     two runs leave and return, as fn must be pure;
//   - overwrites the slices handed to fn when the call has ended, and a
//     Record's Value before the next iteration, so that a slice that was kept
//     shows;
//   - holds calls to the limits.
//
// A fn may return results through captured variables if a second run sets them to the same values.
//
// The store is safe for concurrent use, but not after t has ended.
func New(t Reporter, st store.Store) store.Store { return &strict{t, st} }

type strict struct {
	t  Reporter
	st store.Store
}

func (s *strict) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	s.t.Helper()
	s.check(store.CheckKeys(keys))
	return s.st.View(ctx, keys, func(values [][]byte) error {
		handed := cloneAll(values)
		given := slices.Clone(handed)
		defer scribble(given)
		return fn(handed)
	})
}

func (s *strict) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	s.t.Helper()
	s.check(store.CheckKeys(keys))
	return s.st.Update(ctx, keys, func(values [][]byte) error {
		rehearsed, wantErr := rehearse(values, fn)
		left, err := rehearse(values, fn)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			s.t.Errorf("strict: fn is not pure: it returned %v, and run again %v", wantErr, err)
		}
		if i := firstDifference(rehearsed, left); i >= 0 {
			s.t.Errorf("strict: fn is not pure: run again, it left another value for key %d of %d", i, len(keys))
		}
		if err != nil {
			return err
		}
		s.check(store.CheckValues(keys, left))
		copy(values, left)
		return nil
	})
}

func (s *strict) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	s.t.Helper()
	s.check(store.CheckScan(prefix, after))
	return func(yield func(store.Record, error) bool) {
		for r, err := range s.st.Scan(ctx, prefix, after) {
			handed := slices.Clone(r.Value)
			more := yield(store.Record{Key: r.Key, Value: handed}, err)
			scribble([][]byte{handed})
			if !more {
				return
			}
		}
	}
}

func (s *strict) Sync(ctx context.Context) error { return s.st.Sync(ctx) }

func (s *strict) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Errorf("strict: %v", err)
	}
}

// rehearse runs fn on copies of values, and returns copies of what it left. Then it overwrites the
// slices that fn got. It leaves slices that fn made alone, since fn may use them again.
func rehearse(values [][]byte, fn func([][]byte) error) ([][]byte, error) {
	handed := cloneAll(values)
	given := slices.Clone(handed)
	defer scribble(given)
	err := fn(handed)
	return cloneAll(handed), err
}

func scribble(values [][]byte) {
	for _, value := range values {
		value = value[:cap(value)]
		for i := range value {
			value[i] = 0xdb
		}
	}
}

// firstDifference returns the index at which a and b differ, or -1.
func firstDifference(a, b [][]byte) int {
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) || !bytes.Equal(a[i], b[i]) {
			return i
		}
	}
	return -1
}

func cloneAll(values [][]byte) [][]byte {
	out := make([][]byte, len(values))
	for i, value := range values {
		out[i] = slices.Clone(value)
	}
	return out
}
