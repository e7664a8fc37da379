package servemap_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

const origin = testkit.Origin

// page is a handler that answers with a page of a text and links.
func page(text string, links ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		testkit.Page(text+" at "+r.URL.RequestURI(), links...)(w, r) // pages with the same text count as one
	}
}

// routes are those of one small site, for either kind of router.
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
	"mux, mounted": func(site *servemap.Site) http.Handler {
		r := muxRouter()
		site.Mount(r)
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

func TestMountedSiteServesListedPagesOverHTTP1AndHTTP2(t *testing.T) {
	for name, mount := range mounts {
		for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
			t.Run(name+", "+proto, func(t *testing.T) {
				s := testkit.Start(t, testkit.Setup{Mount: mount})
				srv := httptest.NewUnstartedServer(s)
				srv.EnableHTTP2 = proto == "HTTP/2.0"
				srv.StartTLS()
				defer srv.Close()
				visit := func(path, cookie string) (*http.Response, string) {
					req := httptest.NewRequest(http.MethodGet, srv.URL+path, nil)
					req.RequestURI = ""
					if cookie != "" {
						req.Header.Set("Cookie", cookie)
					}
					return base.Do(t, srv.Client(), req)
				}
				if resp, body := visit("/sitemap.xml", ""); resp.Proto != proto ||
					resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body,
					"No page of "+origin+" is listed yet") {
					t.Errorf("%s %d %q, want %s and a 503 that explains itself before anything was seen", resp.Proto, resp.StatusCode,
						body, proto)
				}
				for _, path := range []string{"/", "/blog/one", "/blog/three", "/blog/orphan", "/about", "/private", "/data.json",
					"/missing", "/sitemap.xml"} {
					visit(path, "")
				}

				s.WantListed("/", "/about", "/blog/one", "/blog/three")
				visit("/blog/two", "_ga=1; _gid=2")
				s.WantListed("/", "/about", "/blog/one", "/blog/three", "/blog/two")
			})
		}
	}
}

func TestWhatPeopleTypeLeadsToTheSitemapUnlessTheSiteAnswersItself(t *testing.T) {
	routes["/Sitemap.xml"] = page("our own list")
	defer delete(routes, "/Sitemap.xml")
	for name, mount := range mounts {
		t.Run(name, func(t *testing.T) {
			s := testkit.Start(t, testkit.Setup{Mount: mount})
			if a := s.From("192.0.2.1", "/sitemap_index.xml"); a.Status != http.StatusNotFound {
				t.Errorf("before there is a sitemap: %d", a.Status)
			}
			s.Visit("/")
			for _, path := range []string{"/sitemap.xml/", "/sitemap_index.xml", "/sitemap-index.xml", "/SITEMAP.XML",
				"/sitemapindex.xml?a=b"} {
				if a := s.From("192.0.2.1", path); a.Status != http.StatusMovedPermanently ||
					a.Header.Get("Location") != "/sitemap.xml" || a.Body != "" || a.Header.Get("Content-Type") != "" {
					t.Errorf("%s: %+v", path, a)
				}
			}
			for path, status := range map[string]int{"/Sitemap.xml": 200, "/sitemap-2.xml": 404, "/sitemap": 404, "/s": 404,
				"/blog/sitemap_index.xml": 200} {
				if a := s.From("192.0.2.1", path); a.Status != status {
					t.Errorf("%s: %d, want the site's own %d", path, a.Status, status)
				}
			}
		})
	}
}

func TestMountOnASubrouter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		origin string
		router func() *mux.Router
		panics string // the text of Mount's panic, "" if it does not panic
	}{
		{"none", origin, func() *mux.Router { return nil }, "the router is nil"},
		{"of some of the site", origin, func() *mux.Router { return mux.NewRouter().PathPrefix("/x").Subrouter() }, `"/"`},
		{"of all but the first page", origin, func() *mux.Router { return mux.NewRouter().PathPrefix("/{lang}").Subrouter() },
			`"/"`},
		{"of one page", origin, func() *mux.Router { return mux.NewRouter().Path("/").Subrouter() }, `"/sitemap.xml"`},
		{"of another folder than the origin's", origin + "/blog",
			func() *mux.Router { return mux.NewRouter().PathPrefix("/shop/").Subrouter() }, `"/blog/"`},
		{"of the origin's folder", origin + "/blog",
			func() *mux.Router { return mux.NewRouter().PathPrefix("/blog").Subrouter() }, ""},
		{"of the origin's host", origin, func() *mux.Router { return mux.NewRouter().Host("Example.com").Subrouter() }, ""},
		{"of its name without the port", "http://shop.example.com:8080",
			func() *mux.Router { return mux.NewRouter().Host("shop.example.com").Subrouter() }, ""},
		{"of a host that is named", origin, func() *mux.Router { return mux.NewRouter().Host("web.internal").Subrouter() },
			""},
		{"of a host that a proxy nearby may send", origin,
			func() *mux.Router { return mux.NewRouter().Host("web").Subrouter() }, ""},
		{"of any host below one", origin,
			func() *mux.Router { return mux.NewRouter().Host("{name}.example.com").Subrouter() }, ""},
		{"of another host", origin, func() *mux.Router { return mux.NewRouter().Host("other.example").Subrouter() }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.Start(t, testkit.Setup{Origin: tt.origin, Options: servemap.Options{Hosts: []string{"web.internal"}}})
			defer func() {
				got := recover()
				if said, _ := got.(string); (got == nil) != (tt.panics == "") || !strings.Contains(said, tt.panics) {
					t.Errorf("Mount panics with %v, want %q in it", got, tt.panics)
				}
			}()
			s.Mount(tt.router())
		})
	}
}

