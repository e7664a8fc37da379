package ledger

import (
	"context"
	"fmt"
	"iter"

	"github.com/servemap/servemap/store"
)

// Guard returns st with its panics turned into errors: a guest's trouble is not
// the host's.
func Guard(st store.Store) store.Store { return guarded{st} }

type guarded struct{ st store.Store }

// rescue makes a panic the error of the call it ended.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("store panicked: %v", p)
	}
}

func (g guarded) View(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
	defer rescue(&err)
	return g.st.View(ctx, keys, fn)
}

func (g guarded) Update(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
	defer rescue(&err)
	return g.st.Update(ctx, keys, fn)
}

func (g guarded) Sync(ctx context.Context) (err error) {
	defer rescue(&err)
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
	defer func() {
		if inBody {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("store panicked: %v", p)
		}
	}()
	for r, err := range g.st.Scan(ctx, prefix, after) {
		inBody = true
		more := yield(r, err)
		inBody = false
		if !more {
			break
		}
	}
	return nil
}
