package recipes

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
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
	"golang.org/x/crypto/acme/autocert"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store/memstore"
)

const origin = "https://example.com"

func TestMain(m *testing.M) {
	gin.SetMode(gin.TestMode)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// site is a running recipe.
type site struct {
	testing.TB
	*servemap.Site
	url string
}

func start(t testing.TB, origin string, opts *servemap.Options, recipe func(*servemap.Site) http.Handler) *site {
	s, err := servemap.New(origin, new(memstore.Store), opts)
	base.Check(t, err)
	server := httptest.NewServer(recipe(s))
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &site{t, s, server.URL}
}

// get makes a request as client, or as a visitor without cookies if client is nil. header
// is pairs of names and values.
func (s *site) get(client *http.Client, path string, header ...string) (int, string) {
	s.Helper()
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	base.Check(s, err)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Add(header[i], header[i+1])
	}
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	base.Check(s, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	base.Check(s, err)
	return resp.StatusCode, string(body)
}

// listed waits until all that was seen is in the sitemap at a path, and returns its paths.
func (s *site) listed(path string, header ...string) (paths []string) {
	s.Helper()
	base.Check(s, s.Flush(context.Background()))
	status, body := s.get(nil, path, header...)
	if status != http.StatusOK {
		return nil
	}
	var set struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(body), &set); err != nil {
		s.Fatalf("%s: %v\n%s", path, err, body)
	}
	for _, u := range set.URL {
		loc, err := url.Parse(u.Loc)
		base.Check(s, err)
		paths = append(paths, loc.Path)
	}
	slices.Sort(paths)
	return paths
}

func (s *site) want(paths ...string) {
	s.Helper()
	if got := s.listed("/sitemap.xml"); !slices.Equal(got, paths) {
		s.Errorf("listed are %q, want %q; %v", got, paths, s.Stats())
	}
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
			s := start(t, origin, nil, tt.recipe)
			for _, path := range []string{"/", "/about", "/p/teapot", "/p/secret"} {
				if status, body := s.get(nil, path, "Accept-Encoding", "gzip"); status != http.StatusOK || body == "" {
					t.Errorf("%s: %d %q", path, status, body)
				}
			}
			if status, _ := s.get(nil, "/missing"); status != http.StatusNotFound {
				t.Errorf("/missing: %d, want 404", status)
			}
			s.want(tt.want...)
		})
	}
}

func TestContentsForVisitorsNameTheListedPages(t *testing.T) {
	s := start(t, origin, nil, ForVisitors)
	for _, path := range []string{"/", "/p/teapot", "/p/secret"} {
		s.get(nil, path)
	}
	s.want("/", "/p/teapot")
	status, body := s.get(nil, "/contents")
	if status != http.StatusOK || !strings.Contains(body, `<li><a href="/p/teapot">`) || strings.Contains(body, "secret") {
		t.Errorf("the contents are %d\n%s", status, body)
	}
	s.want("/", "/p/teapot")
}

func TestPagesAreCompressed(t *testing.T) {
	for name, recipe := range map[string]func(*servemap.Site) http.Handler{"outside": GzipOutside, "inside": GzipInside} {
		s := start(t, origin, nil, recipe)
		if _, body := s.get(nil, "/", "Accept-Encoding", "gzip"); !strings.HasPrefix(body, "\x1f\x8b") {
			t.Errorf("%s: the page is not compressed: %q", name, body)
		}
		s.want("/")
	}
}

func TestFiberHintsAtTheRightWay(t *testing.T) {
	s := start(t, origin, nil, FiberWrong)
	for i := range 50 {
		if status, body := s.get(nil, fmt.Sprintf("/?utm_source=%d", i)); status != http.StatusOK || body != home {
			t.Fatalf("%d %q, want the page as it is", status, body)
		}
	}
	s.want()
	if hints := strings.Join(s.Stats().Hints, "\n"); !strings.Contains(hints, "site.Wrap(adaptor.FiberApp(app))") {
		t.Errorf("the hints are %q; they should name the right way", hints)
	}
}

func TestHTMXFragmentsAreNoPages(t *testing.T) {
	s := start(t, origin, nil, HTMX)
	s.get(nil, "/")
	s.get(nil, "/news", "HX-Request", "true")
	s.get(nil, "/news", "HX-Request", "true", "HX-Boosted", "true")
	s.want("/")
	s.get(nil, "/about", "HX-Request", "true", "HX-Boosted", "true") // a link that leads to a whole document
	s.want("/", "/about")
	s.get(nil, "/news")
	s.want("/", "/about", "/news")
}

func visitor(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	base.Check(t, err)
	return &http.Client{Jar: jar}
}