func TestPageLeavesAMinuteAfter404(t *testing.T) {
	for _, name := range []string{"mux, mounted", "ServeMux, wrapped", "mux, wrapped and used"} {
		t.Run(name, func(t *testing.T) {
			moved := map[string]string{} // as in a router whose routes have changed
			mount := func(site *servemap.Site) http.Handler {
				h := mounts[name](site)
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if to := moved[r.URL.Path]; to != "" {
						r.URL.Path = to
					}
					h.ServeHTTP(w, r)
				})
			}
			opts := servemap.Options{Limits: servemap.Limits{Looks: -1}} // a look would not come by what changes the path
			testkit.Run(t, testkit.Setup{Options: opts, Mount: mount}, func(s *testkit.Site) {
				s.Visit("/", "/blog/one", "/blog/two")
				s.WantListed("/", "/blog/one", "/blog/two")
				time.Sleep(time.Minute)
				moved["/blog/one"] = "/no/such/route"
				s.Get("/blog/one")
				s.WantListed("/", "/blog/one", "/blog/two")
				time.Sleep(61 * time.Second)
				s.WantServed("/", "/blog/two")
				delete(moved, "/blog/one")
				s.Get("/blog/one")
				s.WantListed("/", "/blog/one", "/blog/two")
			})
		})
	}
}

// TestRobotsNamesTheSitemapInTheProgramsRobotsTxt lets a site name its sitemap in the robots.txt of
// its program.
func TestRobotsNamesTheSitemapInTheProgramsRobotsTxt(t *testing.T) {
	const file = "User-agent: *\nDisallow: /private\n"
	own := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, file)
	}
	line := func(of string) string { return "# Added by servemap:\nSitemap: https://" + of + "\n" }
	for _, tt := range []struct {
		name, origin string
		opts         servemap.Options
		program      http.HandlerFunc
		method, url  string
		status       int
		want         string
	}{
		{"a robots.txt", origin, servemap.Options{}, own, "GET", origin + "/robots.txt", 200,
			line("example.com/sitemap.xml") + "\n" + file},
		{"HEAD", origin, servemap.Options{}, own, "HEAD", origin + "/robots.txt", 200, ""},
		{"no robots.txt", origin, servemap.Options{}, http.NotFound, "GET", origin + "/robots.txt", 200,
			line("example.com/sitemap.xml")},
		{"no robots.txt, and one that is given", origin, servemap.Options{Robots: file}, http.NotFound, "GET",
			origin + "/robots.txt", 200, line("example.com/sitemap.xml") + "\n" + file},
		{"other files", origin, servemap.Options{Name: "pages", Extensions: servemap.Extensions{News: true}}, http.NotFound,
			"GET", origin + "/robots.txt", 200,
			line("example.com/pages.xml\nSitemap: https://example.com/pages-news.xml")},
		{"a folder", origin + "/blog", servemap.Options{}, own, "GET", origin + "/robots.txt", 200,
			line("example.com/blog/sitemap.xml") + "\n" + file},
		{"a proxy that asks by address", origin, servemap.Options{}, own, "GET", "http://127.0.0.1/robots.txt", 200,
			line("example.com/sitemap.xml") + "\n" + file},
		{"another host", origin, servemap.Options{}, own, "GET", "https://example.net/robots.txt", 200, file},
		{"a form", origin, servemap.Options{}, own, "POST", origin + "/robots.txt", 200, file},
		{"report only", origin, servemap.Options{ReportOnly: true}, own, "GET", origin + "/robots.txt", 200, file},
		{"a name that is a secret", origin, servemap.Options{Name: "4f9a8b7c6d5e4f3a2b1c"}, own, "GET",
			origin + "/robots.txt", 200, file},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.Start(t, testkit.Setup{Origin: tt.origin, Options: tt.opts,
				Mount: func(site *servemap.Site) http.Handler {
					return site.Robots(site.Wrap(tt.program))
				}})
			w := base.Ask(s, tt.method, tt.url)
			if w.Code != tt.status || w.Body.String() != tt.want {
				t.Errorf("%d %q, want %d %q", w.Code, w.Body.String(), tt.status, tt.want)
			}
			if strings.Contains(s.Logged.String(), tt.opts.Name) && tt.opts.Name != "" {
				t.Errorf("the log tells the name: %s", s.Logged.String())
			}
		})
	}
}

