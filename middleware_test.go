package servemap_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/gorilla/mux"
	"github.com/klauspost/compress/zstd"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
	"github.com/servemap/servemap/store/memstore"
)

const origin = "https://example.com"

// newSite returns a site over st that is closed with the test, and leaves no
// goroutine behind.
func newSite(t testing.TB, st store.Store, opts *servemap.Options) *servemap.Site {
	t.Helper()
	return newSiteAt(t, origin, st, opts)
}

// newSiteAt is newSite for an origin.
func newSiteAt(t testing.TB, origin string, st store.Store, opts *servemap.Options) *servemap.Site {
	t.Helper()
	wantNoGoroutineLeft(t)
	site, err := servemap.New(origin, st, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = site.Close(ctx) // a second time, in some tests
	})
	return site
}

// wantNoGoroutineLeft checks at the end of the test that no site opened after
// the call has left a goroutine behind. Call it before the site is opened.
func wantNoGoroutineLeft(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 200_000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			runtime.Gosched()
		}
		buf := make([]byte, 1<<20)
		if stacks := string(buf[:runtime.Stack(buf, true)]); strings.Contains(stacks, "servemap/internal/") {
			t.Errorf("a goroutine outlived Close:\n%s", stacks)
		}
	})
}

// quiet is a logger whose output a test can look at.
func quiet() (*slog.Logger, *bytes.Buffer) {
	var buf bytes.Buffer
	return slog.New(slog.NewTextHandler(&buf, nil)), &buf
}

func flush(t testing.TB, site *servemap.Site) {
	t.Helper()
	if err := site.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func explain(t testing.TB, site *servemap.Site, url string) servemap.Explanation {
	t.Helper()
	e, err := site.Explain(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// page is a handler that answers with HTML of a text and links.
func page(text string, links ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, html(text+" at "+r.URL.RequestURI(), links...)) // pages that are alike are one
	}
}

func html(text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>%s</title></head><body><main><p>%s</p>", text, text)
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">link</a>`, l)
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

// web is a running server with a client for it.
type web struct {
	testing.TB
	client *http.Client
	base   string
}

// serve starts a server on a socket.
func serve(t testing.TB, h http.Handler) *web {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return newWeb(t, srv.Client(), srv.URL)
}

// servePipe starts a server over net.Pipe, which leaves virtual time running.
func servePipe(t testing.TB, h http.Handler) *web {
	t.Helper()
	l := pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: h}
	go srv.Serve(l)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe()
		select {
		case l.conns <- server:
			return client, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	t.Cleanup(func() { transport.CloseIdleConnections(); srv.Close() })
	return newWeb(t, &http.Client{Transport: transport}, origin[:4]+"://example.com")
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l pipeListener) Close() error   { close(l.done); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func newWeb(t testing.TB, client *http.Client, base string) *web {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &web{t, &c, base}
}

// visit gets a path as an anonymous visitor does, or with the headers given.
func (w *web) visit(path string, headers ...string) (*http.Response, string) {
	w.Helper()
	req, err := http.NewRequest(http.MethodGet, w.base+path, nil)
	if err != nil {
		w.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := w.client.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	return resp, string(body)
}

// see visits paths, and waits until the site has stored and rendered them.
func (w *web) see(site *servemap.Site, paths ...string) {
	w.Helper()
	for _, path := range paths {
		w.visit(path)
	}
	flush(w, site)
}

// sitemap is a urlset with all that its entries may have.
type sitemap struct {
	URLs []struct {
		Loc        string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
		ChangeFreq string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 changefreq"`
		Priority   string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 priority"`
		Links      []struct {
			Lang string `xml:"hreflang,attr"`
			Href string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
		Images []string `xml:"http://www.google.com/schemas/sitemap-image/1.1 image>loc"`
		Videos []struct {
			Title  string `xml:"title"`
			Player string `xml:"player_loc"`
		} `xml:"http://www.google.com/schemas/sitemap-video/1.1 video"`
		News *struct {
			Name     string `xml:"publication>name"`
			Language string `xml:"publication>language"`
			Title    string `xml:"title"`
		} `xml:"http://www.google.com/schemas/sitemap-news/0.9 news"`
	} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
}

// sitemap returns the urlset at path, an empty one for a 503.
func (w *web) sitemap(path string) (doc sitemap) {
	w.Helper()
	resp, body := w.visit(path)
	if resp.StatusCode == http.StatusServiceUnavailable {
		return doc
	}
	if err := xml.Unmarshal([]byte(body), &doc); err != nil || resp.StatusCode != http.StatusOK {
		w.Fatalf("%s: status %d, %v:\n%s", path, resp.StatusCode, err, body)
	}
	for i, u := range doc.URLs {
		loc, ok := strings.CutPrefix(u.Loc, origin)
		if doc.URLs[i].Loc = loc; !ok {
			w.Errorf("%s is not on %s", u.Loc, origin)
		}
	}
	return doc
}

// listed returns the locations in the sitemap at path, nil for a 503.
func (w *web) listed(path string) (locs []string) {
	w.Helper()
	for _, u := range w.sitemap(path).URLs {
		locs = append(locs, u.Loc)
	}
	return locs
}

// wantEntries checks the sitemap at /sitemap.xml, with the location, changefreq
// and priority of each entry.
func (w *web) wantEntries(site *servemap.Site, want ...string) {
	w.Helper()
	flush(w, site)
	var got []string
	for _, u := range w.sitemap("/sitemap.xml").URLs {
		got = append(got, u.Loc+" "+u.ChangeFreq+" "+u.Priority)
	}
	if !slices.Equal(got, want) {
		w.Errorf("the sitemap has %q, want %q", got, want)
	}
}

// wantServed checks the locations in the sitemap at path as it is served now.
func (w *web) wantServed(path string, want ...string) {
	w.Helper()
	if got := w.listed(path); !slices.Equal(got, want) {
		w.Errorf("%s lists %q, want %q", path, got, want)
	}
}

// wantListed checks the sitemap at /sitemap.xml once all is rendered.
func (w *web) wantListed(site *servemap.Site, want ...string) {
	w.Helper()
	flush(w, site)
	w.wantServed("/sitemap.xml", want...)
}

// routes of one small site, for either kind of router.
var routes = map[string]http.HandlerFunc{
	"/":      page("home", "/blog/one", "/blog/two", "/data.json", "/missing", "/private"),
	"/about": page("about"),
	"/private": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private")
		page("p")(w, r)
	},
	"/data.json": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{}")
	},
}

func blog(slug string) http.HandlerFunc { return page("post "+slug, "/blog/three") }

// mounts are the ways to put a site into a program.
var mounts = map[string]func(*servemap.Site) http.Handler{
	"ServeMux, wrapped": func(site *servemap.Site) http.Handler {
		m := http.NewServeMux()
		for path, h := range routes {
			m.Handle(strings.Replace(path, "/", "GET /", 1)+map[bool]string{true: "{$}"}[path == "/"], h)
		}
		m.HandleFunc("/blog/{slug}", func(w http.ResponseWriter, r *http.Request) { blog(r.PathValue("slug"))(w, r) })
		return site.Wrap(m)
	},
	"ServeMux, with Handler": func(site *servemap.Site) http.Handler {
		m := http.NewServeMux()
		for path, h := range routes {
			m.Handle(path+map[bool]string{true: "{$}"}[path == "/"], h)
		}
		m.HandleFunc("/blog/{slug}", func(w http.ResponseWriter, r *http.Request) { blog(r.PathValue("slug"))(w, r) })
		m.Handle("/sitemap.xml", site.Handler())
		return site.Observe(m)
	},
	"mux, mounted": func(site *servemap.Site) http.Handler {
		r := muxRouter()
		site.Mount(r)
		return r
	},
	"mux, used": func(site *servemap.Site) http.Handler {
		r := muxRouter()
		r.Use(site.Observe)
		r.Handle("/sitemap.xml", site.Handler())
		return r
	},
	"mux, wrapped and used": func(site *servemap.Site) http.Handler {
		r := muxRouter()
		r.Use(site.Observe)
		return site.Wrap(r)
	},
}

func muxRouter() *mux.Router {
	r := mux.NewRouter()
	for path, h := range routes {
		r.Handle(path, h).Methods(http.MethodGet)
	}
	r.HandleFunc("/blog/{slug}", func(w http.ResponseWriter, r *http.Request) { blog(mux.Vars(r)["slug"])(w, r) })
	return r
}

func TestSite(t *testing.T) {
	for name, mount := range mounts {
		for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
			t.Run(name+", "+proto, func(t *testing.T) {
				site := newSite(t, new(memstore.Store), nil)
				srv := httptest.NewUnstartedServer(mount(site))
				srv.EnableHTTP2 = proto == "HTTP/2.0"
				srv.StartTLS()
				defer srv.Close()
				w := newWeb(t, srv.Client(), srv.URL)
				if resp, body := w.visit("/sitemap.xml"); resp.Proto != proto || resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "No page of "+origin+" is listed yet") {
					t.Errorf("%s %d %q, want %s and a 503 that explains itself before anything was seen", resp.Proto, resp.StatusCode, body, proto)
				}
				w.see(site, "/", "/blog/one", "/blog/three", "/blog/orphan", "/about", "/private", "/data.json", "/missing", "/sitemap.xml")
				w.visit("/blog/two", "Cookie", "session=1")
				w.wantListed(site, "/", "/about", "/blog/one", "/blog/three")
				w.visit("/blog/two", "Cookie", "_ga=1; _gid=2")
				w.wantListed(site, "/", "/about", "/blog/one", "/blog/three", "/blog/two")
			})
		}
	}
}

func TestMountServesTheSitemapWhateverTheRoutes(t *testing.T) {
	site := newSite(t, new(memstore.Store), nil)
	r := mux.NewRouter()
	r.HandleFunc("/", page("home"))
	r.HandleFunc("/sitemaps-explained", page("explained"))
	r.PathPrefix("/").HandlerFunc(page("catch-all"))
	site.Mount(r)
	w := serve(t, r)
	w.visit("/")
	w.wantListed(site, "/")
	if _, body := w.visit("/sitemaps-explained"); !strings.Contains(body, "explained") {
		t.Error("a page whose name begins like the sitemap's is not served")
	}
}

func TestMountOnASubrouter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		origin string
		router func() *mux.Router
		panics string // what Mount says, "" if it does not panic
	}{
		{"none", origin, func() *mux.Router { return nil }, "the router is nil"},
		{"of some of the site", origin, func() *mux.Router { return mux.NewRouter().PathPrefix("/x").Subrouter() }, `"/"`},
		{"of all but the first page", origin, func() *mux.Router { return mux.NewRouter().PathPrefix("/{lang}").Subrouter() }, `"/"`},
		{"of one page", origin, func() *mux.Router { return mux.NewRouter().Path("/").Subrouter() }, `"/sitemap.xml"`},
		{"of another folder than the origin's", origin + "/blog", func() *mux.Router { return mux.NewRouter().PathPrefix("/shop/").Subrouter() }, `"/blog/"`},
		{"of the origin's folder", origin + "/blog", func() *mux.Router { return mux.NewRouter().PathPrefix("/blog").Subrouter() }, ""},
		{"of a host", origin, func() *mux.Router { return mux.NewRouter().Host("web.internal").Subrouter() }, ""},
		{"of all paths", origin, func() *mux.Router { return mux.NewRouter().PathPrefix("/").Subrouter() }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := newSiteAt(t, tt.origin, new(memstore.Store), nil)
			defer func() {
				got := recover()
				if said, _ := got.(string); (got == nil) != (tt.panics == "") || !strings.Contains(said, tt.panics) {
					t.Errorf("Mount panics with %v, want %q in it", got, tt.panics)
				}
			}()
			site.Mount(tt.router())
		})
	}
}

