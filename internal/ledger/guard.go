package ledger

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/store"
)

// Guard returns st with its panics turned into errors, and its calls watched: a
// guest's trouble is not the host's. Its updates leave the records of a later
// version alone, whatever they are asked to write: another process, which shares
// the store, needs them.
func Guard(st store.Store) store.Store { return guarded{st, newWatch()} }

type guarded struct {
	st    store.Store
	watch *watch
}

// rescue makes a panic the error of the call it ended.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("store panicked: %v", p)
	}
}

func (g guarded) View(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
	defer rescue(&err)
	defer g.watch.begin()()
	return g.st.View(ctx, keys, fn)
}

func (g guarded) Update(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
	defer rescue(&err)
	defer g.watch.begin()()
	return g.st.Update(ctx, keys, func(values [][]byte) error {
		kept := laterOf(values)
		if err := fn(values); err != nil {
			return err
		}
		for i, value := range kept {
			values[i] = value
		}
		return nil
	})
}

// laterOf returns copies of the values that are records of a later version, by
// their places, nil if there are none.
func laterOf(values [][]byte) (kept map[int][]byte) {
	for i, value := range values {
		if !record.Later(value) {
			continue
		}
		if kept == nil {
			kept = map[int][]byte{}
		}
		kept[i] = bytes.Clone(value)
	}
	return kept
}

func (g guarded) Sync(ctx context.Context) (err error) {
	defer rescue(&err)
	defer g.watch.begin()()
	return g.st.Sync(ctx)
}

func (g guarded) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := g.scan(ctx, prefix, after, yield); err != nil {
			yield(store.Record{}, err)
		}
	}
}

// scan yields what the store does. A panic of the loop's body is passed on, as
// it is none of the store's.
func (g guarded) scan(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) (err error) {
	inBody := false
	end := g.watch.begin()
	defer func() {
		end()
		if inBody {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("store panicked: %v", p)
		}
	}()
	for r, err := range g.st.Scan(ctx, prefix, after) {
		end()
		inBody = true
		more := yield(r, err)
		inBody = false
		end = g.watch.begin()
		if !more {
			break
		}
	}
	return nil
}
