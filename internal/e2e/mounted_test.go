package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/testkit"
)

// The inspector says that a sitemap is served only once a request for it came to the site, or where the site stands so
// that it will. Otherwise inspector and log name the mistake and its remedy.
func TestInspectorKnowsWhetherTheSitemapIsServed(t *testing.T) {
	routes := func() (r, admin *mux.Router) {
		r = mux.NewRouter()
		r.HandleFunc("/", testkit.Page("home", "/a"))
		r.HandleFunc("/a", testkit.Page("a"))
		admin = r.PathPrefix("/admin").Subrouter()
		admin.HandleFunc("/", testkit.Page("for staff"))
		return r, admin
	}
	ask := func(with func(s *servemap.Site, r, admin *mux.Router)) func(*servemap.Site) http.Handler {
		return func(s *servemap.Site) http.Handler {
			r, admin := routes()
			with(s, r, admin)
			return r
		}
	}
	const routed, unwrapped = "call site.Mount(r) on the root router", "No request has passed through this site yet"
	const barred = "something answers requests for it before they come to the site"
	login := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" || r.URL.Path == "/a" {
				next.ServeHTTP(w, r)
				return
			}
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		})
	}
	for _, tt := range []struct {
		name   string
		mount  func(*servemap.Site) http.Handler
		visits []string
		status int    // of the sitemap
		hint   string // before anybody asks for it, "" for none
	}{
		{"mounted", ask(func(s *servemap.Site, r, _ *mux.Router) { s.Mount(r) }), []string{"/", "/a"}, 200, ""},
		{"mounted behind a log-in", ask(func(s *servemap.Site, r, _ *mux.Router) { r.Use(login); s.Mount(r) }),
			[]string{"/", "/a"}, 303, barred},
		{"mounted before a log-in", ask(func(s *servemap.Site, r, _ *mux.Router) { s.Mount(r); r.Use(login) }),
			[]string{"/", "/a"}, 200, ""},
		{"around the router, behind a log-in", func(s *servemap.Site) http.Handler {
			r, _ := routes()
			return login(s.Wrap(r))
		}, []string{"/", "/a"}, 303, barred},
		{"behind what refuses who is not known", func(s *servemap.Site) http.Handler {
			r, _ := routes()
			wrapped := s.Wrap(r)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.UserAgent(), "servemap") {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				wrapped.ServeHTTP(w, r)
			})
		}, []string{"/", "/a"}, 200, ""},
		{"in the router's Use", ask(func(s *servemap.Site, r, _ *mux.Router) { r.Use(s.Wrap) }), []string{"/", "/a"}, 404,
			routed},
		{"in Use, with a route for any path", ask(func(s *servemap.Site, r, _ *mux.Router) {
			r.Use(s.Wrap)
			r.PathPrefix("/").Handler(http.NotFoundHandler())
		}), []string{"/", "/a"}, 200, ""},
		{"in Use, and around what answers for the rest", ask(func(s *servemap.Site, r, _ *mux.Router) {
			r.Use(s.Wrap)
			r.NotFoundHandler = s.Wrap(http.NotFoundHandler())
		}), []string{"/", "/a"}, 200, ""},
		{"in Use, where scripts answer for the rest", ask(func(s *servemap.Site, r, _ *mux.Router) {
			r.Use(s.Wrap)
			r.NotFoundHandler = testkit.Page("the same shell for all")
		}), []string{"/", "/a"}, 200, routed},
		{"in the Use of a subrouter", ask(func(s *servemap.Site, _, admin *mux.Router) { admin.Use(s.Wrap) }),
			[]string{"/", "/admin/"}, 404, routed},
		{"in that, which nobody visits", ask(func(s *servemap.Site, _, admin *mux.Router) { admin.Use(s.Wrap) }),
			[]string{"/", "/a"}, 404, unwrapped},
		{"in that, behind a log-in", ask(func(s *servemap.Site, _, admin *mux.Router) {
			admin.Use(func(http.Handler) http.Handler { return http.RedirectHandler("/", http.StatusFound) }, s.Wrap)
		}), []string{"/admin/", "/admin/"}, 404, unwrapped},
		{"forgotten", ask(func(*servemap.Site, *mux.Router, *mux.Router) {}), []string{"/", "/a"}, 404, unwrapped},
		{"around the router", func(s *servemap.Site) http.Handler { r, _ := routes(); return s.Wrap(r) }, []string{"/", "/a"},
			200, ""},
		{"around the router, before the first visit",
			func(s *servemap.Site) http.Handler { r, _ := routes(); return s.Wrap(r) }, nil, 503, ""},
		{"in a mux, for all paths", func(s *servemap.Site) http.Handler {
			r, _ := routes()
			m := http.NewServeMux()
			m.Handle("/", s.Wrap(r))
			return m
		}, []string{"/", "/a"}, 200, ""},
		{"in a mux, for a folder", func(s *servemap.Site) http.Handler {
			r, _ := routes()
			m := http.NewServeMux()
			m.Handle("/admin/", s.Wrap(r))
			return m
		}, []string{"/admin/"}, 404, routed},
		{"in a mux, around two parts", func(s *servemap.Site) http.Handler {
			r, _ := routes()
			m := http.NewServeMux()
			m.Handle("/admin/", s.Wrap(r))
			m.Handle("/", s.Wrap(r))
			return m
		}, []string{"/admin/", "/"}, 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: tt.mount}, func(s *testkit.Site) {
				s.Visit(tt.visits...)
				synctest.Wait() // the site may have asked its server for the sitemap
				see := owner(s)
				overview := func() (o inspect.Overview) {
					if err := json.Unmarshal([]byte(see("stats.json")), &o); err != nil {
						t.Fatal(err)
					}
					return o
				}
				o := overview()
				told := len(o.Look) > 0 && strings.Contains(o.Look[0].Text, tt.hint)
				if tt.hint != "" && (o.Serving || !told || !strings.Contains(o.State, "o request for the sitemap has come")) {
					t.Errorf("serving %t, %q, look into %v, want %q", o.Serving, o.State, o.Look, tt.hint)
				}
				if page := text(see("")); tt.hint != "" && (strings.Contains(page, "503") ||
					strings.Contains(page, "private window")) {
					t.Errorf("it promises what visits cannot bring: %s", page)
				}
				const own = "crawlers get your program's own answer."
				if page := text(see("files")); tt.hint != "" && strings.Contains(page, "503") ||
					tt.hint == unwrapped && !strings.Contains(page, own) {
					t.Errorf("it promises crawlers what they do not get: %s", page)
				}
				if tt.hint == "" && (o.Serving != (tt.status == 200) || strings.Contains(o.State, "request")) {
					t.Errorf("serving %t, %q, though the sitemap answers %d", o.Serving, o.State, tt.status)
				}
				if a := s.Get("/sitemap.xml"); a.Status != tt.status {
					t.Errorf("the sitemap answers %d, want %d", a.Status, tt.status)
				}
				if o := overview(); o.Serving != (tt.status == 200 && tt.hint == "") {
					t.Errorf("once somebody asked for the sitemap: serving %t, %q", o.Serving, o.State)
				}
				if s.Shut(); tt.hint != "" {
					s.Logged.Want(t, 1, tt.hint)
				}
			})
		})
	}
}