func TestAPageLeavesAMinuteAfter404(t *testing.T) {
	for _, name := range []string{"mux, mounted", "ServeMux, wrapped", "mux, wrapped and used"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := newSite(t, new(memstore.Store), nil)
				m := mounts[name](site)
				moved := map[string]string{} // as a router does whose routes changed
				w := servePipe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if to := moved[r.URL.Path]; to != "" {
						r.URL.Path = to
					}
					m.ServeHTTP(w, r)
				}))
				w.see(site, "/", "/blog/one", "/blog/two")
				w.wantListed(site, "/", "/blog/one", "/blog/two")
				time.Sleep(time.Minute)
				moved["/blog/one"] = "/no/such/route"
				w.visit("/blog/one")
				w.wantListed(site, "/", "/blog/one", "/blog/two")
				time.Sleep(61 * time.Second)
				w.wantServed("/sitemap.xml", "/", "/blog/two")
				delete(moved, "/blog/one")
				w.visit("/blog/one")
				w.wantListed(site, "/", "/blog/one", "/blog/two")
			})
		})
	}
}

func TestAWithdrawalNeedsNoStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &broken{Store: new(memstore.Store)}
		log, _ := quiet()
		site := newSite(t, st, &servemap.Options{Logger: log})
		var header, value string
		status := http.StatusOK
		w := servePipe(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/a" {
				w.Header().Set(header, value)
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(status)
			}
			io.WriteString(w, html("text", "/a"))
		})))
		w.visit("/")
		w.visit("/a")
		w.wantListed(site, "/", "/a")
		for _, tt := range []struct {
			header, value string
			status        int
		}{{"X-Robots-Tag", "noindex", 200}, {"Cache-Control", "private", 200}, {"X", "x", 410}} {
			st.fails.Store(true)
			time.Sleep(time.Minute)
			header, value, status = tt.header, tt.value, tt.status
			w.visit("/a")
			synctest.Wait()
			w.wantServed("/sitemap.xml", "/")
			st.fails.Store(false)
			time.Sleep(time.Minute)
			w.wantListed(site, "/")
			header, value, status = "X", "x", 200
			w.visit("/a")
			w.wantListed(site, "/", "/a")
			time.Sleep(time.Minute)
		}
	})
}

// broken is a store that fails on demand.
type broken struct {
	store.Store
	fails atomic.Bool
}

func (s *broken) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if s.fails.Load() {
		return errors.New("it is broken")
	}
	return s.Store.Update(ctx, keys, fn)
}

func TestEncodedPages(t *testing.T) {
	encode := map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"br":   func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { zw, _ := zstd.NewWriter(w); return zw },
	}
	for coding, writer := range encode {
		t.Run(coding, func(t *testing.T) {
			site := newSite(t, new(memstore.Store), nil)
			w := serve(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", coding)
				zw := writer(w)
				io.WriteString(zw, html("page "+r.URL.Path, "/a"))
				zw.Close()
			})))
			w.client.Transport.(*http.Transport).DisableCompression = true
			w.visit("/", "Accept-Encoding", coding)
			w.visit("/a", "Accept-Encoding", coding)
			flush(t, site)
			if e := explain(t, site, "/a"); e.Reason != "link" {
				t.Errorf("%+v; want /a listed by the link in the encoded page", e)
			}
		})
	}
	for _, typed := range []bool{true, false} {
		t.Run(fmt.Sprintf("by a compressor around the site, typed %v", typed), func(t *testing.T) {
			site := newSite(t, new(memstore.Store), nil)
			inner := site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if typed {
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
				}
				io.WriteString(w, html("page "+r.URL.Path, "/a"))
			}))
			w := serve(t, compressing(inner))
			w.visit("/", "Accept-Encoding", "gzip")
			w.visit("/a", "Accept-Encoding", "gzip")
			flush(t, site)
			if e := explain(t, site, "/a"); e.Reason != "link" {
				t.Errorf("%+v; want /a listed by the link", e)
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		site := newSite(t, new(memstore.Store), nil)
		w := serve(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "x-own")
			io.WriteString(w, "scrambled")
		})))
		w.see(site, "/")
		if e := explain(t, site, "/"); e.Verdict != "held" || e.Reason != "encoding" {
			t.Errorf("%+v; want that it is held for its encoding", e)
		}
	})
}

