package ledger

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// counted is a store that counts the records that are read and the keys that
// are asked for.
type counted struct {
	store.Store
	keys, records atomic.Int64
}

func (c *counted) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	c.keys.Add(int64(len(keys)))
	return c.Store.Update(ctx, keys, fn)
}

func (c *counted) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	c.keys.Add(int64(len(keys)))
	return c.Store.View(ctx, keys, fn)
}

func (c *counted) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range c.Store.Scan(ctx, prefix, after) {
			c.records.Add(1)
			if !yield(r, err) {
				return
			}
		}
	}
}

// What a visit and a change cost must not grow with the number of pages.
func TestVisitCostsTheSameHoweverManyPagesThereAre(t *testing.T) {
	type cost struct{ visit, change int64 }
	var costs []cost
	for _, n := range []int{20, 400} {
		st := &counted{Store: new(memstore.Store)}
		inBubble(t, Config{Store: st, MaxURLs: 10}, func(r *rig) {
			pages := numbered("/p%03d", n)
			r.sight("/", html("home", pages...))
			for i, l := range pages {
				r.sight(l, html(fmt.Sprintf("page %d", i)))
			}
			time.Sleep(time.Hour)
			r.sight("/p004", html("page 4")) // a new span of the day's activity
			measure := func(body string) int64 {
				st.keys.Store(0)
				st.records.Store(0)
				r.sight("/p005", body)
				return st.keys.Load() + st.records.Load()
			}
			c := cost{visit: measure(html("page 5"))}
			c.change = measure(strings.Replace(html("page 5"), "</main>", "<p>"+"And then something else happened, which nobody could have known before it did so."+"</main>", 1))
			costs = append(costs, c)
		})
	}
	if costs[0] != costs[1] {
		t.Errorf("keys and records are %+v with 20 pages, and %+v with 400", costs[0], costs[1])
	}
	t.Logf("%+v", costs)
}
