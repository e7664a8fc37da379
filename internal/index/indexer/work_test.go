package indexer

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// A task that is still due when it has run would keep a processor busy for ever.
func TestNoTaskIsDueRightAfterItRan(t *testing.T) {
	for name, prepare := range map[string]func(*rig){
		"a site that was learned": func(r *rig) { r.crawl("/a", "/b") },
		"more locations barred than are kept": func(r *rig) {
			r.crawl("/a", "/b", "/c")
			for _, l := range []string{"/a", "/b", "/c"} {
				r.check(r.indexer.Forget(r.Context(), l))
			}
		},
		"a page that may be gone": func(r *rig) {
			r.crawl("/a", "/b")
			r.answer("/a", 404)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Config{MaxWaiting: 1, RefreshEvery: time.Minute}, func(r *rig) {
				prepare(r)
				r.flush()
				r.check(r.indexer.call(r.Context(), func(ctx context.Context) error {
					for i, task := range r.indexer.tasks {
						if err := task.run(ctx, false); err != nil {
							return err
						}
						if due := task.due(time.Now()); !due.IsZero() && !due.After(time.Now()) {
							t.Errorf("task %d is due although it has just run", i)
						}
					}
					return nil
				}))
			})
		})
	}
}

// waiting is an observation as one of many that wait while the store hangs.
func waiting(i int, link string, vouched bool) *observation.Observation {
	return &observation.Observation{
		Kind: eligibility.Alive, Location: "/page/" + strconv.Itoa(i), Vouched: vouched,
		Response: &response.Response{Status: http.StatusNotModified, Header: response.Header{Link: link}, Complete: true},
	}
}

func TestQueueIsBoundedInBytes(t *testing.T) {
	for _, tt := range []struct {
		name        string
		link        string
		vouched     bool
		least, most int
	}{
		{"small observations", "", true, 2_500, 6_250},
		{"small observations of made-up pages", "", false, 2_000, 5_000},
		{"headers of 8 KB", strings.Repeat("x", 8<<10), true, 250, 320},
		{"headers of 8 KB of made-up pages", strings.Repeat("x", 8<<10), false, 200, 256},
		{"headers of 1 MB", strings.Repeat("x", 1<<20), true, 2, 2},
		{"headers of 1 MB of made-up pages", strings.Repeat("x", 1<<20), false, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := newQueue(nil)
			fill := func() (n int) {
				for ; q.offer(waiting(n, tt.link, tt.vouched)); n++ {
				}
				return n
			}
			n := fill()
			if n < tt.least || n > tt.most || q.depth() != n || q.dropped.Load() != 1 {
				t.Errorf("%d were taken, %d wait, %d were dropped; want %d to %d", n, q.depth(), q.dropped.Load(), tt.least,
					tt.most)
			}
			for i := range n {
				if s := q.take(1); len(s) != 1 || s[0].Location != "/page/"+strconv.Itoa(i) {
					t.Fatalf("the observation %d is %+v", i, s)
				}
			}
			base.Equal(t, len(q.take(1)), 0, "left once all were given back")
			base.Equal(t, fill(), n, "that fit once all were given back")
		})
	}
}

func TestClosedQueueTakesNothing(t *testing.T) {
	q := newQueue(nil)
	q.close()
	if q.offer(waiting(0, "", true)) {
		t.Error("it took an observation")
	}
}

// affords merges an observation within the budget, while sight reads all of it.
func (r *rig) affords(s *observation.Observation, change ...func(*observation.Observation)) {
	r.Helper()
	for _, f := range change {
		f(s)
	}
	r.check(r.indexer.call(r.Context(), func(ctx context.Context) error {
		r.indexer.merging.pending = append(r.indexer.merging.pending, s)
		return r.indexer.work(ctx, false)
	}))
}

// TestMadeUpPagesDoNotKeepNewOnesOut lets strangers ask for pages that take a second each to read,
// until none of them is read in full. Then a listed page links to new ones.
func TestMadeUpPagesDoNotKeepNewOnesOut(t *testing.T) {
	for _, tt := range []struct {
		name   string
		page   string
		change []func(*observation.Observation)
	}{
		{"by a listed page", "/news", nil},
		{"by an entry", "/", nil},
		{"by a page with a route of its own", "/routed", []func(*observation.Observation){route("/routed", true)}},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/news"))
			r.sight("/news", html("news", "/news/one"))
			r.sight("/news/one", html("the first one"))
			r.wantListed("/", "/news", "/news/one")
			read := 0
			for n := range 100 {
				junk := fmt.Sprintf("/junk/%d", n)
				r.affords(seen(junk, html("made up as "+junk)))
				if r.isRead(junk) {
					read++
					r.indexer.merging.budget.Pay(int64(time.Second))
				}
			}
			if read == 0 || read > 20 {
				r.Errorf("%d of 100 made-up pages were read in full, want some 15", read)
			}
			fresh := numbered("/news/new-%d", 6)
			r.affords(seen(tt.page, html("what is new", append(fresh, "/news", "/news/one")...)), tt.change...)
			for _, loc := range fresh {
				r.affords(seen(loc, html("new is "+loc)))
				r.wantVerdict(loc, eligibility.Listed, eligibility.ByLink)
				if !r.isRead(loc) {
					r.Errorf("%s was not read in full", loc)
				}
			}
			time.Sleep(time.Minute)
			if r.affords(seen("/later", html("later"))); !r.isRead("/later") {
				r.Error("after a minute the budget is still used up")
			}
		})
	}
}

// isRead reports whether the last observation of a location read all of the page.
func (r *rig) isRead(location string) bool { return r.page(location).BodyHash != 0 }

// counted is a store that counts its work.
type counted struct {
	store.Store
	keys    atomic.Int64 // of all calls of View and Update
	records atomic.Int64 // that scans have shown
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
	base.OneByOne(t)
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
			c.change = measure(strings.Replace(html("page 5"), "</main>", "<p>"+
				"And then something else happened, which nobody could have known before it did so."+"</main>", 1))
			costs = append(costs, c)
		})
	}
	if costs[0] != costs[1] {
		t.Errorf("keys and records are %+v with 20 pages, and %+v with 400", costs[0], costs[1])
	}
	t.Logf("%+v", costs)
}