// A compressor around the site compresses what it serves as well, and its length
// is then another one.
func TestTheSitemapBehindACompressor(t *testing.T) {
	site := newSite(t, new(memstore.Store), &servemap.Options{Recent: time.Hour})
	inner := site.Wrap(page("home"))
	direct, w := serve(t, inner), serve(t, compressing(inner))
	direct.visit("/")
	flush(t, site)
	for _, file := range []string{"/sitemap.xml", "/sitemap-1.xml", "/sitemap.xml.gz", "/sitemap-recent.xml"} {
		t.Run(file, func(t *testing.T) {
			plain, want := direct.visit(file)
			if plain.StatusCode != http.StatusOK {
				t.Fatalf("status %d", plain.StatusCode)
			}
			resp, got := w.visit(file) // the client asks for gzip by itself, and undoes it
			if got != want || !resp.Uncompressed {
				t.Errorf("status %d, body %q, want %q, compressed", resp.StatusCode, got, want)
			}
			if vary := strings.Join(resp.Header["Vary"], ", "); !strings.Contains(vary, "Cookie") {
				t.Errorf("Vary: %s, want what others vary it by as well", vary)
			}
			tag := resp.Header.Get("Etag")
			if !strings.HasPrefix(tag, "W/") {
				t.Errorf("entity tag %s, want a weak one", tag)
			}
			if again, _ := w.visit(file, "If-None-Match", tag); again.StatusCode != http.StatusNotModified {
				t.Errorf("status %d with the entity tag, want 304", again.StatusCode)
			}
		})
	}
}

// compressing is a middleware as gorilla/handlers has one: it sets the coding
// first, the type with the bytes.
func compressing(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Vary", "Cookie")
		zw := gzip.NewWriter(w)
		defer zw.Close()
		inner.ServeHTTP(compressor{w, zw}, r)
	})
}

// compressor is a writer that a compressing middleware puts around another.
type compressor struct {
	http.ResponseWriter
	zw *gzip.Writer
}

func (c compressor) Write(p []byte) (int, error) {
	if c.Header().Get("Content-Type") == "" {
		c.Header().Set("Content-Type", http.DetectContentType(p))
	}
	return c.zw.Write(p)
}

func TestQueries(t *testing.T) {
	site := newSite(t, new(memstore.Store), nil)
	w := serve(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch r.URL.Path {
		case "/item":
			fmt.Fprintf(w, `<html><head><link rel="canonical" href="https://example.com/item?id=%s"></head><body>item</body></html>`, q.Get("id"))
		case "/view":
			io.WriteString(w, html("view"))
		default:
			io.WriteString(w, html("home "+r.URL.RawQuery, "/item?id=5", "/item?id=6&amp;sort=asc", "/view?x=1", "/?page=2", "/?page=3&amp;utm_source=home"))
		}
	})))
	w.see(site, "/", "/item?id=5", "/item?id=6&sort=asc", "/view?x=1", "/?page=2", "/?utm_medium=mail&page=3", "/item?id=7")
	w.wantListed(site, "/", "/?page=2", "/?page=3", "/item?id=5")
	if e := explain(t, site, "/view?x=1"); e.Reason != "query-not-canonical" {
		t.Errorf("%+v", e)
	}
}

func TestRulesSayWhatIsPublished(t *testing.T) {
	rules := []servemap.Rule{
		{Pattern: "/", ChangeFreq: "weekly"},
		{Pattern: "/list", Query: []string{"lang"}},
		{Pattern: "/list?lang=de", Priority: 0.85},
		{Pattern: "/$", ChangeFreq: "hourly", Priority: 1},
		{Pattern: "/inner/", List: servemap.Never},
		{Pattern: "/inner/page", Priority: 0.1},
		{Pattern: "/inner/public", List: servemap.Auto},
	}
	st := new(memstore.Store)
	h := page("text", "/list?lang=de&amp;page=2", "/other?lang=de", "/inner/page", "/inner/public")
	site := newSite(t, st, &servemap.Options{Rules: rules})
	w := serve(t, site.Wrap(h))
	w.see(site, "/", "/list?page=2&lang=de", "/other?lang=de", "/inner/page", "/inner/public")
	w.wantEntries(site,
		"/ hourly 1.0",
		"/inner/public weekly ",
		"/list?lang=de&page=2 weekly 0.9")

	// Other rules act on what is stored, before anybody visits.
	if err := site.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	site = newSite(t, st, &servemap.Options{Rules: []servemap.Rule{
		{Pattern: "/list", Query: []string{"lang"}, Priority: 0.3},
		{Pattern: "/inner/public", List: servemap.Never},
	}})
	w = serve(t, site.Wrap(h))
	w.wantEntries(site, "/  ", "/list?lang=de&page=2  0.3")
}

func TestASiteInAFolder(t *testing.T) {
	wrapped := func(site *servemap.Site, h http.Handler) http.Handler { return site.Wrap(h) }
	for _, tt := range []struct {
		name, stripped, prefix string // of the requests
		mount                  func(*servemap.Site, http.Handler) http.Handler
	}{
		{"seen in full", "", "/blog", wrapped},
		{"cut off by a proxy", "/blog", "", wrapped},
		{"on the subrouter of the folder", "", "/blog", func(site *servemap.Site, h http.Handler) http.Handler {
			root := mux.NewRouter()
			folder := root.PathPrefix("/blog").Subrouter()
			folder.Handle("/{page:.*}", h)
			site.Mount(folder)
			return root
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := newSiteAt(t, origin+"/blog", new(memstore.Store), &servemap.Options{StrippedPrefix: tt.stripped})
			w := serve(t, tt.mount(site, page("p", "/blog/a", "/shop/b")))
			w.see(site, tt.prefix+"/", tt.prefix+"/a", "/shop/b")
			w.wantServed(tt.prefix+"/sitemap.xml", "/blog/", "/blog/a")
			if got, want := site.RobotsLine(), "Sitemap: "+origin+"/blog/sitemap.xml"; got != want {
				t.Errorf("robots line %q, want %q", got, want)
			}
		})
	}
}

func TestLimitsOfTheFilesAndRecentPages(t *testing.T) {
	site := newSite(t, new(memstore.Store), &servemap.Options{Limits: servemap.Limits{PartPages: 2}, Recent: 24 * time.Hour})
	w := serve(t, site.Wrap(page("p", "/a", "/b", "/c", "/d")))
	w.see(site, "/", "/a", "/b", "/c", "/d")
	for name, want := range map[string]string{"/sitemap.xml": "/sitemap-3.xml</loc>", "/sitemap-3.xml": "/d</loc>"} {
		if _, body := w.visit(name); !strings.Contains(body, origin+want) {
			t.Errorf("%s does not list %s:\n%s", name, want, body)
		}
	}
	if got := w.listed("/sitemap-recent.xml"); len(got) != 5 {
		t.Errorf("recent are %q, want all pages", got)
	}
	const want = "Sitemap: " + origin + "/sitemap.xml\nSitemap: " + origin + "/sitemap-recent.xml"
	if got := site.RobotsLine(); got != want {
		t.Errorf("robots lines\n%s, want\n%s", got, want)
	}
}

// extensionsOf returns what the entries of a sitemap say beyond their addresses.
func (w *web) extensionsOf(path string) (all []string) {
	w.Helper()
	for _, u := range w.sitemap(path).URLs {
		line := u.Loc
		for _, l := range u.Links {
			line += " " + l.Lang + "=" + strings.TrimPrefix(l.Href, origin)
		}
		for _, i := range u.Images {
			line += " image " + strings.TrimPrefix(i, origin)
		}
		for _, v := range u.Videos {
			line += " video " + v.Title + " " + strings.TrimPrefix(v.Player, origin)
		}
		if u.News != nil {
			line += " news " + u.News.Name + "/" + u.News.Language + "/" + u.News.Title
		}
		all = append(all, line)
	}
	return all
}