// Nothing serves the sitemap of a program that forgot Wrap, so its robots.txt names none until it is there.
func TestRobotsTxtNamesNoSitemapThatNothingServes(t *testing.T) {
	const file = "User-agent: *\nDisallow: /b\n"
	own := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, file) }
	s := testkit.Start(t, testkit.Setup{
		Mount: func(site *servemap.Site) http.Handler { return site.Robots(http.HandlerFunc(own)) }})
	base.Ask(s.Inspector(func(*http.Request) bool { return true }), http.MethodGet, "/")
	base.Equal(t, base.Ask(s, http.MethodGet, origin+"/robots.txt").Body.String(), file, "nothing serves a sitemap")
	s.Wrap(nil)
	if got := base.Ask(s, http.MethodGet, origin+"/robots.txt").Body.String(); !strings.HasSuffix(got,
		"/sitemap.xml\n\n"+file) {
		t.Errorf("with Wrap: %q, want that it names the sitemap", got)
	}
}

func TestPageInPlaceOfRobotsTxtIsToldOnce(t *testing.T) {
	s := testkit.Start(t, testkit.Setup{Mount: func(site *servemap.Site) http.Handler {
		return site.Robots(site.Wrap(page("app", "/a")))
	}})
	for range 3 {
		base.Ask(s, http.MethodGet, origin+"/robots.txt")
	}
	s.Shut()
	s.Logged.Want(t, 1, "robots.txt does not name the sitemap")
}

// TestSiteObeysTheRobotsTxtOfItsProgram checks that a site obeys its program's robots.txt, whichever handler
// is outside.
func TestSiteObeysTheRobotsTxtOfItsProgram(t *testing.T) {
	program := http.NewServeMux()
	program.HandleFunc("/robots.txt", func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /b\n")
	})
	program.Handle("/", page("home", "/a", "/b"))
	for name, mount := range map[string]func(*servemap.Site) http.Handler{
		"Robots outside": func(s *servemap.Site) http.Handler { return s.Robots(s.Wrap(program)) },
		"Robots inside":  func(s *servemap.Site) http.Handler { return s.Wrap(s.Robots(program)) },
		"Robots twice":   func(s *servemap.Site) http.Handler { return s.Robots(s.Wrap(s.Robots(program))) },
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: mount}, func(s *testkit.Site) {
				s.Visit("/robots.txt", "/", "/a", "/b")
				s.WantListed("/", "/a")
				w := base.Ask(s, http.MethodGet, origin+"/robots.txt")
				if n := strings.Count(w.Body.String(), "Sitemap:"); n != 1 {
					t.Errorf("%d lines in %q", n, w.Body.String())
				}
			})
		})
	}
}

// TestStatsCountTheFetchesOfConfirmedAndClaimedCrawlers has two visitors: DuckDuckBot, which the
// DNS cannot confirm, and somebody who claims to be Googlebot from an address about which nobody
// asks the DNS.
func TestStatsCountTheFetchesOfConfirmedAndClaimedCrawlers(t *testing.T) {
	const duck, google = "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
	for name, mount := range mounts {
		t.Run(name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: mount, Options: servemap.Options{Crawlers: true}}, func(s *testkit.Site) {
				s.Visit("/", "/about", "/blog/one", "/blog/two", "/blog/three")
				s.WantListed("/", "/about", "/blog/one", "/blog/two", "/blog/three")
				if got := s.Crawlers(); got != nil {
					t.Errorf("before one came there is %+v", got)
				}
				time.Sleep(time.Hour)
				for _, path := range []string{"/sitemap.xml.gz", "/sitemap-7.xml", "/blog/one", "/blog/one", "/about", "/missing"} {
					s.From("10.1.2.3", path, "User-Agent", duck)
				}
				s.From("10.1.2.3", "/sitemap.xml", "User-Agent", google)
				time.Sleep(2 * time.Minute)

				all := s.Crawlers()
				if len(all) != 2 || all[0].Engine != "Googlebot" || all[1].Engine != "DuckDuckBot" {
					t.Fatalf("%+v", all)
				}
				if g := all[0]; !g.Confirmable || len(g.Days) != 1 || g.Days[0].Claimed != 1 || g.Days[0].Confirmed != 0 ||
					len(g.Files) != 0 {
					t.Errorf("Googlebot, which did not come: %+v", g)
				}
				d := all[1]
				if d.Confirmable || len(d.Days) != 1 || d.Days[0].Claimed != 6 {
					t.Errorf("DuckDuckBot's days: %+v", d.Days)
				}
				if len(d.Files) != 1 || d.Files[0].URL != origin+"/sitemap.xml" || d.Files[0].Status != 200 {
					t.Errorf("DuckDuckBot's files: %+v", d.Files)
				}
				s.Restart()
				if err := s.Flush(s.Context()); err != nil {
					t.Error(err)
				}
				if again := s.Crawlers(); len(again) != 2 || again[1].Days[0].Claimed != 6 || len(again[1].Files) != 1 {
					t.Errorf("after a restart: %+v", again)
				}
			})
		})
	}
}

