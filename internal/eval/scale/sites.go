package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store"
)

// pagesEach is how many pages each of many sites has.
const pagesEach = 20

// tenant is one of many sites.
func tenant(i int) (host string) { return "customer-" + strconv.Itoa(i) + ".example" }

// tenants serves the pages of all of them.
func tenants(w http.ResponseWriter, r *http.Request) {
	page := kit.Page{Title: r.Host + " " + r.URL.Path, Before: "<nav><a href=/>Home</a></nav>"}
	w.Header().Set("Content-Type", kit.HTML)
	_, _ = w.Write(page.Append(nil, func(b []byte) []byte {
		random := rand.New(rand.NewPCG(kit.Hash(r.Host), kit.Hash(r.URL.Path)))
		for range 3 {
			b = kit.AppendProse(b, random, words, 25)
		}
		for i := 1; r.URL.Path == "/" && i < pagesEach; i++ {
			b = kit.AppendLink(b, "/page-"+strconv.Itoa(i), words[i])
		}
		return b
	}))
}

func openTenant(i int, st store.Store) (*servemap.Site, http.Handler, error) {
	site, err := servemap.New("https://"+tenant(i), st, &servemap.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	return site, site.Wrap(http.HandlerFunc(tenants)), nil
}

// ask asks a site for a path.
func ask(h http.Handler, i int, path string) (status int, took time.Duration) {
	r, w := httptest.NewRequest(http.MethodGet, "https://"+tenant(i)+path, nil), httptest.NewRecorder()
	r.RequestURI = path
	begun := time.Now()
	h.ServeHTTP(w, r)
	return w.Code, time.Since(begun)
}

// visitAll visits all pages of a site.
func visitAll(h http.Handler, i int) {
	ask(h, i, "/")
	for page := 1; page < pagesEach; page++ {
		ask(h, i, "/page-"+strconv.Itoa(page))
	}
}

// fillSites lets each of many sites learn its pages.
func fillSites(ctx context.Context, cfg config) error {
	st, err := openStore(cfg.dir)
	if err != nil {
		return err
	}
	begun := time.Now()
	for i := range cfg.sites {
		site, h, err := openTenant(i, st)
		if err != nil {
			return err
		}
		visitAll(h, i)
		if err := errors.Join(site.Flush(ctx), kit.CloseSite(site, time.Minute)); err != nil {
			return err
		}
	}
	fmt.Printf("%d sites of %d pages learned in %.1f s\n", cfg.sites, pagesEach, time.Since(begun).Seconds())
	return st.Close()
}

// serveSites opens many sites, visits their pages, and leaves them alone.
func serveSites(ctx context.Context, cfg config) error {
	st, err := openStore(cfg.dir)
	if err != nil {
		return err
	}
	before, goroutines := settled(), runtime.NumGoroutine()
	sites, handlers := make([]*servemap.Site, cfg.sites), make([]http.Handler, cfg.sites)
	var opened, first, pages []time.Duration
	for i := range sites {
		begun := time.Now()
		if sites[i], handlers[i], err = openTenant(i, st); err != nil {
			return err
		}
		opened = append(opened, time.Since(begun))
		status, took := ask(handlers[i], i, "/sitemap.xml")
		if status != http.StatusOK {
			return fmt.Errorf("the sitemap of site %d: status %d", i, status)
		}
		first = append(first, took)
	}
	fmt.Printf("%d sites: opened in %s, first answer of the sitemap in %s\n", cfg.sites, quantiles(opened), quantiles(first))
	report("opened, not visited", cfg, before, goroutines)
	for i := range sites {
		visitAll(handlers[i], i)
		_, took := ask(handlers[i], i, "/page-1") // nothing is due
		pages = append(pages, took)
	}
	fmt.Printf("a visit with nothing due: %s\n", quantiles(pages))
	time.Sleep(cfg.rest / 2)
	report("after visits to all pages", cfg, before, goroutines)
	used, begun := kit.CPUTime(), time.Now()
	time.Sleep(cfg.rest)
	fmt.Printf("idle for %v: %.2f %% of a core\n", cfg.rest, 100*float64(kit.CPUTime()-used)/float64(time.Since(begun)))
	var closed []time.Duration
	for _, site := range sites {
		begun := time.Now()
		if err := kit.CloseSite(site, time.Minute); err != nil {
			return err
		}
		closed = append(closed, time.Since(begun))
	}
	fmt.Printf("closed in %s\n", quantiles(closed))
	return st.Close()
}

// settled returns the memory in use after a collection.
func settled() kit.Usage {
	runtime.GC()
	debug.FreeOSMemory()
	return kit.Measure("")
}

func report(when string, cfg config, before kit.Usage, goroutines int) {
	now := settled()
	fmt.Printf("%s: heap %.1f MB, %.0f KB a site; resident %.1f MB; %d goroutines more\n", when, kit.MB(now.Heap-before.Heap),
		float64(now.Heap-before.Heap)/1024/float64(cfg.sites), kit.MB(now.Anonymous), runtime.NumGoroutine()-goroutines)
}

func quantiles(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("%v (median; %v for 99 of 100, %v at most)", all[len(all)/2].Round(100*time.Nanosecond), all[len(all)*99/100].Round(100*time.Nanosecond), all[len(all)-1].Round(time.Microsecond))
}
