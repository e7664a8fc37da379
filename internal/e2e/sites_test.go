package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// customers runs fn with the sites of all hosts that end in ".example", and a server that has the same pages for every
// host: a home page with links, and others.
func customers(t *testing.T, st store.Store, fn func(*testing.T, *servemap.Sites,
	func(host, path, client string) *httptest.ResponseRecorder)) {
	synctest.Test(t, func(t *testing.T) {
		base.FixRandom(t)
		pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			text := fmt.Sprintf("%s of %s ", r.URL.Path, r.Host)
			switch {
			case r.URL.Path == "/" && r.Host == "flooded.example":
				for i := range heavyPages {
					text += fmt.Sprintf(`<a href="/heavy%d">More</a> `, i)
				}
			case r.URL.Path == "/":
				text += `<a href="/about">About</a> <a href="/news">News</a>`
			case strings.HasPrefix(r.URL.Path, "/heavy"):
				text += heavy
			}
			w.Write([]byte(testkit.HTML("", text)))
		})
		sites := servemap.NewSites(st, pages, func(_ context.Context, host string) (*servemap.Options, error) {
			if !strings.HasSuffix(host, ".example") {
				return nil, errors.New("no customer")
			}
			return &servemap.Options{Logger: new(testkit.Log).Logger()}, nil
		})
		defer sites.Close(context.Background())
		fn(t, sites, func(host, path, client string) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "https://"+host+path, nil)
			r.RequestURI, r.RemoteAddr = path, client+":1"
			sites.ServeHTTP(w, r)
			return w
		})
	})
}

// listedOf returns what the sitemap of a host lists.
func listedOf(t *testing.T, host string, w *httptest.ResponseRecorder) (paths []string) {
	t.Helper()
	dates, err := testkit.ParseSitemap(w.Body.String(), "https://"+host)
	if w.Code != http.StatusOK || err != nil {
		t.Fatalf("the sitemap of %s: %d, %v: %s", host, w.Code, err, w.Body)
	}
	for path := range dates {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

func TestEachHostThatTheOwnerAllowsHasASitemapOfItsOwn(t *testing.T) {
	customers(t, new(memstore.Store), func(t *testing.T, sites *servemap.Sites,
		ask func(host, path, client string) *httptest.ResponseRecorder) {
		visit := func(host string, paths ...string) {
			for _, path := range paths {
				ask(host, path, ann)
			}
			time.Sleep(time.Minute)
		}
		visit("one.example", "/", "/about")
		visit("Two.Example:443", "/", "/news")
		visit("stranger.test", "/")
		for _, after := range []time.Duration{0, time.Hour, 100 * 24 * time.Hour} { // for most of this they rest
			time.Sleep(after)
			for host, want := range map[string][]string{"one.example": {"/", "/about"}, "two.example": {"/", "/news"}} {
				base.EqualLists(t, listedOf(t, host, ask(host, "/sitemap.xml", bob)), want, "%v later %s lists", after, host)
			}
		}
		for _, host := range []string{"stranger.test", "b\u00fccher.example", "one.example:0443", "%6fne.example",
			"one.example:x", "one..example"} {
			r, w := httptest.NewRequest(http.MethodGet, "/sitemap.xml", nil), httptest.NewRecorder()
			r.Host = host
			if sites.ServeHTTP(w, r); !strings.Contains(w.Body.String(), "/sitemap.xml of "+host) {
				t.Errorf("%s, which is not allowed or no host's name, gets %d, want the program's answer: %s", host, w.Code, w.Body)
			}
		}
		err := sites.Do(t.Context(), "one.example", func(site *servemap.Site) error {
			e, err := site.Explain(t.Context(), "/about")
			if !e.Listed() {
				t.Errorf("its verdict is %s", e.Verdict)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		for _, host := range []string{"stranger.test", "stranger.test/one.example"} { // HTTP/2 lets a request name both
			err := sites.Do(t.Context(), host, func(*servemap.Site) error { return nil })
			if err == nil || !strings.Contains(err.Error(), host) {
				t.Errorf("the site of %s, which is not allowed: %v", host, err)
			}
		}
	})
}

// heavyPages pages take more time to read than all sites may save up.
const heavyPages = 190

var heavy = strings.Repeat("<", 300_000)

// One customer's site has pages that take long to read, and visitors in many networks ask for them until no more is
// read. The pages of another customer are read and listed as before.
func TestFloodOfOneSiteLeavesTheOthersTheirPages(t *testing.T) {
	if testing.Short() {
		t.Skip("its 300 KB pages take the race detector long, and show it nothing new")
	}
	customers(t, new(memstore.Store), func(t *testing.T, _ *servemap.Sites,
		ask func(host, path, client string) *httptest.ResponseRecorder) {
		ask("flooded.example", "/", ann)
		time.Sleep(10 * time.Second)
		flood := func(pages int) {
			for i := range pages {
				ask("flooded.example", fmt.Sprintf("/heavy%d", i), fmt.Sprintf("11.0.%d.1", i))
				synctest.Wait()
			}
		}
		flood(heavyPages)
		for n := range 2 {
			host := fmt.Sprintf("quiet%d.example", n)
			ask(host, "/", ann)
			time.Sleep(time.Second)
			flood(5)
			ask(host, "/about", ann)
			ask(host, "/news", bob)
			time.Sleep(time.Minute)
			if got, want := listedOf(t, host, ask(host, "/sitemap.xml", bob)), []string{"/", "/about",
				"/news"}; !slices.Equal(got, want) {
				t.Errorf("%s lists %q, want %q", host, got, want)
			}
		}
	})
}