// multimedia is a site whose pages have all that extensions tell of.
func multimedia(published time.Time) http.Handler {
	languages := `<link rel="alternate" hreflang="en" href="/en"><link rel="alternate" hreflang="de" href="/de">
		<link rel="alternate" hreflang="x-default" href="/en"><link rel="alternate" hreflang="fr" href="/fr">`
	pages := map[string]string{
		"/": `<body><main>home <a href="/en">1</a><a href="/de">2</a><a href="/fr">3</a><a href="/news">4</a><a href="/film">5</a></main>`,
		"/en": languages + `<body><nav><img src="/logo.png"></nav><main>English <img src="images/a b.jpg?x=1&amp;y='2'">
			<img src="//cdn.example.net/b.png"><img src="https://s3.example.net/c.png?X-Amz-Signature=0123"><img src="http://10.0.0.7/d.png">
			<img src="https://u:p@cdn.example.net/e.png"><img src="/never/f.png"><img src="data:image/png;base64,AAAA"></main>`,
		"/de": languages + `<body><main>Deutsch</main>`,
		"/fr": `<body><main>Français, and names no other</main>`,
		"/news": `<html lang="en-GB"><head><script type="application/ld+json">{"@type":"NewsArticle","headline":"Cats & dogs <here>","datePublished":"` +
			published.UTC().Format(time.RFC3339) + `","publisher":{"@type":"Organization","name":"The Paper"}}</script></head><body><main>Cats and dogs.</main>`,
		"/film": `<script type="application/ld+json">{"@type":"VideoObject","name":"A film","description":"It is short.",
			"thumbnailUrl":"/film.jpg","embedUrl":"https://player.example.net/1","duration":"PT1M"}</script><body><main>A film.</main>`,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body)
	})
}

func TestExtensions(t *testing.T) {
	images := " image /images/a%20b.jpg?x=1&y='2' image https://cdn.example.net/b.png"
	languages := " de=/de en=/en x-default=/en"
	film := " video A film https://player.example.net/1"
	for _, tt := range []struct {
		name string
		is   servemap.Extensions
		want []string
		news string
		none []string // namespaces that are not declared
	}{
		{"none", servemap.Extensions{}, []string{"/", "/de", "/en", "/film", "/fr", "/news"}, "", []string{"xmlns:"}},
		{"alternates", servemap.Extensions{Alternates: true}, []string{"/", "/de" + languages, "/en" + languages, "/film", "/fr", "/news"}, "", []string{"sitemap-"}},
		{"images", servemap.Extensions{Images: true}, []string{"/", "/de", "/en" + images, "/film", "/fr", "/news"}, "", []string{"xhtml", "sitemap-video"}},
		{"videos", servemap.Extensions{Videos: true}, []string{"/", "/de", "/en", "/film" + film, "/fr", "/news"}, "", []string{"xhtml", "sitemap-image"}},
		{"all", servemap.Extensions{Alternates: true, Images: true, Videos: true, News: true}, []string{"/", "/de" + languages, "/en" + languages + images, "/film" + film, "/fr", "/news"},
			"/news news The Paper/en/Cats & dogs <here>", []string{"sitemap-news"}},
		{"a publication of the owner's", servemap.Extensions{News: true, Publication: "Paper & Co"}, []string{"/", "/de", "/en", "/film", "/fr", "/news"},
			"/news news Paper & Co/en/Cats & dogs <here>", []string{"xmlns:"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := newSite(t, new(memstore.Store), &servemap.Options{Extensions: tt.is, Rules: []servemap.Rule{{Pattern: "/never/", List: servemap.Never}}})
			w := serve(t, site.Wrap(multimedia(time.Now().Add(-time.Hour))))
			for range 2 { // what is listed by the first visits is read in full by the next
				for _, path := range []string{"/", "/en", "/de", "/fr", "/news", "/film"} {
					w.visit(path)
					flush(t, site)
				}
			}
			if got := w.extensionsOf("/sitemap.xml"); !slices.Equal(got, tt.want) {
				t.Errorf("the sitemap has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			_, body := w.visit("/sitemap.xml")
			for _, ns := range tt.none {
				if root, _, _ := strings.Cut(body, "<url>"); strings.Contains(root, ns) {
					t.Errorf("%q is declared, and not used:\n%s", ns, root)
				}
			}
			if tt.news == "" {
				if resp, _ := w.visit("/sitemap-news.xml"); resp.StatusCode != http.StatusNotFound {
					t.Errorf("without news: status %d", resp.StatusCode)
				}
			} else if got := w.extensionsOf("/sitemap-news.xml"); !slices.Equal(got, []string{tt.news}) {
				t.Errorf("news are %q, want %q", got, tt.news)
			}
			if told := strings.Contains(site.RobotsLine(), "-news.xml"); told != tt.is.News {
				t.Errorf("the lines for robots.txt are %q", site.RobotsLine())
			}
		})
	}
}

func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := newSite(t, new(memstore.Store), nil)
		gone, news := map[string]bool{}, ""
		w := servePipe(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if gone[r.URL.Path] {
				w.WriteHeader(http.StatusGone)
				return
			}
			text := "What stands on page " + r.URL.Path
			if r.URL.Path == "/a" {
				text += news
			}
			page(text, "/a", "/b")(w, r)
		})))
		changes := func(since time.Time) string {
			t.Helper()
			flush(t, site)
			var got []string
			for c, err := range site.Changes(t.Context(), since) {
				if err != nil {
					t.Fatal(err)
				}
				if c.At.Before(since) || c.At.After(time.Now()) {
					t.Errorf("%s changed at %v", c.URL, c.At)
				}
				got = append(got, string(c.Kind)+" "+strings.TrimPrefix(c.URL, origin))
			}
			return strings.Join(got, ", ")
		}
		for _, path := range []string{"/", "/a", "/b"} {
			w.visit(path)
			time.Sleep(2 * time.Second)
		}
		if got := changes(time.Time{}); got != "added /, added /a, added /b" {
			t.Errorf("the changes are %s", got)
		}
		time.Sleep(time.Hour)
		noon := time.Now()
		news, gone["/b"] = "</p><p>Something else happened since then, which nobody could have known of before it did.", true
		w.visit("/a")
		w.visit("/b")
		if got := changes(noon); got != "changed /a, removed /b" {
			t.Errorf("the changes are %s", got)
		}
		if got := changes(time.Time{}); got != "added /, added /a, removed /b" {
			t.Errorf("for who has seen nothing the changes are %s", got)
		}
		time.Sleep(30 * 24 * time.Hour)
		w.see(site, "/")
		for _, err := range site.Changes(t.Context(), noon) {
			if !errors.Is(err, servemap.ErrOlder) {
				t.Errorf("%v for what is forgotten", err)
			}
		}
	})
}

