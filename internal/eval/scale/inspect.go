package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// inspect measures the inspector's pages on a site at rest: the slowest time of several for
// each, and the memory beyond what the site needed for its own pass over all records. What
// is live is what the garbage collector found in use during the views.
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
	before, err := peakOf(func() error { return site.Flush(ctx) })
	if err != nil {
		return err
	}
	everybody := func(*http.Request) bool { return true }
	handler := http.NewServeMux()
	handler.Handle("/", site.Inspector(everybody))
	handler.Handle("/metrics", site.Metrics(everybody))
	runtime.GC()
	peak, held := before, live()
	most := held
	middle := location(cfg.pages / 2)
	for _, view := range []struct{ name, target string }{
		{"overview", "/"},
		{"one page", "/page?u=" + url.QueryEscape(middle)},
		{"pages", "/pages"},
		{"pages from the middle on", "/pages?after=" + url.QueryEscape(middle)},
		{"folders", "/folders"},
		{"a folder of all folders", "/folders?prefix=/topics/"},
		{"changes of seven days", "/changes"},
		{"files", "/files"},
		{"help", "/help"},
		{"search for an address", "/search?q=" + url.QueryEscape(middle)},
		{"search by prefix", "/search?q=/topics/a"},
		{"search within, found often", "/search?q=topics"},
		{"metrics", "/metrics"},
		{"search within, found nowhere", "/search?q=nowhere-at-all"},
	} {
		var took, worked []time.Duration
		for range 5 {
			w, began, busy := httptest.NewRecorder(), time.Now(), kit.CPUTime()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, view.target, nil))
			took, worked = append(took, time.Since(began)), append(worked, kit.CPUTime()-busy)
			if w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
				return fmt.Errorf("%s: status %d: %s", view.target, w.Code, w.Body)
			}
			peak, most = max(peak, anonymous()), max(most, live())
		}
		fmt.Printf("inspector at %d pages, %s: %.1f ms at the slowest of %d, %.1f ms at the fastest, %.1f ms of processor time at the least\n",
			cfg.pages, view.name, kit.Milliseconds(slices.Max(took)), len(took), kit.Milliseconds(slices.Min(took)), kit.Milliseconds(slices.Min(worked)))
	}
	fmt.Printf("memory of the inspector at %d pages: anonymous %.1f MB at the peak of the start, %.1f MB more at that of the views; live heap %.1f MB, %.1f MB more at the most\n",
		cfg.pages, kit.MB(before), kit.MB(peak-before), kit.MB(held), kit.MB(most-held))
	return nil
}

// peakOf returns the most anonymous memory that was seen while fn ran.
func peakOf(fn func() error) (peak int64, err error) {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, anonymous())
		select {
		case err = <-done:
			return peak, err
		case <-tick.C:
		}
	}
}

// live returns the bytes of the heap that the last garbage collection found in use.
func live() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