func TestCrawlersAreNotFollowedUnlessAsked(t *testing.T) {
	s := testkit.Start(t, testkit.Setup{Handler: page("home")})
	s.Get("/sitemap.xml", "User-Agent", "DuckDuckBot/1.1")
	if got := s.Crawlers(); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestNewNamesTheSettingThatItRefuses(t *testing.T) {
	st := new(memstore.Store)
	tests := []struct {
		name   string
		origin string
		opts   servemap.Options
		names  []string // what the error must mention
	}{
		{"credentials", "https://u:geheim@example.com", servemap.Options{}, []string{"origin"}},
		{"a page for an origin", origin + "/docs/index.html", servemap.Options{},
			[]string{"origin", "names a file", `"/docs/"`}},
		{"a name with a slash", origin, servemap.Options{Name: "a/b"}, []string{"Name", "a/b"}},
		{"a host with a path", origin, servemap.Options{Hosts: []string{"https://example.com"}},
			[]string{"Hosts", `"https://example.com"`, `write its host, "example.com"`}},
		{"a prefix elsewhere", origin + "/blog", servemap.Options{StrippedPrefix: "/shop"},
			[]string{"StrippedPrefix", "/shop"}},
		{"a prefix below a root origin", origin, servemap.Options{StrippedPrefix: "/app"},
			[]string{"StrippedPrefix", origin + "/app"}},
		{"an entry without its slash", origin, servemap.Options{Entries: []string{"about"}},
			[]string{"Entries", `write "/about"`}},
		{"an entry off the site", origin, servemap.Options{Entries: []string{"https://other.example/"}},
			[]string{"Entries", "other.example"}},
		{"an entry with a query", origin, servemap.Options{Entries: []string{"/?id=5"}},
			[]string{"Entries", "/?id=5", "Options.Query"}},
		{"an entry out of the folder", origin + "/blog", servemap.Options{Entries: []string{"/"}}, []string{"Entries"}},
		{"a rule out of the folder", origin + "/blog",
			servemap.Options{Rules: []servemap.Rule{{Pattern: "/blog/a", List: servemap.DecisionAuto},
				{Pattern: "/shop/*", List: servemap.DecisionNever}}}, []string{"rule 2", "/shop/*", "/blog/", "own folder"}},
		{"more pages in a part than there may be", origin, servemap.Options{Limits: servemap.Limits{PartPages: 50_001}},
			[]string{"PartPages is 50001", "50000"}},
		{"an empty pattern", origin, servemap.Options{Rules: []servemap.Rule{{}}}, []string{"Rules", "rule 1"}},
		{"negative keeping", origin, servemap.Options{Limits: servemap.Limits{KeepFor: -time.Hour}},
			[]string{"KeepFor", "-1h"}},
		{"days without their unit", origin, servemap.Options{Limits: servemap.Limits{KeepFor: 90}},
			[]string{"KeepFor is 90ns", "1h"}},
		{"seconds without their unit", origin, servemap.Options{Limits: servemap.Limits{RenderEvery: 15}},
			[]string{"RenderEvery is 15ns", "1ms"}},
		{"a publication without a name", origin, servemap.Options{Extensions: servemap.Extensions{Publication: " "}},
			[]string{"Publication"}},
		{"a publication without its file", origin, servemap.Options{Extensions: servemap.Extensions{Publication: "News"}},
			[]string{"Publication", "set that too"}},
		{"a publication with a long name", origin,
			servemap.Options{Extensions: servemap.Extensions{Publication: strings.Repeat("é", 201)}},
			[]string{"Publication", "200"}},
		{"no cookie name", origin, servemap.Options{Benign: []string{"*"}}, []string{"Benign", `"*"`}},
		{"cookies by how they end", origin, servemap.Options{Benign: []string{"_x*", "_x*y"}},
			[]string{"Benign", `"_x*y"`, "end"}},
		{"a header by how it begins", origin, servemap.Options{Benign: []string{"X-Edge-*:"}},
			[]string{"Benign", `"X-Edge-*:"`, "only at the end of a cookie's"}},
		{"the header of all cookies", origin, servemap.Options{Benign: []string{"cookie:"}},
			[]string{"Benign", `"cookie:"`, "name each cookie"}},
		{"a header with a user", origin, servemap.Options{Benign: []string{"Authorization:"}},
			[]string{"Benign", "Options.Anonymous"}},
		{"addresses of crawlers that are not followed", origin, servemap.Options{CrawlerRanges: "lists"},
			[]string{"CrawlerRanges", "Options.Crawlers follows; set that too"}},
		{"a host with a password", origin, servemap.Options{Hosts: []string{"u:geheim@example.com"}},
			[]string{"Hosts", "user name"}},
		{"a host with a wildcard", origin, servemap.Options{Hosts: []string{"*.example.com"}},
			[]string{"Hosts", "*.example.com", "no wildcards"}},
		{"a prefix with dots", origin, servemap.Options{StrippedPrefix: "/a/../b"}, []string{"StrippedPrefix"}},
		{"a prefix with a query", origin, servemap.Options{StrippedPrefix: "/a?b"},
			[]string{"StrippedPrefix", "without empty names, dots, sessions, e-mail addresses, queries"}},
		{"a prefix without a slash", origin + "/blog", servemap.Options{StrippedPrefix: "blog"},
			[]string{"StrippedPrefix", `write "/blog"`}},
		{"a name with its type", origin, servemap.Options{Name: "map.xml"}, []string{"Name", "map.xml", `without ".xml"`}},
		{"a part without pages", origin, servemap.Options{Limits: servemap.Limits{PartPages: -1}},
			[]string{"PartPages is -1", "from 1 to 50000"}},
		{"a page for robots.txt", origin, servemap.Options{Robots: "<html>not found</html>"},
			[]string{"Robots", "User-agent:"}},
		{"a parameter that holds a session", origin, servemap.Options{Query: []string{"session", "sessid", "PHPSESSID"}},
			[]string{"Query", "PHPSESSID holds a visitor's session"}},
		{"several parameters in one text", origin,
			servemap.Options{Rules: []servemap.Rule{{Pattern: "/shop/", Query: []string{"color,size"}}}},
			[]string{"Rules", `"color,size" is not the name of a parameter, such as "color"; name each alone`}},
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
	var unopened *memstore.Store // as if the error of opening one was ignored
	if _, err := servemap.New(origin, unopened, nil); err == nil || !strings.Contains(err.Error(), "could not be opened") {
		t.Errorf("error %v for a store that could not be opened", err)
	}
}

func TestSiteWithoutAStoreLearnsInMemoryAndSaysSoOnce(t *testing.T) {
	said := new(base.Log)
	site, err := servemap.New(origin, nil, &servemap.Options{Logger: said.Logger()})
	base.Check(t, err)
	h := site.Wrap(testkit.Page("home"))
	base.Ask(h, http.MethodGet, origin+"/")
	base.Check(t, site.Flush(t.Context()))
	if n := site.Stats().Listed; n != 1 {
		t.Errorf("%d pages are listed, want 1", n)
	}
	base.Check(t, site.Close(t.Context()))
	said.Want(t, 1, "kept in memory")
}

func TestEveryVerdictAndReasonHasAPublicConstant(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "handler.go", nil, 0)
	base.Check(t, err)
	public := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Type != nil && len(spec.Values) == 1 {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				public[fmt.Sprint(spec.Type, " ", strings.Trim(value.Value, `"`))] = true
			}
		}
		return true
	})
	for v := eligibility.Unknown; v <= eligibility.Gone; v++ {
		if !public["Verdict "+v.String()] {
			t.Errorf("verdict %v has no constant", v)
		}
	}
	for r := eligibility.None; r < eligibility.Authorization; r++ { // those that a verdict can carry
		if !public["Reason "+r.String()] {
			t.Errorf("reason %v has no constant", r)
		}
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
	site := open(nil)
	defer site.Close(context.Background())
	router := mux.NewRouter()
	router.HandleFunc("/", page("home"))
	router.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, site.RobotsLine()) })
	site.Mount(router)
	show(router, "/robots.txt")
	// Output:
	// 200
	// Sitemap: https://example.com/sitemap.xml
}