func TestPagesOfASessionAreNotListed(t *testing.T) {
	s := start(t, origin, nil, SCS)
	eve := visitor(t)
	if resp, err := eve.Post(s.url+"/login", "", nil); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	for _, path := range []string{"/", "/about", "/orders"} {
		s.get(eve, path)
	}
	s.want()
	for _, path := range []string{"/", "/about", "/orders"} {
		s.get(nil, path)
	}
	s.want("/", "/about")
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
			s := start(t, origin, tt.opts, GorillaSessions)
			bob, eve := visitor(t), visitor(t)
			s.get(bob, "/missing") // it gives him the cookie
			for _, path := range []string{"/", "/p/teapot"} {
				s.get(bob, path)
			}
			if resp, err := eve.Post(s.url+"/login", "", nil); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatal(resp, err)
			}
			s.get(eve, "/members/only")
			s.want(tt.want...)
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
		{"nginx, a visitor who claims to be one of us", BehindNginx(), "8.8.8.8", []string{"9.9.9.9, 10.0.0.1", "127.0.0.1"}, "8.8.8.8"},
		{"a CDN, a visitor", cdn, "203.0.113.5", []string{"8.8.8.8"}, "8.8.8.8"},
		{"a CDN, a visitor who claims to be another", cdn, "203.0.113.5", []string{"9.9.9.9, 8.8.8.8"}, "8.8.8.8"},
		{"a visitor who claims to come by the CDN", cdn, "8.8.8.8", []string{"9.9.9.9, 203.0.113.5"}, "8.8.8.8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := make(chan netip.Addr, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got <- tt.opts.ClientIP(r) }))
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
	h, sites, err := Hosts(new(memstore.Store), nil, map[string]http.Handler{"example.com": shop(), "blog.example.com": blogOnly})
	base.Check(t, err)
	server := httptest.NewServer(h)
	defer server.Close()
	for _, of := range sites {
		s := &site{t, of, server.URL}
		host := strings.TrimPrefix(strings.TrimSuffix(of.RobotsLine(), "/sitemap.xml"), "Sitemap: https://")
		for _, path := range []string{"/", "/about"} {
			s.get(nil, path, "Host", host)
		}
		want := map[string][]string{"example.com": {"/", "/about"}, "blog.example.com": {"/"}}[host]
		if got := s.listed("/sitemap.xml", "Host", host); !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", host, got, want)
		}
		defer of.Close(context.Background())
	}
	other := &site{t, sites[0], server.URL}
	if status, _ := other.get(nil, "/", "Host", "elsewhere.example"); status != http.StatusMisdirectedRequest {
		t.Errorf("another host: %d", status)
	}
}

func TestCustomersHaveSitemapsOfTheirOwn(t *testing.T) {
	policy := autocert.HostWhitelist("one.example", "two.example")
	server, sites := Customers(new(memstore.Store), nil, policy, shop())
	defer sites.Close(context.Background())
	visible := httptest.NewServer(server.Handler)
	defer visible.Close()
	for host, want := range map[string][]string{"one.example": {"/", "/about"}, "two.example": {"/"}} {
		base.Check(t, sites.Do(t.Context(), host, func(of *servemap.Site) error {
			s := &site{t, of, visible.URL}
			for _, path := range want {
				s.get(nil, path, "Host", host)
			}
			if got := s.listed("/sitemap.xml", "Host", host); !slices.Equal(got, want) {
				t.Errorf("%s lists %q, want %q", host, got, want)
			}
			return nil
		}))
	}
	other := &site{t, nil, visible.URL}
	if status, _ := other.get(nil, "/sitemap.xml", "Host", "elsewhere.example"); status != http.StatusNotFound {
		t.Errorf("the sitemap of another host: %d", status)
	}
	if _, err := server.TLSConfig.GetCertificate(&tls.ClientHelloInfo{ServerName: "elsewhere.example"}); err == nil {
		t.Error("another host has a certificate")
	}
}

func TestChangesOfCustomersAreAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, gone := new(memstore.Store), false
		_, sites := Customers(st, nil, autocert.HostWhitelist("one.example", "two.example"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if gone && r.URL.Path == "/about" {
				w.WriteHeader(http.StatusGone)
				return
			}
			shop().ServeHTTP(w, r)
		}))
		defer sites.Close(context.Background())
		var posts []string
		all := &Announcer{Sites: sites, Store: st, Options: &notify.Options{
			Endpoints: []string{"http://127.0.0.1/indexnow"},
			Transport: sender(func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				posts = append(posts, string(body))
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, err
			}),
		}}
		ask := func(host, path string) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "https://"+host+path, nil)
			r.RequestURI = path
			all.ServeHTTP(w, r)
			return w
		}
		visit := func() {
			for _, path := range []string{"/", "/about"} {
				ask("one.example", path)
				ask("two.example", path)
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
		if synctest.Wait(); len(posts) != 1 || json.Unmarshal([]byte(posts[0]), &post) != nil || !slices.Equal(post.URLList, []string{"https://one.example/about"}) {
			t.Fatalf("the engine got %q", posts)
		}
		file := "/" + post.Key + ".txt"
		if got := ask("one.example", file); got.Body.String() != post.Key {
			t.Errorf("the key file %s: %d, %s", file, got.Code, got.Body)
		}
		if got := ask("two.example", file); got.Body.String() == post.Key {
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
			s := start(t, origin+"/blog", tt.opts, tt.recipe)
			s.get(nil, tt.before+"/")
			s.get(nil, tt.before+"/first")
			if got, want := s.listed(tt.before+"/sitemap.xml"), []string{"/blog/", "/blog/first"}; !slices.Equal(got, want) {
				t.Errorf("listed are %q, want %q; %v", got, want, s.Stats())
			}
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
			server := httptest.NewServer(shop)
			defer server.Close()
			(&site{t, shop.Site, server.URL}).want(tt.want...)
			server.Close()
			if err := shop.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}
