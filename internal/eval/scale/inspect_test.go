package scale

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// inspect measures the inspector's pages on a site at rest: the slowest time of several for
// each, and the memory beyond what the site used after its own pass over all records.
func inspect(t *testing.T, cfg config) {
	site, err := kit.NewSite(openStore(t, cfg.dir), servemap.Options{Rules: sections(cfg.parts)})
	base.Check(t, err)
	t.Cleanup(func() { base.Check(t, kit.CloseSite(site, time.Minute)) })
	base.Check(t, site.Flush(t.Context()))
	deadLinks(t, cfg, site)
	everybody := func(*http.Request) bool { return true }
	handler := http.NewServeMux()
	handler.Handle("/", site.Inspector(everybody))
	handler.Handle("/metrics", site.Metrics(everybody))
	before := anonymous()
	peak := before
	middle := location(cfg.pages / 2)
	for _, view := range []struct{ name, target string }{
		{"overview", "/"},
		{"one page", "/page?u=" + url.QueryEscape(middle)},
		{"pages", "/pages"},
		{"pages from the middle on", "/pages?after=" + url.QueryEscape(middle)},
		{"changes of seven days", "/changes"},
		{"files", "/files"},
		{"search for an address", "/pages?q=" + url.QueryEscape(middle)},
		{"search by prefix", "/pages?q=/topics/a"},
		{"search within, found often", "/pages?q=topics"},
		{"pages by links", "/pages?sort=links"},
		{"pages as CSV", "/pages.csv"},
		{"pages as JSON", "/pages.json?changed=168h"},
		{"links", "/links"},
		{"names of pages that wait", "/pages?reason=not-seen"},
		{"engines", "/crawlers"},
		{"overview as JSON", "/stats.json"},
		{"metrics", "/metrics"},
		{"search within, found nowhere", "/pages?q=nowhere-at-all"},
	} {
		var slowest time.Duration
		allocated := allocations()
		for range 5 {
			w, began := httptest.NewRecorder(), time.Now()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, view.target, nil))
			if w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
				t.Fatalf("%s: status %d: %s", view.target, w.Code, w.Body)
			}
			slowest, peak = max(slowest, time.Since(began)), max(peak, anonymous())
		}
		fmt.Printf("inspector at %d pages, %s: %.1f ms, %.1f MB allocated each time\n", cfg.pages, view.name,
			kit.Milliseconds(slowest), kit.MB(allocations()-allocated)/5)
	}
	fmt.Printf("memory of the inspector at %d pages: %.1f MB more than before\n", cfg.pages, kit.MB(peak-before))
}

// allocations returns how many bytes were allocated since the start.
func allocations() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}

// deadLinks gives the first page so many links that lead nowhere that the inspector remembers no more.
func deadLinks(t *testing.T, cfg config, site *servemap.Site) {
	first := body(0, version(0, cfg.looks-1))
	for n := range 2048 {
		first = kit.AppendLink(first, "/dead/"+strconv.Itoa(n), "A page that is not there")
	}
	handler := site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(first)
	}))
	base.Ask(handler, http.MethodGet, kit.Origin+"/")
	base.Check(t, site.Flush(t.Context()))
	for n := range 2048 {
		base.Ask(handler, http.MethodGet, kit.Origin+"/dead/"+strconv.Itoa(n))
	}
	base.Check(t, site.Flush(t.Context()))
}
