package e2e

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// bookshop is a site whose pages have titles that a test changes.
type bookshop struct {
	title  atomic.Pointer[string] // of /a
	gone   atomic.Bool            // /a answers 410
	unlink atomic.Bool            // nothing links to /b
}

func (b *bookshop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	titles := map[string]string{"/": "Home of books", "/a": "Apples | Books", "/b": "Bees | Books", "/c": "Cats | Books", "/secret": "A title for one | Books"}
	if t := b.title.Load(); t != nil {
		titles["/a"] = *t
	}
	title, is := titles[r.URL.Path]
	switch {
	case !is:
		http.NotFound(w, r)
		return
	case r.URL.Path == "/a" && b.gone.Load():
		w.WriteHeader(http.StatusGone)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<!doctype html><html lang=en><head><title>%s</title></head><body><main><p>This is what is to be read at %s, and more.</p>", title, r.URL.Path)
	if r.URL.Path == "/" {
		fmt.Fprint(w, `<a href="/a">a</a> <a href="/c">c</a> <a href="/sitemap.html">all</a>`)
		if !b.unlink.Load() {
			fmt.Fprint(w, `<a href="/b">b</a>`)
		}
	}
	fmt.Fprint(w, "</main></body></html>")
}

func TestHTMLSitemapShowsTheListedPages(t *testing.T) {
	shop := new(bookshop)
	testkit.Run(t, testkit.Setup{Handler: shop, Options: servemap.Options{HTML: new(servemap.HTML)}}, func(s *testkit.Site) {
		if w := visit(s, "/sitemap.html"); w.Code != 503 {
			t.Errorf("before the first page: %d", w.Code)
		}
		for _, path := range []string{"/", "/a", "/b", "/c", "/secret"} {
			s.Visit(path)
		}
		s.Settle()
		w := visit(s, "/sitemap.html")
		text := w.Body.String()
		for _, part := range []string{`<a href="/a">Apples</a>`, `<a href="/b">Bees</a>`, `<a href="/">Home of books</a>`} {
			if !strings.Contains(text, part) {
				t.Errorf("no %s in\n%s", part, text)
			}
		}
		if strings.Contains(text, "secret") || w.Header().Get("X-Robots-Tag") != "" || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%v\n%s", w.Header(), text)
		}
		s.WantListed("/", "/a", "/b", "/c")
		s.WantNoTrace("A title for one")

		// A title is no content.
		before := s.LastMods()["/a"]
		title := "Apricots | Books"
		shop.title.Store(&title)
		time.Sleep(time.Hour)
		s.Visit("/a")
		s.Settle()
		time.Sleep(time.Minute) // for which a view is kept
		if text := visit(s, "/sitemap.html").Body.String(); !strings.Contains(text, ">Apricots<") || s.LastMods()["/a"] != before {
			t.Errorf("lastmod was %q and is %q in\n%s", before, s.LastMods()["/a"], text)
		}

		// A page that is gone leaves at once, and its title with it.
		shop.gone.Store(true)
		time.Sleep(time.Hour)
		s.Visit("/a")
		if text := visit(s, "/sitemap.html").Body.String(); strings.Contains(text, `"/a"`) || strings.Contains(text, "Apricots") {
			t.Errorf("it still names the page:\n%s", text)
		}
		s.Settle()
		s.WantNoTrace("Apricots")
	})
}