// Mount knows the path of an inspector, which the owner may not guess.
func TestTheLogSaysWhereTheInspectorIs(t *testing.T) {
	for _, tt := range []struct {
		at, want string // "" for nothing beside the link
		allow    func(*http.Request) bool
	}{
		{"/inspect", "", nil},
		{"/inspect/", "", nil},
		{"/inspect", "Inspector: mounted at /inspect/", everybody},
		{"/admin/see", "Inspector: mounted at /admin/see/", nil},
		{"/a/{x}", "Inspector: mounted at /a/{x}/", nil},
	} {
		t.Run(tt.at, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: func(s *servemap.Site) http.Handler {
				r := mux.NewRouter()
				r.PathPrefix(tt.at).Handler(s.Inspector(tt.allow))
				s.Mount(r)
				return r
			}}, func(s *testkit.Site) {
				s.Shut()
				lines := 0
				if tt.want != "" {
					lines = 1
				}
				s.Logged.Want(t, lines, "mounted at")
				s.Logged.Want(t, lines, cmp.Or(tt.want, "mounted at"))
			})
		})
	}
}

// What Mount cannot undo, it says.
func TestMistakesAroundMountAreTold(t *testing.T) {
	gone := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	for _, tt := range []struct {
		name string
		with func(s *servemap.Site, r *mux.Router)
		told string // "" for nothing
	}{
		{"the handler of what is not found comes after it", func(s *servemap.Site, r *mux.Router) {
			s.Mount(r)
			r.NotFoundHandler = gone
		}, "A NotFoundHandler was set after site.Mount(r)"},
		{"before it", func(s *servemap.Site, r *mux.Router) { r.NotFoundHandler = gone; s.Mount(r) }, ""},
		{"after it, and observed", func(s *servemap.Site, r *mux.Router) { s.Mount(r); r.NotFoundHandler = s.Observe(gone) },
			""},
		{"another route takes the inspector's requests", func(s *servemap.Site, r *mux.Router) {
			r.PathPrefix("/").Handler(testkit.PageOfItsURL("/a"))
			r.PathPrefix("/inspect").Handler(s.Inspector(everybody))
			s.Mount(r)
		}, "another route takes the requests for /inspect/"},
		{"none does", func(s *servemap.Site, r *mux.Router) {
			r.PathPrefix("/inspect").Handler(s.Inspector(everybody))
			r.PathPrefix("/").Handler(testkit.PageOfItsURL("/a"))
			s.Mount(r)
		}, ""},
		{"it is on a router for another host", func(s *servemap.Site, r *mux.Router) {
			s.Mount(r.Host("other.example").Subrouter())
		}, "No request has passed through this site yet"},
		{"it is forgotten", func(*servemap.Site, *mux.Router) {}, "No request has passed through this site yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: func(s *servemap.Site) http.Handler {
				r := mux.NewRouter()
				r.HandleFunc("/", testkit.Page("home", "/a"))
				tt.with(s, r)
				return s.Robots(r)
			}}, func(s *testkit.Site) {
				for range 30 {
					s.Get("/")
				}
				s.Shut()
				warnings := strings.Count(s.Logged.String(), "level=WARN")
				if tt.told == "" && warnings != 0 || tt.told != "" && (warnings != 1 || s.Logged.Count(tt.told) != 1) {
					s.Errorf("%d warnings, want %q: %s", warnings, tt.told, s.Logged)
				}
			})
		})
	}
}

// On a laptop, and behind a proxy, pages are listed under a host that nobody asked for. A stranger's host tells
// nothing.
func TestTheLogSaysThatVisitsToANearbyHostCount(t *testing.T) {
	for _, tt := range []struct {
		name, host, client string
		lines              int
	}{
		{"localhost", "localhost:8080", "127.0.0.1", 1},
		{"an address", "127.0.0.1:8080", "127.0.0.1", 1},
		{"a name of a container", "shop:3000", "10.0.0.7", 1},
		{"the origin's", "example.com", "127.0.0.1", 0},
		{"another host", "example.org", "127.0.0.1", 0},
		{"by a stranger", "localhost:8080", "203.0.113.9", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: testkit.Page("home")}, func(s *testkit.Site) {
				for range 3 {
					s.From(tt.client, "/", "Host", tt.host)
				}
				s.Shut()
				s.Logged.Want(t, tt.lines, "Visits to "+tt.host+" count as visits to https://example.com")
			})
		})
	}
}
