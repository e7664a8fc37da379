package recipes

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"golang.org/x/crypto/acme/autocert"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store/memstore"
)

const host = "example.com"

func TestMain(m *testing.M) {
	gin.SetMode(gin.TestMode)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

func start(t *testing.T, opts *servemap.Options, recipe func(*servemap.Site) http.Handler) *testkit.Site {
	setup := testkit.Setup{Mount: recipe}
	if opts != nil {
		setup.Options = *opts
	}
	return testkit.Start(t, setup)
}

// ask asks a handler for a path of a host.
func ask(h http.Handler, method, host, path string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, "https://"+host+path, nil)
	r.RequestURI = path
	h.ServeHTTP(w, r)
	return w
}

// wantListed checks what a site lists in its file at a path.
func wantListed(t *testing.T, site *servemap.Site, h http.Handler, host, file string, want ...string) {
	t.Helper()
	base.Check(t, site.Flush(t.Context()))
	dates, err := testkit.ParseSitemap(ask(h, http.MethodGet, host, file).Body.String(), "https://"+host)
	if got := slices.Sorted(maps.Keys(dates)); !slices.Equal(got, want) || (err != nil) != (want == nil) {
		t.Errorf("%s lists %q, want %q; %v, %v", host, got, want, err, site.Stats())
	}
}

// logIn returns the cookies of a visitor who has logged in.
func logIn(s *testkit.Site) string {
	return cookies(ask(s, http.MethodPost, host, "/login").Result().Header)
}

func cookies(from http.Header) string {
	var all []string
	for _, c := range (&http.Response{Header: from}).Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

func TestRecipesListTheirPages(t *testing.T) {
	all := []string{"/", "/about", "/p/teapot"}
	linked := []string{"/", "/p/teapot"}
	for _, tt := range []struct {
		name   string
		recipe func(*servemap.Site) http.Handler
		want   []string
	}{
		{"ServeMux", ServeMux, all},
		{"gorilla/mux", Gorilla, all},
		{"chi", Chi, all},
		{"gin", Gin, all},
		{"echo", Echo, all},
		{"httprouter", Httprouter, linked},
		{"fiber", Fiber, linked},
		{"templ", Templ, all},
		{"htmx", HTMX, all},
		{"scs", SCS, all},
		{"gzip outside", GzipOutside, all},
		{"gzip inside", GzipInside, all},
		{"a timeout outside", TimeoutOutside, all},
		{"a timeout inside", TimeoutInside, linked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, nil, tt.recipe)
			for _, path := range []string{"/", "/about", "/p/teapot", "/p/secret"} {
				if a := s.Get(path, "Accept-Encoding", "gzip"); a.Status != http.StatusOK || a.Body == "" {
					t.Errorf("%s: %d %q", path, a.Status, a.Body)
				}
			}
			if a := s.Get("/missing"); a.Status != http.StatusNotFound {
				t.Errorf("/missing: %d, want 404", a.Status)
			}
			s.WantListed(tt.want...)
		})
	}
}

func TestContentsForVisitorsNameTheListedPages(t *testing.T) {
	s := start(t, nil, ForVisitors)
	for _, path := range []string{"/", "/p/teapot", "/p/secret"} {
		s.Get(path)
	}
	s.WantListed("/", "/p/teapot")
	a := s.Get("/contents")
	if a.Status != http.StatusOK || !strings.Contains(a.Body, `<li><a href="/p/teapot">`) ||
		strings.Contains(a.Body, "secret") {
		t.Errorf("the contents are %d\n%s", a.Status, a.Body)
	}
	s.WantListed("/", "/p/teapot")
}

func TestPagesAreCompressed(t *testing.T) {
	for name, recipe := range map[string]func(*servemap.Site) http.Handler{"outside": GzipOutside, "inside": GzipInside} {
		s := start(t, nil, recipe)
		if a := s.Get("/", "Accept-Encoding", "gzip"); !strings.HasPrefix(a.Body, "\x1f\x8b") {
			t.Errorf("%s: the page is not compressed: %q", name, a.Body)
		}
		s.WantListed("/")
	}
}

func TestFiberHintsAtTheRightWay(t *testing.T) {
	s := start(t, nil, FiberWrong)
	for i := range 50 {
		if a := s.Get(fmt.Sprintf("/?page=%d", i)); a.Status != http.StatusOK || a.Body != home {
			t.Fatalf("%d %q, want the page as it is", a.Status, a.Body)
		}
	}
	s.WantListed()
	if hints := strings.Join(s.Stats().Hints, "\n"); !strings.Contains(hints, "site.Wrap(adaptor.FiberApp(app))") {
		t.Errorf("the hints are %q; they should name the right way", hints)
	}
}