// TestChangesSinceTheStart asks before anything was read or stored.
func TestChangesSinceTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(memstore.Store)
		for _, run := range []string{"with an empty store", "with a store of before"} {
			site := newSite(t, st, nil)
			now := time.Now()
			for _, since := range []time.Time{now, now.Add(time.Hour)} {
				for c, err := range site.Changes(t.Context(), since) {
					t.Errorf("%s, since %v after the start: %v, %v", run, since.Sub(now), c, err)
				}
			}
			w := servePipe(t, site.Wrap(page("What stands there")))
			w.visit("/")
			time.Sleep(time.Second)
			if err := site.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestOptionsNameNamesTheFiles(t *testing.T) {
	site := newSite(t, new(memstore.Store), &servemap.Options{Name: "map-7f3a"})
	w := serve(t, site.Wrap(page("home")))
	w.see(site, "/")
	if got := w.listed("/map-7f3a.xml"); len(got) != 1 {
		t.Errorf("the sitemap lists %q", got)
	}
	if got := w.listed("/map-7f3a-1.xml"); len(got) != 1 {
		t.Errorf("its part lists %q", got)
	}
	if _, body := w.visit("/sitemap.xml"); !strings.Contains(body, "home") {
		t.Error("/sitemap.xml is not the site's own, although the sitemap has another name")
	}
}

func TestWhoseRequestsCount(t *testing.T) {
	tests := []struct {
		name    string
		opts    servemap.Options
		host    string
		headers []string
		counts  bool
	}{
		{"the origin's host", servemap.Options{}, "example.com", nil, true},
		{"an address, as a proxy sends", servemap.Options{}, "10.0.0.7:8080", nil, true},
		{"localhost", servemap.Options{}, "localhost:8080", nil, true},
		{"a service name", servemap.Options{}, "web", nil, true},
		{"another host", servemap.Options{}, "evil.example", nil, false},
		{"another host, and a header that says otherwise", servemap.Options{}, "evil.example", []string{"X-Forwarded-Host", "example.com"}, false},
		{"a header that names another host", servemap.Options{}, "example.com", []string{"X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "http"}, true},
		{"an alias", servemap.Options{Hosts: []string{"www.example.com"}}, "www.example.com", nil, true},
		{"not one of the aliases", servemap.Options{Hosts: []string{"www.example.com"}}, "example.com", nil, false},
		{"basic authentication", servemap.Options{}, "example.com", []string{"Authorization", "Basic eDp5"}, false},
		{"an unknown cookie", servemap.Options{}, "example.com", []string{"Cookie", "zzz=1"}, false},
		{"a cookie known to be benign", servemap.Options{BenignCookies: []string{"zzz"}}, "example.com", []string{"Cookie", "zzz=1"}, true},
		{"a user named by a proxy", servemap.Options{}, "example.com", []string{"X-Forwarded-User", "jane"}, false},
		{"a user named by a proxy, and the owner says anonymous", servemap.Options{Anonymous: func(r *http.Request) bool { return r.Header.Get("X-Forwarded-User") == "nobody" }},
			"example.com", []string{"X-Forwarded-User", "nobody"}, true},
		{"the owner says not anonymous", servemap.Options{Anonymous: func(*http.Request) bool { return false }}, "example.com", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log, _ := quiet()
			tt.opts.Logger = log
			site := newSite(t, new(memstore.Store), &tt.opts)
			h := site.Observe(page("home"))
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = tt.host
			for i := 0; i < len(tt.headers); i += 2 {
				r.Header.Set(tt.headers[i], tt.headers[i+1])
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			flush(t, site)
			if got := site.Stats().Listed == 1; got != tt.counts {
				t.Errorf("counts: %v, want %v; stats %+v", got, tt.counts, site.Stats())
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	st := new(memstore.Store)
	tests := []struct {
		name   string
		origin string
		opts   servemap.Options
		names  []string // what the error must mention
	}{
		{"no origin", "", servemap.Options{}, []string{"origin", "https://example.com"}},
		{"no scheme", "example.com", servemap.Options{}, []string{"origin"}},
		{"another scheme", "ftp://example.com", servemap.Options{}, []string{"ftp"}},
		{"credentials", "https://u:geheim@example.com", servemap.Options{}, []string{"origin"}},
		{"a query", "https://example.com/?a=b", servemap.Options{}, []string{"origin"}},
		{"a page for an origin", origin + "/docs/index.html", servemap.Options{}, []string{"origin", "names a file", `"/docs/"`}},
		{"an origin that is too long", "https://example.com/" + strings.Repeat("a", 500), servemap.Options{}, []string{"origin"}},
		{"a name with a slash", origin, servemap.Options{Name: "a/b"}, []string{"Name", "a/b"}},
		{"a name with its extension", origin, servemap.Options{Name: "sitemap.xml"}, []string{"Name", "sitemap.xml"}},
		{"a host with a path", origin, servemap.Options{Hosts: []string{"example.com/x"}}, []string{"host"}},
		{"a prefix elsewhere", origin + "/blog", servemap.Options{StrippedPrefix: "/shop"}, []string{"StrippedPrefix", "/shop"}},
		{"a prefix below a root origin", origin, servemap.Options{StrippedPrefix: "/app"}, []string{"StrippedPrefix", origin + "/app"}},
		{"an entry off the site", origin, servemap.Options{Entries: []string{"https://other.example/"}}, []string{"Entries", "other.example"}},
		{"an entry out of the folder", origin + "/blog", servemap.Options{Entries: []string{"/"}}, []string{"Entries"}},
		{"a rule out of the folder", origin + "/blog", servemap.Options{Rules: []servemap.Rule{{Pattern: "/blog/a", List: servemap.Auto}, {Pattern: "/shop/*", List: servemap.Never}}},
			[]string{"rule 2", "/shop/*", "/blog/", "own folder"}},
		{"more pages in a part than there may be", origin, servemap.Options{Limits: servemap.Limits{PartPages: 50_001}}, []string{"PartPages is 50001", "50000"}},
		{"a part too small for a page", origin, servemap.Options{Limits: servemap.Limits{PartBytes: 1000}}, []string{"PartBytes is 1000", "65536"}},
		{"recent pages of a year", origin, servemap.Options{Recent: 365 * 24 * time.Hour}, []string{"Recent", "168h"}},
		{"a publication without a name", origin, servemap.Options{Extensions: servemap.Extensions{Publication: " "}}, []string{"Publication"}},
		{"a publication without its file", origin, servemap.Options{Extensions: servemap.Extensions{Publication: "News"}}, []string{"Publication", "set that too"}},
		{"a publication with a long name", origin, servemap.Options{Extensions: servemap.Extensions{Publication: strings.Repeat("é", 201)}}, []string{"Publication", "200"}},
		{"an empty pattern", origin, servemap.Options{Rules: []servemap.Rule{{}}}, []string{"Rules", "rule 1"}},
		{"a pattern without a slash", origin, servemap.Options{Rules: []servemap.Rule{{Pattern: "/a", List: servemap.Auto}, {Pattern: "b"}}},
			[]string{"rule 2", `"b"`}},
		{"no such listing", origin, servemap.Options{Rules: []servemap.Rule{{Pattern: "/", List: 9}}}, []string{"listing 9"}},
		{"a rule that says nothing", origin, servemap.Options{Rules: []servemap.Rule{{Pattern: "/a"}}}, []string{"rule 1", `"/a"`, "says nothing"}},
		{"no such changefreq", origin, servemap.Options{Rules: []servemap.Rule{{Pattern: "/a", ChangeFreq: "often"}}},
			[]string{"rule 1", "ChangeFreq", "often"}},
		{"no such priority", origin, servemap.Options{Rules: []servemap.Rule{{Pattern: "/a", Priority: 1.5}}}, []string{"rule 1", "Priority is 1.5"}},
		{"a rule with a parameter that is none", origin, servemap.Options{Rules: []servemap.Rule{{Pattern: "/a", Query: []string{"a=b"}}}},
			[]string{"rule 1", "Query", "a=b"}},
		{"a rule with parameters below a query", origin, servemap.Options{Rules: []servemap.Rule{{Pattern: "/a?b", Query: []string{"c"}}}},
			[]string{"rule 1", "Query"}},
		{"negative networks", origin, servemap.Options{Limits: servemap.Limits{Networks: -1}}, []string{"Networks", "-1"}},
		{"confidence above one", origin, servemap.Options{Limits: servemap.Limits{Confidence: 1.5}}, []string{"Confidence", "1.5"}},
		{"confidence that is no number", origin, servemap.Options{Limits: servemap.Limits{Confidence: math.NaN()}}, []string{"Confidence"}},
		{"negative keeping", origin, servemap.Options{Limits: servemap.Limits{KeepFor: -time.Hour}}, []string{"KeepFor", "-1h"}},
		{"days without their unit", origin, servemap.Options{Limits: servemap.Limits{KeepFor: 90}}, []string{"KeepFor is 90ns", "1h"}},
		{"negative rendering", origin, servemap.Options{Limits: servemap.Limits{RenderEvery: -1}}, []string{"RenderEvery"}},
		{"seconds without their unit", origin, servemap.Options{Limits: servemap.Limits{RefreshEvery: 15}}, []string{"RefreshEvery is 15ns", "1ms"}},
		{"hours without their unit", origin, servemap.Options{Recent: 48}, []string{"Recent is 48ns", "1m"}},
		{"no cookie name", origin, servemap.Options{BenignCookies: []string{"*"}}, []string{"BenignCookies", `"*"`}},
		{"cookies by how they end", origin, servemap.Options{BenignCookies: []string{"_x*", "_x*y"}}, []string{"BenignCookies", `"_x*y"`, "end"}},
		{"cookies by two stars", origin, servemap.Options{BenignCookies: []string{"_x**"}}, []string{"BenignCookies", `"_x**"`}},
		{"a parameter that is none", origin, servemap.Options{Query: []string{"a=b"}}, []string{"Query", "a=b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site, err := servemap.New(tt.origin, st, &tt.opts)
			if err == nil {
				site.Close(t.Context())
				t.Fatal("New took it")
			}
			for _, name := range tt.names {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("error %q does not mention %q", err, name)
				}
			}
			if !strings.HasPrefix(err.Error(), "servemap: ") || strings.Contains(err.Error(), "geheim") {
				t.Errorf("error %q", err)
			}
		})
	}
	var unopened *memstore.Store // as where the error of opening one is not looked at
	for name, st := range map[string]store.Store{"nil": nil, "unopened": unopened} {
		if _, err := servemap.New(origin, st, nil); err == nil || !strings.Contains(err.Error(), "store is nil") {
			t.Errorf("error %v for a store that is %s", err, name)
		}
	}
}

func TestWrapOfNothingIsTheDefaultMux(t *testing.T) {
	site := newSite(t, new(memstore.Store), nil)
	w := serve(t, site.Wrap(nil))
	if resp, _ := w.visit("/"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("status %d, want the 404 of an empty mux", resp.StatusCode)
	}
}

func TestARestartServesTheSameSitemap(t *testing.T) {
	dir := t.TempDir()
	wantNoGoroutineLeft(t)
	h := page("text", "/a", "/b")
	run := func(visits ...string) (body, modified string) {
		log, _ := quiet()
		st, err := badgerstore.Open(dir, &badgerstore.Options{Reserve: 1, Logger: log})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		site, err := servemap.New(origin, st, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := serve(t, site.Wrap(h))
		for _, path := range visits {
			w.visit(path)
		}
		if len(visits) > 0 {
			flush(t, site)
		}
		resp, body := w.visit("/sitemap.xml")
		if err := site.Close(t.Context()); err != nil {
			t.Error(err)
		}
		return body, resp.Header.Get("Etag") + resp.Header.Get("Last-Modified")
	}
	body, modified := run("/", "/a", "/b")
	if strings.Count(body, "<url>") != 3 {
		t.Fatalf("served\n%s", body)
	}
	if again, same := run(); again != body || same != modified {
		t.Errorf("after a restart\n%s%s\nbefore it\n%s%s", again, same, body, modified)
	}
}

func TestASiteServesWhileAnotherProcessHasItsFolder(t *testing.T) {
	dir := t.TempDir()
	log, text := quiet()
	first, err := badgerstore.Open(dir, &badgerstore.Options{Reserve: 1, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	second, err := badgerstore.Open(dir, &badgerstore.Options{Reserve: 1, Logger: log})
	if err != nil {
		t.Fatalf("the site must start while another process holds the folder: %v", err)
	}
	defer second.Close()
	site := newSite(t, second, &servemap.Options{Logger: log})
	w := serve(t, site.Wrap(page("home")))
	if _, body := w.visit("/"); !strings.Contains(body, "home") {
		t.Error("the site does not serve")
	}
	if err := site.Flush(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Flush: %v, want ErrUnavailable", err)
	}
	if got := site.Stats().Store; !strings.Contains(got, "process") {
		t.Errorf("Stats.Store is %q, want the cause", got)
	}
	if got := strings.Count(text.String(), "level=WARN"); got != 1 {
		t.Errorf("%d warnings, want one:\n%s", got, text)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for site.Flush(t.Context()) != nil && t.Context().Err() == nil {
		time.Sleep(10 * time.Millisecond) // a file lock has no event to wait for
	}
	w.wantListed(site, "/")
}

func TestCloseKeepsServing(t *testing.T) {
	site := newSite(t, new(memstore.Store), nil)
	w := serve(t, site.Wrap(page("home", "/a")))
	w.visit("/")
	if err := site.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := site.Close(t.Context()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	w.visit("/a")
	w.wantServed("/sitemap.xml", "/")
	if err := site.Flush(t.Context()); err == nil {
		t.Error("Flush after Close returned nil")
	}
	if err := site.Forget(t.Context(), "/"); err == nil {
		t.Error("Forget after Close returned nil")
	}
}

func TestExplainAndPages(t *testing.T) {
	site := newSite(t, new(memstore.Store), nil)
	w := serve(t, site.Wrap(page("p", "/a", "/not-visited")))
	w.see(site, "/", "/a", "/orphan")
	for _, tt := range []struct {
		url     string
		verdict servemap.Verdict
		reason  servemap.Reason
	}{
		{origin + "/a", "listed", "link"},
		{"/a?utm_source=x", "listed", "link"},
		{"/", "listed", "entry"},
		{"/not-visited", "waiting", "not-seen"},
		{"/unheard-of", "unknown", "none"},
	} {
		e, err := site.Explain(t.Context(), tt.url)
		if err != nil || e.Verdict != tt.verdict || e.Reason != tt.reason || e.Text == "" || e.Listed != (tt.verdict == "listed") {
			t.Errorf("%s: %+v, %v; want %s because of %s", tt.url, e, err, tt.verdict, tt.reason)
		}
	}
	for _, url := range []string{"https://other.example/", "/a//b", ""} {
		if e, err := site.Explain(t.Context(), url); err == nil {
			t.Errorf("%q is explained: %+v", url, e)
		}
	}
	var urls []string
	for p, err := range site.Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if p.FirstSeen.IsZero() || p.LastSeen.IsZero() || !p.LastModified.IsZero() {
			t.Errorf("%+v", p)
		}
		urls = append(urls, p.URL)
	}
	if want := []string{origin + "/", origin + "/a"}; !slices.Equal(urls, want) {
		t.Errorf("pages %q, want %q", urls, want)
	}
}

func TestExplainTellsWhatALinkAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := newSite(t, new(memstore.Store), nil)
		gone := false
		w := servePipe(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/old":
				http.Redirect(w, r, "/new", http.StatusMovedPermanently)
			case r.URL.Path == "/gone":
				w.WriteHeader(http.StatusGone)
			case r.URL.Path == "/a" && gone:
				http.NotFound(w, r)
			default:
				io.WriteString(w, html("text of "+r.URL.Path, "/old", "/gone", "/a"))
			}
		})))
		w.see(site, "/", "/a", "/old", "/gone")
		gone = true
		time.Sleep(time.Minute)
		w.see(site, "/a")
		for path, want := range map[string]string{"/old": "answered 301", "/gone": "answered 410", "/a": "answered 404 at"} {
			if e := explain(t, site, path); !strings.Contains(e.Text, want) {
				t.Errorf("%s: %q, want that it %s", path, e.Text, want)
			}
		}
	})
}

func TestExplainTellsOfDates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := newSite(t, new(memstore.Store), nil)
		text := "the first text of the page"
		w := servePipe(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, html(text)) })))
		var changes []time.Time
		for edition := range 7 {
			if edition > 0 {
				text = fmt.Sprintf("This is edition %d of it, which has %d sentences more than the first one had.", edition, edition)
				changes = slices.Insert(changes, 0, time.Now().UTC().Truncate(time.Second))
			}
			for range 4 {
				w.see(site, "/")
				time.Sleep(6 * time.Hour)
			}
		}
		e := explain(t, site, "/")
		d := e.Dates
		if !slices.Equal(d.Changes, changes[:4]) || e.Page.Changes != 6 || !e.Page.LastModified.Equal(changes[0]) {
			t.Errorf("changes %v, want %v", d.Changes, changes[:4])
		}
		if d.Shortest <= 0 || d.Shortest > d.Interval || d.Interval > d.Longest || d.Interval < 12*time.Hour || d.Interval > 48*time.Hour {
			t.Errorf("a change each %v (%v to %v), of a page that changes each day", d.Interval, d.Shortest, d.Longest)
		}
		if d.ChangeFreq != "daily" || d.Probability <= 0 || d.Probability > 1 {
			t.Errorf("changefreq %q with probability %v", d.ChangeFreq, d.Probability)
		}
		before := changes[0].Add(-6 * time.Hour).Format(time.RFC3339)
		if want := "between the looks at " + before + " and " + changes[0].Format(time.RFC3339); !strings.Contains(d.Text, want) {
			t.Errorf("%q, want that it changed %s", d.Text, want)
		}
	})
}

