package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// Processes of one site share its store. One for staging that was given it by mistake is known by where the origin
// leads.
func TestAProcessOfTheSameStoreLearnsOnlyWhereTheOriginLeads(t *testing.T) {
	for _, tt := range []struct {
		name   string
		leads  func(n int64) int // which process the n-th request for a path goes to at the origin
		inside bool              // the owner of the second says that the origin leads there
		swaps  bool              // once the second has explored, the origin leads to it alone
		want   bool              // what visitors of the second get is listed
	}{
		{"staging: always to the first", func(int64) int { return 0 }, false, false, false},
		{"a deploy: to the first, until that ends", func(int64) int { return 0 }, false, true, true},
		{"a fleet: in turn", func(n int64) int { return int(n % 2) }, false, false, true},
		{"a fleet, of which one explores from a machine that always gets the other", func(int64) int { return 0 }, true,
			false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var handlers [2]http.Handler
			var asked sync.Map // how often, by path: explorers ask for several in any order
			var swapped atomic.Bool
			origin := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				n, _ := asked.LoadOrStore(r.URL.Path, new(atomic.Int64))
				to := tt.leads(n.(*atomic.Int64).Add(1))
				if swapped.Load() {
					to = 1
				}
				handlers[to].ServeHTTP(w, r)
			})
			st, pages := sharedStore{new(memstore.Store)}, [2]map[string]string{
				{"/": `<a href="/real">real</a>`, "/real": "the real one"}, {"/": `<a href="/draft">draft</a>`,
					"/draft": "a draft"}}
			var sites [2]*servemap.Site
			var programs [2]http.Handler
			for i := range sites {
				opts := renderOften()
				opts.Logger = new(base.Log).Logger()
				site, err := servemap.New(origin, st, &opts)
				base.Check(t, err)
				defer func() { base.Check(t, site.Close(context.Background())) }()
				if i == 0 { // the second begins to read the store while it explores
					base.Check(t, site.Flush(t.Context()))
				}
				sites[i] = site
				programs[i] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if text := pages[i][r.URL.Path]; text != "" {
						w.Header().Set("Content-Type", "text/html")
						_, _ = w.Write([]byte("<!doctype html><title>" + text + "</title><p>" + text))
						return
					}
					http.NotFound(w, r)
				})
				handlers[i] = site.Wrap(programs[i])
			}
			opts := &servemap.ExploreOptions{}
			if tt.inside {
				opts.Inside = programs[1]
			}
			_, err := sites[1].Explore(t.Context(), opts)
			swapped.Store(tt.swaps)
			for _, path := range []string{"/", "/", "/draft"} { // who comes first may only have the origin asked again
				r := httptest.NewRequest(http.MethodGet, origin+path, nil)
				r.RequestURI = path
				handlers[1].ServeHTTP(httptest.NewRecorder(), r)
				base.Check(t, sites[1].Flush(t.Context()))
			}
			e, failed := sites[1].Explain(t.Context(), "/draft")
			base.Check(t, failed)
			told := strings.Contains(strings.Join(sites[1].Stats().Hints, " "), "Another process with the same database")
			if got := e.Verdict == servemap.VerdictListed; got != tt.want || told == tt.want {
				t.Errorf("listed %v, want %v; the hint is given: %v; exploring: %v", got, tt.want, told, err)
			}
		})
	}
}