// The middleware of a subrouter gets no requests for the sitemap. That of chi's root router does.
func TestTheOwnerOfASubrouterIsTold(t *testing.T) {
	below := func(site *servemap.Site) http.Handler {
		r := chi.NewRouter()
		r.Route("/shop", func(r chi.Router) {
			r.Use(site.Wrap)
			r.Get("/", page(home))
		})
		return r
	}
	for name, tt := range map[string]struct {
		recipe func(*servemap.Site) http.Handler
		visit  string
		status int
	}{"a subrouter": {below, "/shop/", http.StatusNotFound}, "the root router": {Chi, "/",
		http.StatusServiceUnavailable}} {
		s := start(t, nil, tt.recipe)
		s.Get(tt.visit)
		if tt.status == http.StatusNotFound { // the site asks its program meanwhile
			s.Logged.Await(t, "put site.Wrap around the whole router")
		}
		told := strings.Contains(strings.Join(s.Stats().Hints, "\n"), "put site.Wrap around the whole router")
		if a := s.Get("/sitemap.xml"); a.Status != tt.status || told != (a.Status == http.StatusNotFound) {
			t.Errorf("%s: the sitemap answers %d, and a hint says so: %v", name, a.Status, told)
		}
	}
}

func TestHTMXFragmentsAreNoPages(t *testing.T) {
	s := start(t, nil, HTMX)
	s.Get("/")
	s.Get("/news", "HX-Request", "true")
	s.Get("/news", "HX-Request", "true", "HX-Boosted", "true")
	s.WantListed("/")
	s.Get("/about", "HX-Request", "true", "HX-Boosted", "true") // a link that leads to a whole document
	s.WantListed("/", "/about")
	s.Get("/news")
	s.WantListed("/", "/about", "/news")
}

func TestPagesOfASessionAreNotListed(t *testing.T) {
	s := start(t, nil, SCS)
	eve, pages := logIn(s), []string{"/", "/about", "/orders"}
	for _, path := range pages {
		if a := s.Get(path, "Cookie", eve); a.Status != http.StatusOK {
			t.Errorf("%s: %d for who is logged in", path, a.Status)
		}
	}
	s.WantListed()
	s.Visit(pages...)
	s.WantListed("/", "/about")
}

func TestASessionForEverybody(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts *servemap.Options
		want []string
	}{
		{"its cookie is benign", GorillaSessionsOptions(), []string{"/", "/p/teapot"}},
		{"its cookie is not", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.opts, GorillaSessions)
			bob := cookies(s.Get("/missing").Header) // it gives him the cookie
			for _, path := range []string{"/", "/p/teapot"} {
				s.Get(path, "Cookie", bob)
			}
			s.Get("/members/only", "Cookie", logIn(s))
			s.WantListed(tt.want...)
		})
	}
}

// A visitor who sends X-Forwarded-For must not look like another one.
func TestSpoofedAddressesDoNotCount(t *testing.T) {
	cdn := BehindCDN(netip.MustParsePrefix("203.0.113.0/24"))
	for _, tt := range []struct {
		name   string
		opts   *servemap.Options
		peer   string // of our own proxy
		claims []string
		want   string
	}{
		{"nginx, a visitor", BehindNginx(), "8.8.8.8", nil, "8.8.8.8"},
		{"nginx, a visitor who claims to be another", BehindNginx(), "8.8.8.8", []string{"9.9.9.9"}, "8.8.8.8"},
		{"nginx, a visitor who claims to be one of us", BehindNginx(), "8.8.8.8", []string{"9.9.9.9, 10.0.0.1", "127.0.0.1"},
			"8.8.8.8"},
		{"a CDN, a visitor", cdn, "203.0.113.5", []string{"8.8.8.8"}, "8.8.8.8"},
		{"a CDN, a visitor who claims to be another", cdn, "203.0.113.5", []string{"9.9.9.9, 8.8.8.8"}, "8.8.8.8"},
		{"a visitor who claims to come by the CDN", cdn, "8.8.8.8", []string{"9.9.9.9, 203.0.113.5"}, "8.8.8.8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := make(chan netip.Addr, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				got <- tt.opts.ClientIP(r)
			}))
			defer server.Close()
			to, err := url.Parse(server.URL)
			base.Check(t, err)
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = tt.peer + ":4711"
			for _, claim := range tt.claims {
				r.Header.Add("X-Forwarded-For", claim)
			}
			httputil.NewSingleHostReverseProxy(to).ServeHTTP(httptest.NewRecorder(), r) // it adds its peer, as nginx does
			if addr := <-got; addr != netip.MustParseAddr(tt.want) {
				t.Errorf("the client is %v, want %s", addr, tt.want)
			}
		})
	}
}

func TestHostsHaveSitemapsOfTheirOwn(t *testing.T) {
	blogOnly := http.NewServeMux()
	blogOnly.Handle("GET /{$}", page(blogHome))
	h, sites, err := Hosts(new(memstore.Store), nil, map[string]http.Handler{"example.com": shop(),
		"blog.example.com": blogOnly})
	base.Check(t, err)
	for _, of := range sites {
		host := strings.TrimPrefix(strings.TrimSuffix(of.RobotsLine(), "/sitemap.xml"), "Sitemap: https://")
		for _, path := range []string{"/", "/about"} {
			ask(h, http.MethodGet, host, path)
		}
		wantListed(t, of, h, host, "/sitemap.xml", map[string][]string{"example.com": {"/", "/about"},
			"blog.example.com": {"/"}}[host]...)
		defer of.Close(context.Background())
	}
	if w := ask(h, http.MethodGet, "elsewhere.example", "/"); w.Code != http.StatusMisdirectedRequest {
		t.Errorf("another host: %d", w.Code)
	}
}