func TestExplainTellsWhyThereIsNoChangeFreq(t *testing.T) {
	for _, tt := range []struct {
		name       string
		confidence float64
		edits      int // one at each third look
		want       string
	}{
		{"not likely enough", 0.99, 3, "less likely than Options.Limits.Confidence asks for"},
		{"none is wanted", 1, 3, "less likely than Options.Limits.Confidence asks for"},
		{"one change, and a short watch", 0.01, 1, "takes a longer watch"},
		{"published", 0.01, 3, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := newSite(t, new(memstore.Store), &servemap.Options{Limits: servemap.Limits{Confidence: tt.confidence}})
				text := "the first text of the page"
				w := servePipe(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, html(text)) })))
				for i := range 12 {
					if edition := min(i/3, tt.edits); edition > 0 {
						text = fmt.Sprintf("This is edition %d of it, which has %d sentences more than the first one had.", edition, edition)
					}
					w.see(site, "/")
					time.Sleep(2 * time.Minute)
				}
				e, err := site.Explain(t.Context(), "/")
				if err != nil || e.Dates.ChangeFreq == "" || e.Page.Changes != tt.edits {
					t.Fatalf("%+v, %v", e, err)
				}
				told := strings.Contains(e.Dates.Text, "There is no changefreq")
				if !strings.Contains(e.Dates.Text, tt.want) || told != (tt.want != "") || told != (e.Page.ChangeFreq == "") {
					t.Errorf("%q of a page whose changefreq is %q, want %q in it", e.Dates.Text, e.Page.ChangeFreq, tt.want)
				}
			})
		})
	}
}

func TestExplainTellsOfAnAnnouncedEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := newSite(t, new(memstore.Store), nil)
		end := time.Now().Add(time.Hour).UTC()
		w := servePipe(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/fair":
				w.Header().Set("X-Robots-Tag", "unavailable_after: "+end.Format(time.RFC1123))
			case "/draft":
				w.Header().Set("X-Robots-Tag", "noindex")
			}
			page("text of "+r.URL.Path, "/fair", "/draft")(w, r)
		})))
		see := func() {
			w.see(site, "/", "/fair", "/draft")
		}
		see()
		if e := explain(t, site, "/fair"); !e.Listed {
			t.Errorf("before its end: %+v", e)
		}
		time.Sleep(2 * time.Hour)
		for _, seen := range []string{"before it is seen again", "when it is seen again"} {
			for path, want := range map[string]string{"/fair": end.Format(time.RFC3339) + " as its unavailable_after", "/draft": "asks not to be indexed"} {
				if e, err := site.Explain(t.Context(), path); err != nil || e.Reason != "noindex" || !strings.Contains(e.Text, want) {
					t.Errorf("%s, %s: %s %q, %v; want %q", path, seen, e.Reason, e.Text, err, want)
				}
			}
			see()
		}
	})
}

func TestReportOnly(t *testing.T) {
	site := newSite(t, new(memstore.Store), &servemap.Options{ReportOnly: true})
	w := serve(t, site.Wrap(page("p", "/a")))
	w.see(site, "/", "/a")
	for _, name := range []string{"/sitemap.xml", "/sitemap.xml.gz", "/sitemap-1.xml"} {
		resp, body := w.visit(name)
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" ||
			!strings.Contains(body, "Options.ReportOnly") || !strings.Contains(body, "would list: 2") || strings.Contains(body, "/a") {
			t.Errorf("%s: %d, %s", name, resp.StatusCode, body)
		}
	}
	if e := explain(t, site, "/a"); !e.Listed {
		t.Errorf("%+v", e)
	}
	pages := 0
	for _, err := range site.Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		pages++
	}
	if pages != 2 || site.Stats().Listed != 2 {
		t.Errorf("%d pages, %+v", pages, site.Stats())
	}
}

func TestRobotsTxtIsObeyed(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /\n"
	for _, tt := range []struct {
		name string
		opts *servemap.Options
		want []string
	}{
		{"as it is served", nil, []string{"/", "/b"}},
		{"as it is given", &servemap.Options{Robots: "User-agent: *\nDisallow: /b\n"}, []string{"/", "/a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := newSite(t, new(memstore.Store), tt.opts)
			w := serve(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					io.WriteString(w, robots)
					return
				}
				page("p", "/a", "/b")(w, r)
			})))
			w.see(site, "/", "/a", "/b")
			w.visit("/robots.txt")
			w.wantListed(site, tt.want...)
		})
	}
}