// ExampleSite_Explain shows how to ask about one page.
func ExampleSite_Explain() {
	site := open(nil)
	defer site.Close(context.Background())
	visit(site, site.Wrap(page("text")), "/blog/orphan")
	e, err := site.Explain(context.Background(), "https://example.com/blog/orphan")
	fmt.Println(e.Verdict, e.Reason, err)
	// Output:
	// waiting no-evidence <nil>
}

// shop is the program of the examples below: "/" links to "/p/teapot", and nothing links to
// "/p/anything".
func shop() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", page("home", "/p/teapot"))
	mux.HandleFunc("/p/{name}", page("product"))
	return mux
}

// open returns a site with a store in memory. If that fails, it ends the example.
func open(opts *servemap.Options) *servemap.Site {
	site, err := servemap.New("https://example.com", new(memstore.Store), opts)
	if err != nil {
		panic(err)
	}
	return site
}

// visit requests pages as anonymous visitors do, and waits until what they saw is in the
// sitemap.
func visit(site *servemap.Site, handler http.Handler, paths ...string) {
	for _, path := range paths {
		answer(handler, path)
	}
	if err := site.Flush(context.Background()); err != nil {
		panic(err)
	}
}

// answer returns a handler's answer to a request for a path.
func answer(handler http.Handler, path string) *httptest.ResponseRecorder {
	return base.Ask(handler, http.MethodGet, "https://example.com"+path)
}

// show prints a handler's answer to a request for a path.
func show(handler http.Handler, path string) {
	rec := answer(handler, path)
	fmt.Println(rec.Code)
	fmt.Println(strings.TrimSpace(rec.Body.String()))
}