func TestCustomersHaveSitemapsOfTheirOwn(t *testing.T) {
	policy := autocert.HostWhitelist("one.example", "two.example")
	server, sites := Customers(new(memstore.Store), nil, policy, shop())
	defer sites.Close(context.Background())
	for host, want := range map[string][]string{"one.example": {"/", "/about"}, "two.example": {"/"}} {
		base.Check(t, sites.Do(t.Context(), host, func(of *servemap.Site) error {
			for _, path := range want {
				ask(server.Handler, http.MethodGet, host, path)
			}
			wantListed(t, of, server.Handler, host, "/sitemap.xml", want...)
			return nil
		}))
	}
	if w := ask(server.Handler, http.MethodGet, "elsewhere.example", "/sitemap.xml"); w.Code != http.StatusNotFound {
		t.Errorf("the sitemap of another host: %d", w.Code)
	}
	if _, err := server.TLSConfig.GetCertificate(&tls.ClientHelloInfo{ServerName: "elsewhere.example"}); err == nil {
		t.Error("another host has a certificate")
	}
}

func TestChangesOfCustomersAreAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, gone := new(memstore.Store), false
		_, sites := Customers(st, nil, autocert.HostWhitelist("one.example", "two.example"),
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if gone && r.URL.Path == "/about" {
					w.WriteHeader(http.StatusGone)
					return
				}
				shop().ServeHTTP(w, r)
			}))
		defer sites.Close(context.Background())
		var posts []string
		all := &Announcer{Sites: sites, Store: st, Options: &notify.Options{
			Endpoint: "http://127.0.0.1/indexnow",
			Transport: sender(func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				posts = append(posts, string(body))
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, err
			}),
		}}
		visit := func() {
			for _, path := range []string{"/", "/about"} {
				ask(all, http.MethodGet, "one.example", path)
				ask(all, http.MethodGet, "two.example", path)
			}
			time.Sleep(time.Hour)
		}
		ctx, stop := context.WithCancel(t.Context())
		var announcing sync.WaitGroup
		announcing.Go(func() { base.Check(t, all.Announce(ctx, "one.example")) })
		visit()
		gone = true
		visit()
		var post struct {
			Key     string
			URLList []string
		}
		if synctest.Wait(); len(posts) != 1 || json.Unmarshal([]byte(posts[0]), &post) != nil ||
			!slices.Equal(post.URLList, []string{"https://one.example/about"}) {
			t.Fatalf("the engine got %q", posts)
		}
		file := "/" + post.Key + ".txt"
		if got := ask(all, http.MethodGet, "one.example", file); got.Body.String() != post.Key {
			t.Errorf("the key file %s: %d, %s", file, got.Code, got.Body)
		}
		if got := ask(all, http.MethodGet, "two.example", file); got.Body.String() == post.Key {
			t.Errorf("another customer has the key file too")
		}
		stop()
		announcing.Wait()
	})
}

// sender answers requests of a client.
type sender func(*http.Request) (*http.Response, error)

func (s sender) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

func TestRecipesWithAPrefixListThePublicPath(t *testing.T) {
	for _, tt := range []struct {
		name   string
		recipe func(*servemap.Site) http.Handler
		opts   *servemap.Options
		before string // what the path of a request begins with
	}{
		{"in the routes", PrefixItself, nil, "/blog"},
		{"stripped in the program", PrefixStripped, nil, "/blog"},
		{"stripped by a proxy", PrefixProxied, PrefixProxiedOptions(), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			setup := testkit.Setup{Origin: testkit.Origin + "/blog", Mount: tt.recipe}
			if tt.opts != nil {
				setup.Options = *tt.opts
			}
			s := testkit.Start(t, setup)
			s.Get(tt.before + "/")
			s.Get(tt.before + "/first")
			wantListed(t, s.Site, s, host, tt.before+"/sitemap.xml", "/blog/", "/blog/first")
		})
	}
}

func TestContainerListsItsPages(t *testing.T) {
	ctx := context.Background()
	volume := filepath.Join(t.TempDir(), "data")
	for _, tt := range []struct {
		name, folder string
		explore      bool
		want         []string
	}{
		{"a first start with a volume", volume, true, []string{"/", "/p/teapot"}},
		{"a deployment with the volume", volume, false, []string{"/", "/p/teapot"}},
		{"a deployment without", filepath.Join(t.TempDir(), "data"), false, nil},
		{"a deployment without, that explores", filepath.Join(t.TempDir(), "data"), true, []string{"/", "/p/teapot"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop, err := Open(tt.folder, nil)
			base.Check(t, err)
			if tt.explore {
				if _, err := shop.Site.Explore(ctx, &servemap.ExploreOptions{Inside: shop}); err != nil {
					t.Error(err)
				}
			}
			wantListed(t, shop.Site, shop, host, "/sitemap.xml", tt.want...)
			base.Check(t, shop.Close(ctx))
		})
	}
}