func TestEveryVerdictAndReasonHasAPublicConstant(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "handler.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	public := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Type != nil && len(spec.Values) == 1 {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				public[fmt.Sprint(spec.Type, " ", strings.Trim(value.Value, `"`))] = true
			}
		}
		return true
	})
	for v := admit.Unknown; v <= admit.Gone; v++ {
		if !public["Verdict "+v.String()] {
			t.Errorf("verdict %v has no constant", v)
		}
	}
	for r := admit.None; r <= admit.Disallowed; r++ { // those that a verdict can carry
		if !public["Reason "+r.String()] {
			t.Errorf("reason %v has no constant", r)
		}
	}
}

func TestExplainTellsWhatIsMissing(t *testing.T) {
	const token = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	site := newSite(t, new(memstore.Store), &servemap.Options{Rules: []servemap.Rule{{Pattern: "/internal/", List: servemap.Never}}})
	w := serve(t, site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/variant" {
			io.WriteString(w, `<html><head><link rel="canonical" href="/a"></head><body>variant</body></html>`)
			return
		}
		page("p", "/a", "/reset", "/variant", token, "/internal/x")(w, r)
	})))
	w.see(site, "/", "/a", "/orphan", "/invite/x", token, "/variant")
	for _, tt := range []struct {
		path                     string
		reason                   servemap.Reason
		missing, rule, canonical string
	}{
		{"/a", "link", "", "", ""},
		{"/reset", "not-seen", "an anonymous visitor", "", ""},
		{"/orphan", "no-evidence", "3 networks (so far 0, since no visitor's address is known to be a public one; behind a proxy, Options.ClientIP gives it), and links to 3 pages beside it (so far 1)", "", ""},
		{"/invite/x", "risky-word", "a link", "", ""},
		{token, "capability", "another look", "", ""},
		{"/variant", "canonical-elsewhere", "", "", origin + "/a"},
		{"/internal/x", "rule-never", "", "/internal/", ""},
	} {
		e, err := site.Explain(t.Context(), tt.path)
		if err != nil || e.Reason != tt.reason || e.Rule != tt.rule || e.Canonical != tt.canonical ||
			!strings.Contains(strings.Join(e.Missing, "; "), tt.missing) || (tt.missing == "") != (len(e.Missing) == 0) {
			t.Errorf("%s: %+v, %v", tt.path, e, err)
		}
	}
	st := site.Stats()
	for verdict, want := range map[string]int{"listed entry": 1, "listed link": 1, "held capability": 1, "held risky-word": 1, "waiting no-evidence": 1, "excluded rule-never": 1} {
		if st.Verdicts[verdict] != want {
			t.Errorf("%d are %s, want %d; all: %v", st.Verdicts[verdict], verdict, want, st.Verdicts)
		}
	}
}

func TestHintsAreInStatsInTheLogAndInPlaceOfTheSitemap(t *testing.T) {
	var log strings.Builder
	site := newSite(t, new(memstore.Store), &servemap.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	w := serve(t, site.Wrap(page("p")))
	for range 60 {
		w.visit("/", "Cookie", "session=1")
	}
	st := site.Stats()
	if len(st.Hints) != 1 || !strings.Contains(st.Hints[0], "Options.BenignCookies") {
		t.Fatalf("hints %q", st.Hints)
	}
	told, names, _ := strings.Cut(st.Hints[0], " Most had: ")
	if _, body := w.visit("/sitemap.xml"); !strings.Contains(body, told) || names == "" || strings.Contains(body, names) {
		t.Errorf("the answer to who asks for the sitemap is\n%s", body)
	}
	if err := site.Close(t.Context()); err != nil { // by then the log is written
		t.Fatal(err)
	}
	if strings.Count(log.String(), "Options.BenignCookies") != 1 {
		t.Errorf("the log says\n%s", log.String())
	}
}

// Example shows a site behind one line, and what its sitemap says after a
// visitor has clicked around.
func Example() {
	site, err := servemap.New("https://example.com", new(memstore.Store), nil)
	if err != nil {
		panic(err)
	}
	defer site.Close(context.Background())
	pages := http.NewServeMux()
	pages.HandleFunc("/{$}", page("home", "/news"))
	pages.HandleFunc("/news", page("news"))
	pages.HandleFunc("/drafts/{id}", page("nobody links here, so nobody learns of it"))
	server := httptest.NewServer(site.Wrap(pages))
	defer server.Close()

	for _, path := range []string{"/", "/news", "/drafts/1"} {
		http.Get(server.URL + path)
	}
	site.Flush(context.Background())
	resp, _ := http.Get(server.URL + "/sitemap.xml")
	io.Copy(os.Stdout, resp.Body)
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	// <url><loc>https://example.com/</loc></url>
	// <url><loc>https://example.com/news</loc></url>
	// </urlset>
}

// ExampleSite_Mount shows the one line for gorilla/mux.
func ExampleSite_Mount() {
	site, err := servemap.New("https://example.com", new(memstore.Store), nil)
	if err != nil {
		panic(err)
	}
	defer site.Close(context.Background())
	router := mux.NewRouter()
	router.HandleFunc("/", page("home"))
	router.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, site.RobotsLine()) })
	site.Mount(router)
	server := httptest.NewServer(router)
	defer server.Close()

	resp, _ := http.Get(server.URL + "/robots.txt")
	io.Copy(os.Stdout, resp.Body)
	// Output:
	// Sitemap: https://example.com/sitemap.xml
}

// ExampleSite_Explain shows how to ask about one page.
func ExampleSite_Explain() {
	site, err := servemap.New("https://example.com", new(memstore.Store), nil)
	if err != nil {
		panic(err)
	}
	defer site.Close(context.Background())
	server := httptest.NewServer(site.Wrap(page("text")))
	defer server.Close()
	http.Get(server.URL + "/blog/orphan")
	site.Flush(context.Background())

	e, err := site.Explain(context.Background(), "https://example.com/blog/orphan")
	fmt.Println(e.Verdict, e.Reason, err)
	// Output:
	// waiting no-evidence <nil>
}

// ExampleSite_Explain_dates shows what a lastmod goes by.
func ExampleSite_Explain_dates() {
	site, err := servemap.New("https://example.com", new(memstore.Store), nil)
	if err != nil {
		panic(err)
	}
	defer site.Close(context.Background())
	server := httptest.NewServer(site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 09:30:00 GMT")
		io.WriteString(w, html("text"))
	})))
	defer server.Close()
	http.Get(server.URL)
	site.Flush(context.Background())

	e, err := site.Explain(context.Background(), "/")
	fmt.Println(e.Page.LastModified, err)
	fmt.Println(strings.Contains(e.Dates.Text, "the lastmod is the time that Last-Modified gives"))
	// Output:
	// 2026-03-02 09:30:00 +0000 UTC <nil>
	// true
}

// The cost of a request that teaches nothing, as most do, against the same
// handler without a site. What a sampled page costs is measured in internal/tap,
// where the reading of it does not compete for the processor.
func BenchmarkObserve(b *testing.B) {
	body := []byte(html(strings.Repeat("word ", 2000)))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"text/html"}
		w.Write(body)
	})
	site := newSite(b, new(memstore.Store), nil)
	for _, bm := range []struct {
		name string
		h    http.Handler
	}{{"Without", h}, {"NothingDue", site.Observe(h)}} {
		b.Run(bm.name, func(b *testing.B) {
			bm.h.ServeHTTP(&discard{header: http.Header{}}, request("/")) // the one look that is due
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				w, r := &discard{header: http.Header{}}, request("/")
				for pb.Next() {
					bm.h.ServeHTTP(w, r)
				}
			})
		})
	}
}

// The cost of a request for the sitemap, which the handler has in memory.
func BenchmarkHandler(b *testing.B) {
	site := newSite(b, new(memstore.Store), nil)
	h := site.Wrap(page("home", "/a", "/b"))
	for _, path := range []string{"/", "/a", "/b"} {
		h.ServeHTTP(&discard{header: http.Header{}}, request(path))
	}
	flush(b, site)
	for _, bm := range []struct{ name, header, value string }{
		{"Plain", "Accept-Encoding", "identity"}, {"Gzip", "Accept-Encoding", "gzip"}, {"NotModified", "If-None-Match", "*"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			r := request("/sitemap.xml")
			r.Header.Set(bm.header, bm.value)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(&discard{header: http.Header{}}, r)
			}
		})
	}
}

func request(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://example.com"+path, nil)
	r.RequestURI = path
	return r
}

// discard is a writer that costs nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// Somebody adds a page to a folder of files, and links it from the first one.
func TestAFileThatIsAddedAndLinked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		save := func(name, links string, at time.Time) {
			t.Helper()
			path := dir + "/" + name
			text := "<!doctype html><title>" + name + "</title><main><p>This file tells of " + name + ", at a length that tells it from the others.</p><ul>" + links + "</ul></main>"
			if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
				t.Fatal(err)
			}
		}
		const before = "<li><a href=/old.html>The old one</a></li>"
		old := time.Now().Add(-300 * 24 * time.Hour)
		save("index.html", before, old)
		save("old.html", "", old.Add(time.Hour))
		site := newSite(t, new(memstore.Store), nil)
		w := servePipe(t, site.Wrap(http.FileServer(http.Dir(dir))))
		for range 5 {
			w.visit("/")
			w.visit("/old.html")
			time.Sleep(time.Hour)
		}
		save("index.html", before+"<li><a href=/new.html>How the harvest was</a></li>", time.Now())
		edited := time.Now()
		save("new.html", "", edited)
		for range 20 {
			w.visit("/")
			w.visit("/new.html")
			time.Sleep(61 * time.Second)
		}
		flush(t, site)
		for path, want := range map[string]time.Time{"/": edited, "/old.html": old.Add(time.Hour), "/new.html": edited} {
			e := explain(t, site, path)
			if got := e.Page.LastModified; !got.Truncate(time.Second).Equal(want.Truncate(time.Second)) {
				t.Errorf("%s has the lastmod %v, want %v: %s", path, got, want, e.Dates.Text)
			}
		}
	})
}