func TestHTMLSitemapIsServedAsTheOtherFilesAre(t *testing.T) {
	s := testkit.Start(t, testkit.Setup{Handler: new(bookshop), Options: servemap.Options{HTML: new(servemap.HTML), Name: "map"}})
	for _, path := range []string{"/", "/a"} {
		visit(s, path)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	tag := visit(s, "/map.html").Header().Get("Etag")
	for _, tt := range []struct {
		name         string
		method, path string
		header       string // a line of the request
		code         int
		encoding     string
		body         bool
	}{
		{"GET", "GET", "/map.html", "", 200, "", true},
		{"HEAD", "HEAD", "/map.html", "", 200, "", false},
		{"gzip", "GET", "/map.html", "Accept-Encoding: gzip", 200, "gzip", true},
		{"the same", "GET", "/map.html", "If-None-Match: " + tag, 304, "", false},
		{"another query, the same view", "GET", "/map.html?utm_source=x", "If-None-Match: " + tag, 304, "", false},
		{"POST", "POST", "/map.html", "", 405, "", true},
		{"no such folder", "GET", "/map.html?in=/nowhere/", "", 404, "", true},
		{"a packed file is none", "GET", "/map.html.gz", "", 404, "", true},
		{"another name", "GET", "/sitemap.html", "", 404, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, testkit.Origin+tt.path, nil)
			if name, value, ok := strings.Cut(tt.header, ": "); ok {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != tt.code || w.Header().Get("Content-Encoding") != tt.encoding || (w.Body.Len() > 0) != tt.body {
				t.Errorf("%d %v %d bytes", w.Code, w.Header(), w.Body.Len())
			}
		})
	}
}

func TestHTMLIsOffByDefault(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: new(bookshop)}, func(s *testkit.Site) {
		s.Visit("/", "/a", "/b", "/c")
		s.Settle()
		if w := visit(s, "/sitemap.html"); w.Code != 404 {
			t.Errorf("it answers %d", w.Code)
		}
		s.WantNoTrace("Apples")
	})
}

func TestLinksOfTheHTMLProveNothing(t *testing.T) {
	for name, mount := range map[string]func(*servemap.Site, http.Handler) http.Handler{
		"wrapped": func(s *servemap.Site, h http.Handler) http.Handler { return s.Wrap(h) },
		"mounted inside of what is observed": func(s *servemap.Site, h http.Handler) http.Handler {
			m := http.NewServeMux()
			m.Handle("/", h)
			m.Handle("/sitemap.html", s.Handler())
			m.Handle("/sitemap.xml", s.Handler())
			return s.Observe(m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			shop := new(bookshop)
			setup := testkit.Setup{
				Options: servemap.Options{HTML: new(servemap.HTML), Limits: servemap.Limits{KeepFor: 10 * 24 * time.Hour}},
				Mount:   func(s *servemap.Site) http.Handler { return mount(s, shop) },
			}
			testkit.Run(t, setup, func(s *testkit.Site) {
				s.Visit("/", "/a", "/b", "/c")
				s.Settle()
				s.WantListed("/", "/a", "/b", "/c")
				shop.unlink.Store(true) // from now on only sitemap.html links to /b
				for range 30 {
					time.Sleep(24 * time.Hour)
					s.Visit("/", "/a", "/c", "/sitemap.html")
				}
				s.Settle()
				s.WantListed("/", "/a", "/c")
				for _, own := range []string{"/sitemap.html", "/sitemap.xml"} {
					if e := s.Explained(own); e.Verdict != servemap.VerdictUnknown || !strings.Contains(e.Text, "servemap itself answers") || e.Missing != nil {
						t.Errorf("%s: %+v", own, e)
					}
				}
				if n := s.Stats().Waiting; n != 0 {
					t.Errorf("%d locations wait, although nothing links to another page", n)
				}
			})
		})
	}
}

// scans counts the scans of a store.
type scans struct {
	store.Store
	n atomic.Int64
}

func (s *scans) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	s.n.Add(1)
	return s.Store.Scan(ctx, prefix, after)
}

func TestAViewIsMadeOnce(t *testing.T) {
	st := &scans{Store: new(memstore.Store)}
	testkit.Run(t, testkit.Setup{Store: st, Handler: new(bookshop), Options: servemap.Options{HTML: new(servemap.HTML)}}, func(s *testkit.Site) {
		s.Visit("/", "/a", "/b", "/c")
		first := st.n.Load()
		visit(s, "/sitemap.html")
		made := st.n.Load()
		if w := visit(s, "/sitemap.html"); w.Code != 200 || made == first || st.n.Load() != made {
			t.Errorf("it answers %d after %d scans, and %d once more; want none", w.Code, made-first, st.n.Load()-made)
		}
	})
}