// ExampleSite_Explore lists the pages of a site before anybody has visited it.
func ExampleSite_Explore() {
	ctx, server := context.Background(), httptest.NewUnstartedServer(nil)
	defer server.Close()
	origin := "http://" + server.Listener.Addr().String() // leads to the server
	site, err := servemap.New(origin, new(memstore.Store), nil)
	if err != nil {
		panic(err)
	}
	defer site.Close(ctx)
	server.Config.Handler = site.Wrap(shop())
	server.Start()
	done, err := site.Explore(ctx, nil)
	fmt.Println(done.Pages, "pages,", err)
	for p, err := range site.Pages(ctx) {
		fmt.Println(strings.TrimPrefix(p.URL, origin), err)
	}
	// Output:
	// 2 pages, <nil>
	// / <nil>
	// /p/teapot <nil>
}

// ExampleSite_Robots names the sitemap in the robots.txt that the program serves.
func ExampleSite_Robots() {
	site := open(nil)
	defer site.Close(context.Background())
	mux := shop()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /admin/\n")
	})
	show(site.Robots(site.Wrap(mux)), "/robots.txt")
	// Output:
	// 200
	// # Added by servemap:
	// Sitemap: https://example.com/sitemap.xml
	//
	// User-agent: *
	// Disallow: /admin/
}

// ExampleSite_Inspector shows what a site has learned to those who know a password, and to
// nobody else.
func ExampleSite_Inspector() {
	site := open(nil)
	defer site.Close(context.Background())
	mux := shop()
	mux.Handle("/inspect/", site.Inspector(servemap.Password("eve", "a long random password")))
	handler := site.Wrap(mux)

	r := httptest.NewRequest(http.MethodGet, "https://example.com/inspect/", nil)
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	fmt.Println("a stranger gets", rec.Code)
	r.SetBasicAuth("eve", "a long random password")
	rec = httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	fmt.Println("eve gets", rec.Code)
	// Output:
	// a stranger gets 401
	// eve gets 200
}

// ExampleSite_Metrics gives the numbers of a site to a Prometheus that knows the password.
func ExampleSite_Metrics() {
	site := open(nil)
	defer site.Close(context.Background())
	mux := shop()
	mux.Handle("/metrics", site.Metrics(servemap.Password("prometheus", "a long random password")))
	handler := site.Wrap(mux)
	visit(site, handler, "/", "/p/teapot")

	r := httptest.NewRequest(http.MethodGet, "https://example.com/metrics", nil)
	r.SetBasicAuth("prometheus", "a long random password")
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	for line := range strings.Lines(rec.Body.String()) {
		if strings.HasPrefix(line, "servemap_sitemap_pages") {
			fmt.Print(line)
		}
	}
	// Output:
	// servemap_sitemap_pages{site="https://example.com"} 2
}

// ExampleSite_Changes prints what happened to the pages lately.
func ExampleSite_Changes() {
	site, ctx := open(nil), context.Background()
	defer site.Close(ctx)
	visit(site, site.Wrap(shop()), "/", "/p/teapot")
	if err := site.Forget(ctx, "/p/teapot"); err != nil {
		panic(err)
	}
	for c, err := range site.Changes(ctx, time.Now().Add(-time.Hour)) {
		fmt.Println(c.Kind, c.URL, err)
	}
	// Output:
	// added https://example.com/ <nil>
}

// ExampleSite_Stats says what keeps a site from being learned.
func ExampleSite_Stats() {
	site := open(&servemap.Options{Robots: "User-agent: *\nDisallow: /", Logger: slog.New(slog.DiscardHandler)})
	defer site.Close(context.Background())
	visit(site, site.Wrap(page("home")), "/")
	fmt.Println(site.Stats().Verdicts)
	fmt.Println(strings.Join(site.Stats().Hints, "\n"))
	// Output:
	// map[excluded disallowed:1]
	// A robots.txt, noindex or nofollow keeps crawlers from the page where visitors enter, or from its links. Remove that if it is a mistake. Here it is robots.txt.
}

// ExampleRule lists pages that nothing links to, keeps a folder out, and lets a query make
// pages.
func ExampleRule() {
	site := open(&servemap.Options{Rules: []servemap.Rule{
		{Pattern: "/p/", List: servemap.DecisionAlways, Query: []string{"colour"}},
		{Pattern: "/p/internal-", List: servemap.DecisionNever}, // the longer pattern decides
	}})
	defer site.Close(context.Background())
	visit(site, site.Wrap(shop()), "/p/anything", "/p/anything?colour=red", "/p/internal-tool")
	for p, err := range site.Pages(context.Background()) {
		fmt.Println(p.URL, err)
	}
	// Output:
	// https://example.com/p/anything <nil>
	// https://example.com/p/anything?colour=red <nil>
}

// ExampleBehind tells visitors behind a proxy apart, whatever they claim.
func ExampleBehind() {
	client := servemap.Behind(netip.MustParsePrefix("10.0.0.0/8"))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "10.0.0.1:4711"                            // the proxy
	r.Header.Set("X-Forwarded-For", "1.1.1.1, 198.51.100.23") // it added the last one
	fmt.Println(client(r))
	// Output:
	// 198.51.100.23
}

