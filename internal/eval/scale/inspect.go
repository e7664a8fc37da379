package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime/debug"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// inspect measures the inspector's pages on a site at rest: the slowest time of several for
// each, and the memory.
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
	handler := site.Inspector(func(*http.Request) bool { return true })
	debug.FreeOSMemory()
	before := anonymous()
	peak := before
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
			peak = max(peak, anonymous())
		}
		fmt.Printf("inspector at %d pages, %s: %.1f ms at the slowest of %d, %.1f ms at the fastest, %.1f ms of processor time at the least\n",
			cfg.pages, view.name, kit.Milliseconds(slices.Max(took)), len(took), kit.Milliseconds(slices.Min(took)), kit.Milliseconds(slices.Min(worked)))
	}
	debug.FreeOSMemory()
	fmt.Printf("anonymous memory: %.1f MB more at the peak, %.1f MB more after a collection\n", kit.MB(peak-before), kit.MB(anonymous()-before))
	return nil
}
