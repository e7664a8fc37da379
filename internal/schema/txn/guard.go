package txn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/store"
)

// Guarded is a store whose panics become errors and whose calls are watched, so that a failing
// store does not harm the site. If the site's record is in another format, a later version of this
// program has taken over. Then all calls fail: this process must not overwrite what it cannot read.
type Guarded struct {
	st    store.Store
	site  string // the key of the site's record
	log   *slog.Logger
	later atomic.Int32 // the other format of the site's record, 0 for none
	late  atomic.Int64 // calls that have taken longer than patience and not returned
}

// Guard guards st. site is the key of the site's record. The log says when st stops answering.
func Guard(st store.Store, site string, log *slog.Logger) *Guarded {
	return &Guarded{st: st, site: site, log: log}
}

// patience is how long a call to a store may take before Stats and the log report it. Ordinary
// stores on ordinary disks stall for seconds now and then.
const patience = 15 * time.Second

// Stalled returns an error while the store does not answer. A store that hangs returns none itself.
func (g *Guarded) Stalled() error {
	if g.late.Load() > 0 {
		return fmt.Errorf("the store has not answered for more than %v", patience)
	}
	return nil
}

// ErrLater is the error of all calls after a later version has taken over the store.
var ErrLater = errors.New("a later version of this program has taken over the store; " +
	"the last sitemap is served, and this process learns nothing more: replace it by that version")

// readable returns ErrLater, with the number, if the site's record is in another format.
func (g *Guarded) readable(record []byte) error {
	if errors.Is(codec.Check(record), codec.ErrFormat) {
		g.later.Store(max(1, int32(record[0])))
	}
	return g.taken()
}

func (g *Guarded) taken() error {
	if n := g.later.Load(); n != 0 {
		return fmt.Errorf("records of format %d, where this program knows format %d: %w", n, codec.Format, ErrLater)
	}
	return nil
}

// call runs one call to the store, and turns a panic of the store into the call's error.
func (g *Guarded) call(fn func(*call) error) (err error) {
	if err := g.taken(); err != nil {
		return err
	}
	c := &call{late: &g.late, timer: time.AfterFunc(patience, g.isLate)}
	defer func() {
		if c.left { // the loop over a scan panicked, not the store
			return
		}
		c.leave()
		if p := recover(); p != nil {
			err = fmt.Errorf("store panicked: %v", p)
		}
	}()
	return fn(c)
}

// isLate notes a late call, and logs it if no other is late.
func (g *Guarded) isLate() {
	if g.late.Add(1) == 1 {
		g.log.Warn("servemap: the store does not answer; the site goes on, the last sitemap stays, and what was seen is "+
			"stored once it answers", "waited", patience)
	}
}

// call is a call to the store that is timed.
type call struct {
	late  *atomic.Int64
	timer *time.Timer
	left  bool // the store has answered, and the caller's loop runs
}

// leave notes that the store has answered.
func (c *call) leave() {
	if !c.timer.Stop() {
		c.late.Add(-1)
	}
	c.left = true
}

// enter times the store anew. A scan does so for each record, so that only the time of the store
// counts.
func (c *call) enter() {
	c.left = false
	c.timer.Reset(patience)
}

func (g *Guarded) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	at := slices.Index(keys, g.site)
	return g.call(func(*call) error {
		return g.st.View(ctx, keys, func(values [][]byte) error {
			if at >= 0 {
				if err := g.readable(values[at]); err != nil {
					return err
				}
			}
			return fn(values)
		})
	})
}

// Update also reads the site's record.
func (g *Guarded) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	given, at := len(keys), slices.Index(keys, g.site)
	if at < 0 {
		keys, at = append(slices.Clone(keys), g.site), given
	}
	return g.call(func(*call) error {
		return g.st.Update(ctx, keys, func(values [][]byte) error {
			if err := g.readable(values[at]); err != nil {
				return err
			}
			return fn(values[:given])
		})
	})
}

func (g *Guarded) Sync(ctx context.Context) error {
	return g.call(func(*call) error { return g.st.Sync(ctx) })
}

func (g *Guarded) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		more := true // the loop over the scan goes on
		err := g.call(func(c *call) error {
			for r, err := range g.st.Scan(ctx, prefix, after) {
				c.leave()
				more = yield(r, err)
				c.enter()
				if !more {
					break
				}
			}
			return nil
		})
		if err != nil && more {
			yield(store.Record{}, err)
		}
	}
}