// ExampleOptions has the settings of a shop that gives each visitor a basket, behind a
// proxy that serves it below "/shop".
func ExampleOptions() {
	site, err := servemap.New("https://example.com/shop", new(memstore.Store), &servemap.Options{
		StrippedPrefix: "/shop",
		Benign:         []string{"basket"},
		Query:          []string{"page", "category"},
		Robots:         "User-agent: *\nDisallow: /shop/checkout/\n",
		ClientIP:       servemap.Behind(netip.MustParsePrefix("127.0.0.1/32")),
	})
	if err != nil {
		panic(err)
	}
	defer site.Close(context.Background())
	fmt.Println(site.RobotsLine())
	// Output:
	// Sitemap: https://example.com/shop/sitemap.xml
}

// ExampleExtensions adds the images of a page's main content.
func ExampleExtensions() {
	site := open(&servemap.Options{Extensions: servemap.Extensions{Images: true}})
	defer site.Close(context.Background())
	handler := site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, testkit.HTML("", `<a href="/p/teapot"><img src="/teapot.jpg" alt="A teapot"></a>`))
	}))
	visit(site, handler, "/")
	show(handler, "/sitemap.xml")
	// Output:
	// 200
	// <?xml version="1.0" encoding="UTF-8"?>
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
	// <url><loc>https://example.com/</loc><image:image><image:loc>https://example.com/teapot.jpg</image:loc></image:image></url>
	// </urlset>
}

// ExampleExploring leaves an exploration out of a program's own statistics.
func ExampleExploring() {
	site, ctx := open(nil), context.Background()
	defer site.Close(ctx)
	pages, visitors := shop(), 0
	handler := site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !servemap.Exploring(r) {
			visitors++
		}
		pages.ServeHTTP(w, r)
	}))
	done, err := site.Explore(ctx, &servemap.ExploreOptions{Inside: handler})
	visit(site, handler, "/")
	fmt.Println(done.Pages, "pages were explored,", visitors, "was visited,", err)
	// Output:
	// 2 pages were explored, 1 was visited, <nil>
}

// ExampleSite_Close ends a program in the order in which nothing that was learned is lost:
// the server, the site, the store.
func ExampleSite_Close() {
	st := new(memstore.Store) // or badgerstore.Open, whose Store is closed last
	site, err := servemap.New("https://example.com", st, nil)
	if err != nil {
		panic(err)
	}
	server := &http.Server{Addr: "127.0.0.1:0", Handler: site.Wrap(shop())}
	go server.ListenAndServe()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(server.Shutdown(ctx), site.Close(ctx))
	// Output:
	// <nil> <nil>
}

// BenchmarkObserve compares a request that teaches nothing, as most do, with the same
// handler without a site.
func BenchmarkObserve(b *testing.B) {
	body := []byte(testkit.HTML("", strings.Repeat("word ", 2000)))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = []string{"text/html"}
		w.Write(body)
	})
	const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
	const crawler = "Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)"
	s := testkit.Start(b, testkit.Setup{})
	sites := servemap.NewSites(new(memstore.Store), h, func(context.Context, string) (*servemap.Options, error) {
		return &servemap.Options{Logger: slog.New(slog.DiscardHandler)}, nil
	})
	b.Cleanup(func() { sites.Close(context.Background()) })
	follows := testkit.Start(b, testkit.Setup{Options: servemap.Options{Crawlers: true}})
	for _, bm := range []struct {
		name  string
		h     http.Handler
		agent string
	}{
		{"Without", h, browser}, {"NothingDue", s.Observe(h), browser},
		{"Wrapped", s.Wrap(h), browser}, {"Sites", sites, browser}, {"Crawlers", follows.Wrap(h), browser},
		{"CrawlersComes", follows.Wrap(h), crawler},
	} {
		b.Run(bm.name, func(b *testing.B) {
			bm.h.ServeHTTP(&discard{header: http.Header{}}, request("/")) // the one due observation
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				w, r := &discard{header: http.Header{}}, request("/")
				r.Header.Set("User-Agent", bm.agent)
				r.RemoteAddr = "10.1.2.3:4567" // no engine's address, so the DNS is not asked
				for pb.Next() {
					bm.h.ServeHTTP(w, r)
				}
			})
		})
	}
}

