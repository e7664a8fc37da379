package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// inspect measures the inspector's pages on a site at rest: the slowest time of several for
// each, and the memory beyond what the site used after its own pass over all records.
func inspect(ctx context.Context, cfg config) (err error) {
	st, err := openStore(cfg.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	site, err := kit.NewSite(st, kit.Setup{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kit.CloseSite(site, time.Minute)) }()
	if err := site.Flush(ctx); err != nil {
		return err
	}
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
		{"help", "/help"},
		{"search for an address", "/pages?q=" + url.QueryEscape(middle)},
		{"search by prefix", "/pages?q=/topics/a"},
		{"search within, found often", "/pages?q=topics"},
		{"metrics", "/metrics"},
		{"search within, found nowhere", "/pages?q=nowhere-at-all"},
	} {
		var slowest time.Duration
		for range 5 {
			w, began := httptest.NewRecorder(), time.Now()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, view.target, nil))
			if w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
				return fmt.Errorf("%s: status %d: %s", view.target, w.Code, w.Body)
			}
			slowest, peak = max(slowest, time.Since(began)), max(peak, anonymous())
		}
		fmt.Printf("inspector at %d pages, %s: %.1f ms\n", cfg.pages, view.name, kit.Milliseconds(slowest))
	}
	fmt.Printf("memory of the inspector at %d pages: %.1f MB more than before\n", cfg.pages, kit.MB(peak-before))
	return nil
}
