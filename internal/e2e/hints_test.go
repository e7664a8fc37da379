package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

func hintWrapped(h http.HandlerFunc) func(*servemap.Site) http.Handler {
	return func(s *servemap.Site) http.Handler { return s.Wrap(h) }
}

// hintNumbered returns n paths.
func hintNumbered(format string, n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf(format, i))
	}
	return paths
}

// crawl visits the entry and then each path, as often as it is told.
func (r *hintRig) crawl(times int, paths []string, headers ...string) {
	for range times {
		r.visit("/", headers...)
		r.flush() // so that the links are known
		for _, path := range paths {
			r.visit(path, headers...)
		}
		r.flush()
	}
}

// TestASiteThatIsNotLearnedSaysWhy has each site make one mistake.
func TestASiteThatIsNotLearnedSaysWhy(t *testing.T) {
	slugs := hintNumbered("/post-%d", 25)
	queries := hintNumbered("/index.php?p=%d", 25)
	tokens := hintNumbered("/watch/3f2504e0-4f89-41d3-9a0c-0305e82c%04x", 25)
	linking := func(links []string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { hintPage(w, r, links...) }
	}
	for _, tt := range []struct {
		name, origin string
		mount        func(*servemap.Site) http.Handler
		paths        []string
		headers      []string
		want         []string // of the hints
	}{
		{"nothing wrong", "https://example.com", hintWrapped(linking(slugs)), slugs, nil, nil},
		{"text without markup", "https://example.com", hintWrapped(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8") // which fiber's SendString does
			fmt.Fprint(w, hintHTML("", r.URL.Path, slugs...))
		}), slugs, nil, []string{"other types than HTML so far"}},
		{"pages that an adaptor writes elsewhere", "https://example.com", func(s *servemap.Site) http.Handler {
			// An adaptor for another kind of server runs the middleware on a response
			// of its own, and goes on by itself if that called the next handler.
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rec, next := httptest.NewRecorder(), false
				s.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { next = true })).ServeHTTP(rec, r)
				if next {
					hintPage(w, r, slugs...)
				}
			})
		}, slugs, nil, []string{"fiber"}},
		{"an entry that leads to www", "https://example.com", hintWrapped(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://www.example.com"+r.URL.Path, http.StatusMovedPermanently)
		}), slugs, nil, []string{"That is https://www.example.com."}},
		{"an entry that leads from www", "https://www.example.com", hintWrapped(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com"+r.URL.Path, http.StatusFound)
		}), slugs, nil, []string{"That is https://example.com."}},
		{"canonicals on www", "https://example.com", hintWrapped(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, hintHTML(`<link rel="canonical" href="https://www.example.com`+r.URL.Path+`">`, r.URL.Path, slugs...))
		}), slugs, nil, []string{"That is https://www.example.com."}},
		{"links on www", "https://example.com", hintWrapped(linking(hintNumbered("https://www.example.com/post-%d", 25))), slugs, nil, []string{"That is https://www.example.com."}},
		{"queries that make the page", "https://example.com", hintWrapped(linking(queries)), queries, nil, []string{"Most have: p."}},
		{"queries of names that look like somebody's", "https://example.com", hintWrapped(linking(hintNumbered("/?k8f3a9c1b2d%d=1", 25))),
			hintNumbered("/?k8f3a9c1b2d%d=1", 25), nil, []string{"not told here"}},
		{"tokens behind a proxy", "https://example.com", hintWrapped(linking(tokens)), tokens,
			[]string{"X-Forwarded-For", "8.8.8.8"}, []string{"Options.ClientIP, or write an Always rule"}},
		{"nofollow in a meta", "https://example.com", hintWrapped(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, hintHTML(`<meta name="robots" content="index, nofollow">`, r.URL.Path, slugs...))
		}), slugs, nil, []string{"nofollow"}},
		{"nofollow in a header", "https://example.com", hintWrapped(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Robots-Tag", "nofollow")
			hintPage(w, r, slugs...)
		}), slugs, nil, []string{"nofollow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := hintSite(t, tt.origin, servemap.Options{}, tt.mount)
			r.crawl(2, tt.paths, tt.headers...)
			r.crawl(2, nil, tt.headers...)
			r.wantHints(tt.want...)
			if log := r.log.String(); strings.Contains(log, "post-7") || strings.Contains(log, "3f2504e0") || strings.Contains(log, "8f3a9c") {
				t.Errorf("the log names a page, or a parameter that may be somebody's:\n%s", log)
			}
		})
	}
}

// TestAStrangersQueriesAreNotToldOf has visitors ask for parameters that the site
// links to nowhere.
func TestAStrangersQueriesAreNotToldOf(t *testing.T) {
	r := hintSite(t, "https://example.com", servemap.Options{}, hintWrapped(func(w http.ResponseWriter, r *http.Request) { hintPage(w, r, "/a") }))
	r.crawl(1, append(hintNumbered("/?buy=%d", 40), "/a"))
	r.wantHints()
}

// TestASessionForEveryVisitorIsToldOf has a site save a session at each visit, as
// with gorilla/sessions, under a name of its own.
func TestASessionForEveryVisitorIsToldOf(t *testing.T) {
	links := hintNumbered("/post-%d", 30)
	mount := hintWrapped(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session-name", Value: "MTc5NTMzMzE1OHxEWDhFQVFM", Path: "/", MaxAge: 86400 * 30})
		hintPage(w, r, links...)
	})
	r := hintSite(t, "https://example.com", servemap.Options{}, mount)
	r.hintSession()
	r.crawl(1, links)
	r.wantHints("Options.BenignCookies")
}

// TestASiteOfWhichHardlyAPageIsListedSaysWhy lets minutes pass in virtual time.
func TestASiteOfWhichHardlyAPageIsListedSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, err := servemap.New("https://example.com", new(memstore.Store), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = site.Close(context.Background()) }()
		h := site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hintPage(w, r, "/news") }))
		visit := func(path string) {
			client, server := net.Pipe()
			defer client.Close()
			srv := &http.Server{Handler: h}
			go srv.Serve(&hintConn{conn: server})
			defer srv.Close()
			transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return client, nil }, DisableKeepAlives: true}
			resp, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "http://example.com"+path, nil))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		visit("/")
		for _, path := range hintNumbered("/archive/%d", 40) {
			visit(path)
		}
		for _, want := range []int{0, 1} {
			synctest.Wait()
			hints := site.Stats().Hints
			if len(hints) != want {
				t.Fatalf("hints %q, want %d", hints, want)
			}
			if want == 1 && !strings.Contains(hints[0], "41 were seen and 1 at most are listed, mostly since nothing shows that they are public; if they are, link to them") {
				t.Errorf("hint %q", hints[0])
			}
			time.Sleep(6 * time.Minute)
		}
		if hints := site.Stats().Hints; len(slices.Compact(hints)) != 1 {
			t.Errorf("hints %q in the end", hints)
		}
	})
}

// hintConn is a listener with one connection.
type hintConn struct {
	conn net.Conn
	done chan struct{}
}

func (l *hintConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn, l.done = nil, make(chan struct{})
		return c, nil
	}
	<-l.done
	return nil, net.ErrClosed
}

func (l *hintConn) Close() error   { close(l.done); return nil }
func (l *hintConn) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