// BenchmarkPage says what a page of 95 KB costs that is due: while it is served, and afterwards.
func BenchmarkPage(b *testing.B) {
	words, text := strings.Fields(strings.Repeat(
		"of many words that a page may have there are few that another one has not ", 5)), ""
	for i := 0; len(text) < 95<<10; i++ {
		text += fmt.Sprintf("<h2>The %d. chapter</h2><p>%s in the year %d %s</p>", i, strings.Join(words[:i%60], " "), i,
			strings.Join(words[i%60:], " "))
	}
	body := []byte(testkit.HTML("", text))
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) })
	b.Run("Served", func(b *testing.B) {
		rec, w := capture.NewRecorder(response.NewBuffers(1<<20, 16<<20, nil)),
			&discard{header: http.Header{"Content-Type": {"text/html"}}}
		b.ReportAllocs()
		for b.Loop() {
			rec.Serve(h, w, request("/"), capture.Page, false).Release()
		}
	})
	b.Run("Without", func(b *testing.B) {
		w := &discard{header: http.Header{"Content-Type": {"text/html"}}}
		b.ReportAllocs()
		for b.Loop() {
			h.ServeHTTP(w, request("/"))
		}
	})
	facts := html.Read(body, html.Options{})
	b.Run("Read", func(b *testing.B) {
		for b.Loop() {
			facts = html.Read(body, html.Options{})
		}
	})
	b.Run("Compared", func(b *testing.B) {
		var m mark.Mark
		var site mark.Site
		for b.Loop() {
			v := mark.Read(&facts, 0)
			site.Consult(&v, m, "/", 1)
			m, _, _ = m.Observe(&v, 1)
		}
	})
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

func TestExplorationIsSummedUpInALine(t *testing.T) {
	e := servemap.Exploration{Requests: 120, Pages: 118, Skipped: map[string]int{"held": 1, "acting": 2}}
	if got := e.String(); got != "120 requests, 118 pages, 0 left, 2 acting, 1 held" {
		t.Error(got)
	}
}

func TestExplanationIsPrintedAsASentence(t *testing.T) {
	e := servemap.Explanation{Page: servemap.Page{URL: origin + "/a"}, Verdict: servemap.VerdictListed,
		Reason: servemap.ReasonLink,
		Text:   "It is listed."}
	base.Equal(t, fmt.Sprint(e), origin+"/a: listed link. It is listed.", "it prints")
}

// Whoever is told that an Always rule would list a page may write one for all.
func TestTheLogWarnsOfARuleThatListsEveryAddress(t *testing.T) {
	for _, tt := range []struct {
		name, origin, pattern string
		list                  servemap.Decision
		warns                 int
	}{
		{"all", origin, "/", servemap.DecisionAlways, 1},
		{"all, with a star", origin, "/*", servemap.DecisionAlways, 1},
		{"all of any folder", origin, "*", servemap.DecisionAlways, 1},
		{"the folder of the site", origin + "/blog", "/blog/", servemap.DecisionAlways, 1},
		{"the home page", origin, "/$", servemap.DecisionAlways, 0},
		{"a folder", origin, "/landing/", servemap.DecisionAlways, 0},
		{"all by evidence", origin, "/", servemap.DecisionAuto, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := new(testkit.Log)
			site, err := servemap.New(tt.origin, new(memstore.Store), &servemap.Options{Logger: log.Logger(),
				Rules: []servemap.Rule{{Pattern: tt.pattern, List: tt.list}}})
			base.Check(t, err)
			base.Check(t, site.Close(t.Context()))
			log.Want(t, tt.warns, "lists every address that visitors request")
		})
	}
}

func TestTheLogWarnsOfParametersThatMakeNoPage(t *testing.T) {
	for name, says := range map[string]string{"session": "a session by that name", "sess_id": "a session by that name",
		"sid":   "",
		"token": "makes no page", "utm_source": "makes no page", "preview": "makes no page", "id": ""} {
		log := new(testkit.Log)
		site, err := servemap.New(origin, new(memstore.Store), &servemap.Options{Logger: log.Logger(), Query: []string{name}})
		base.Check(t, err)
		base.Check(t, site.Close(t.Context()))
		if says == "" {
			log.Want(t, 0, "Query")
			continue
		}
		log.Want(t, 1, says)
	}
}

func TestTheLogSaysWhichOfTwoRulesForOnePatternWins(t *testing.T) {
	for other, warns := range map[string]int{"/blog/": 1, "/blog/draft": 0} {
		log := new(testkit.Log)
		site, err := servemap.New(origin, new(memstore.Store), &servemap.Options{Logger: log.Logger(), Rules: []servemap.Rule{
			{Pattern: other, List: servemap.DecisionNever}, {Pattern: "/blog/", List: servemap.DecisionAlways}}})
		base.Check(t, err)
		base.Check(t, site.Close(t.Context()))
		log.Want(t, warns, "and never wins")
	}
}

func TestMountNamesANotFoundHandlerThatComesAfterIt(t *testing.T) {
	for name, late := range map[string]bool{"before Mount": false, "after Mount": true} {
		t.Run(name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: func(site *servemap.Site) http.Handler {
				r := mux.NewRouter()
				if !late {
					r.NotFoundHandler = http.NotFoundHandler()
				}
				site.Mount(r)
				if late {
					r.NotFoundHandler = http.NotFoundHandler()
				}
				return r
			}}, func(s *testkit.Site) {
				s.Get("/a")
				s.Get("/b")
				want := 0
				if late {
					want = 1
				}
				synctest.Wait() // the log is written beside requests
				s.Logged.Want(t, want, "NotFoundHandler was set after Mount")
			})
		})
	}
}
