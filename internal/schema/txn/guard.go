package txn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"

	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/store"
)

// Guard returns st with its panics turned into errors and its calls watched, so that a failing
// store does not harm the site. If the site's record comes from a later version of this program,
// all calls fail: this process must not overwrite what it cannot read. site is the key of that
// record. Guard's store logs when st stops answering.
func Guard(st store.Store, site string, log *slog.Logger) *Guarded {
	return &Guarded{st, &watch{log: log}, site}
}

// Guarded is what [Guard] returns.
type Guarded struct {
	st    store.Store
	watch *watch
	site  string // the key of the site's record
}

// Stalled returns an error while the store does not answer.
func (g *Guarded) Stalled() error { return g.watch.stalled() }

// ErrLater is the error of all calls after a later version has taken over the store.
var ErrLater = errors.New("a later version of this program has taken over the store; " +
	"the last sitemap is served, and this process learns nothing more: replace it by that version")

// check returns ErrLater if the site's record comes from a later version, or an earlier call found
// that it does.
func (g *Guarded) check(record []byte) error {
	if isLater(record) {
		g.watch.later.Store(true)
	}
	if g.watch.later.Load() {
		return ErrLater
	}
	return nil
}

func isLater(site []byte) bool {
	return errors.Is(codec.Check(site), codec.ErrFormat)
}

// rescue turns a panic of the store into the error of the call.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("store panicked: %v", p)
	}
}

func (g *Guarded) View(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
	defer rescue(&err)
	if err := g.check(nil); err != nil {
		return err
	}
	defer g.watch.begin().end()
	at := slices.Index(keys, g.site)
	return g.st.View(ctx, keys, func(values [][]byte) error {
		if at >= 0 {
			if err := g.check(values[at]); err != nil {
				return err
			}
		}
		return fn(values)
	})
}

// Update also reads the site's record.
func (g *Guarded) Update(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
	defer rescue(&err)
	if err := g.check(nil); err != nil {
		return err
	}
	defer g.watch.begin().end()
	given, at := len(keys), slices.Index(keys, g.site)
	if at < 0 {
		keys, at = append(slices.Clone(keys), g.site), given
	}
	return g.st.Update(ctx, keys, func(values [][]byte) error {
		if err := g.check(values[at]); err != nil {
			return err
		}
		return fn(values[:given])
	})
}

func (g *Guarded) Sync(ctx context.Context) (err error) {
	defer rescue(&err)
	if err := g.check(nil); err != nil {
		return err
	}
	defer g.watch.begin().end()
	return g.st.Sync(ctx)
}

func (g *Guarded) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		err := g.check(nil)
		if err == nil {
			err = g.scan(ctx, prefix, after, yield)
		}
		if err != nil {
			yield(store.Record{}, err)
		}
	}
}

// scan yields what the store yields. It passes on a panic of the loop's body, since the store did
// not cause it.
func (g *Guarded) scan(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) (err error) {
	inBody := false
	call := g.watch.begin()
	defer func() {
		call.end()
		if inBody {
			return
		}
		if p := recover(); p != nil {
			err = fmt.Errorf("store panicked: %v", p)
		}
	}()
	for r, err := range g.st.Scan(ctx, prefix, after) {
		call.end()
		inBody = true
		more := yield(r, err)
		inBody = false
		call.resume()
		if !more {
			break
		}
	}
	return nil
}
