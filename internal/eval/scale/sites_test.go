package scale

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
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

// openSites returns all sites, over a store.
func openSites(st store.Store) *servemap.Sites {
	options := &servemap.Options{Logger: slog.New(slog.DiscardHandler)}
	return servemap.NewSites(st, http.HandlerFunc(tenants), func(context.Context, string) (*servemap.Options,
		error) {
		return options, nil
	})
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
func fillSites(t *testing.T, cfg config) {
	st := openStore(t, cfg.dir)
	const together = 1000
	begun := time.Now()
	for first := 0; first < cfg.sites; first += together {
		sites := openSites(st)
		for i := first; i < min(first+together, cfg.sites); i++ {
			visitAll(sites, i)
			base.Check(t, sites.Do(t.Context(), tenant(i), func(site *servemap.Site) error { return site.Flush(t.Context()) }))
		}
		base.Check(t, sites.Close(t.Context()))
	}
	fmt.Printf("%d sites of %d pages learned in %.1f s\n", cfg.sites, pagesEach, time.Since(begun).Seconds())
}

// serveSites opens many sites, visits their pages, and leaves them alone.
func serveSites(t *testing.T, cfg config) {
	st := openStore(t, cfg.dir)
	before, goroutines := settled(), runtime.NumGoroutine()
	sites := openSites(st)
	var first, pages []time.Duration
	late := 0
	for i := range cfg.sites {
		status, took := ask(sites, i, "/sitemap.xml")
		late += kit.One(status != http.StatusOK)
		first = append(first, took)
	}
	fmt.Printf("%d sites: the first answer of each, which opens it, %s; %d came too late\n", cfg.sites, quantiles(first),
		late)
	for i := range cfg.sites {
		visitAll(sites, i)
		_, took := ask(sites, i, "/page-1") // nothing is due
		pages = append(pages, took)
	}
	fmt.Printf("a visit with nothing due: %s\n", quantiles(pages))
	time.Sleep(cfg.rest / 2)
	report("after visits to all pages", cfg, before, goroutines)
	used, begun := kit.CPUTime(), time.Now()
	time.Sleep(cfg.rest)
	fmt.Printf("idle for %v: %.2f %% of a core\n", cfg.rest, 100*float64(kit.CPUTime()-used)/float64(time.Since(begun)))
	report("idle", cfg, before, goroutines)
	begun = time.Now()
	base.Check(t, sites.Close(t.Context()))
	fmt.Printf("all closed in %.1f s\n", time.Since(begun).Seconds())
	sites = openSites(st)
	for i := range cfg.sites {
		visitAll(sites, i)
	}
	begun = time.Now()
	base.Check(t, sites.Close(t.Context()))
	fmt.Printf("opened again, and closed right after visits to all pages, in %.1f s\n", time.Since(begun).Seconds())
}

// settled returns the memory in use after a collection.
func settled() kit.Usage {
	runtime.GC()
	debug.FreeOSMemory()
	return kit.Measure("")
}

func report(when string, cfg config, before kit.Usage, goroutines int) {
	now := settled()
	fmt.Printf("%s: heap %.1f MB, %.0f KB a site; resident %.1f MB; %d goroutines more\n", when,
		kit.MB(now.Heap-before.Heap), float64(now.Heap-before.Heap)/1024/float64(cfg.sites), kit.MB(now.Anonymous),
		runtime.NumGoroutine()-goroutines)
}

func quantiles(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("%v (median; %v for 99 of 100, %v at most)", all[len(all)/2].Round(100*time.Nanosecond),
		all[len(all)*99/100].Round(100*time.Nanosecond), all[len(all)-1].Round(time.Microsecond))
}
