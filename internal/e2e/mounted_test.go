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
			testkit.Run(t, testkit.Setup{Options: asking, Mount: tt.mount}, func(s *testkit.Site) {
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

// asking has the site ask itself, which tests leave out under the race detector: the handlers here do not change.
var asking = servemap.Options{Limits: servemap.Limits{Looks: 1000}}

// The site asks the program's server for the sitemap once, as a stranger does, and tells the one cause why that does
// not come: by the first request that any part of it sees.
func TestMistakeInMountingIsToldAtOnceWithItsCause(t *testing.T) {
	const guarded = "Crawlers do not get the sitemap"
	const unwrapped, routed = "No request has passed through this site yet", "The site stands inside a route"
	login := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/login" || r.Header.Get("Cookie") != "" {
				next.ServeHTTP(w, r)
				return
			}
			http.Redirect(w, r, "/login?next="+r.URL.Path, http.StatusSeeOther)
		})
	}
	refuse := func(status int) mux.MiddlewareFunc {
		return func(http.Handler) http.Handler { return testkit.Reply(status, "no") }
	}
	for _, tt := range []struct {
		name   string
		mount  func(*servemap.Site, *mux.Router) http.Handler // nil for the router itself
		visits []string
		hint   string
		more   string // of the hint
	}{
		{"a log-in before Mount", func(s *servemap.Site, r *mux.Router) http.Handler {
			r.Use(login)
			s.Mount(r)
			return r
		}, []string{"/", "/login"}, guarded, "What came was 303, which leads to /login"},
		{"a log-in before Mount, of which robots.txt knows", func(s *servemap.Site, r *mux.Router) http.Handler {
			r.Use(login)
			s.Mount(r)
			return s.Robots(r)
		}, []string{"/"}, guarded, "with gorilla/mux by calling site.Mount(r) before that r.Use"},
		{"a password before Mount, of which who wants the sitemap knows", func(s *servemap.Site, r *mux.Router) http.Handler {
			r.Use(refuse(http.StatusUnauthorized))
			s.Mount(r)
			return r
		}, []string{"/", "/sitemap.xml"}, guarded, "What came was 401."},
		{"a log-in around the site", func(s *servemap.Site, r *mux.Router) http.Handler {
			return s.Robots(login(s.Wrap(r)))
		}, []string{"/"}, guarded, "with others by putting site.Wrap around it"},
		{"a log-in after Mount", func(s *servemap.Site, r *mux.Router) http.Handler {
			s.Mount(r)
			r.Use(login)
			return s.Robots(r)
		}, []string{"/", "/login", "/nothing"}, "", ""},
		{"what refuses this machine before Mount", func(s *servemap.Site, r *mux.Router) http.Handler {
			r.Use(refuse(http.StatusForbidden))
			s.Mount(r)
			return s.Robots(r)
		}, []string{"/", "/a"}, "", ""},
		{"forgotten, but for robots.txt", func(s *servemap.Site, r *mux.Router) http.Handler { return s.Robots(r) },
			[]string{"/"}, unwrapped, "call site.Mount(r)"},
		{"forgotten, where a script answers for all", func(s *servemap.Site, r *mux.Router) http.Handler {
			r.NotFoundHandler = testkit.Page("the same shell for all")
			return s.Robots(r)
		}, []string{"/a"}, unwrapped, ""},
		{"in Use, in robots.txt", func(s *servemap.Site, r *mux.Router) http.Handler {
			r.Use(s.Wrap)
			return s.Robots(r)
		}, []string{"/", "/a"}, routed, "in place of r.Use(site.Wrap)"},
		{"on a subrouter that gets no visitor", func(s *servemap.Site, r *mux.Router) http.Handler {
			s.Mount(r.Headers("X-Way", "inner").Subrouter())
			return s.Robots(r)
		}, []string{"/"}, routed, ""},
		{"as it should be", func(s *servemap.Site, r *mux.Router) http.Handler {
			r.NotFoundHandler = testkit.Reply(http.StatusNotFound, "not here")
			s.Mount(r)
			return s.Robots(r)
		}, []string{"/nothing", "/"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Options: asking, Mount: func(s *servemap.Site) http.Handler {
				r := mux.NewRouter()
				r.HandleFunc("/", testkit.Page("home", "/a"))
				r.HandleFunc("/a", testkit.Page("a"))
				r.HandleFunc("/login", testkit.Page("who are you?"))
				return tt.mount(s, r)
			}}, func(s *testkit.Site) {
				for _, path := range tt.visits {
					s.Get(path)
				}
				synctest.Wait()
				hints := s.Stats().Hints
				if tt.hint == "" && len(hints) > 0 || tt.hint != "" && (len(hints) != 1 ||
					!strings.Contains(hints[0], tt.hint) || !strings.Contains(hints[0], tt.more)) {
					t.Errorf("the hints are %q, want %q", hints, tt.hint)
				}
				served := tt.hint == ""
				var o inspect.Overview
				if err := json.Unmarshal([]byte(owner(s)("stats.json")), &o); err != nil {
					t.Fatal(err)
				}
				if says := strings.Contains(o.State, "o request for the sitemap has come"); says == served {
					t.Errorf("the inspector says %q", o.State)
				}
				if named := strings.Contains(s.Get("/robots.txt").Body, "Sitemap:"); named && !served {
					t.Error("robots.txt names a sitemap that nobody gets")
				}
				if s.Shut(); tt.hint != "" {
					s.Logged.Want(t, 1, tt.hint)
					s.Logged.Want(t, 1, "level=WARN")
					s.Logged.Want(t, 1, "origin=https://example.com")
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
		{"/inspect", "Inspector: mounted at /inspect/, and refuses everybody until", servemap.Password("me", "")},
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

// A program may serve another host here than where its public address leads, as while it is developed.
func TestSubrouterOfAnotherHostIsTold(t *testing.T) {
	s := testkit.Start(t, testkit.Setup{})
	s.Mount(mux.NewRouter().Host("other.example").Subrouter())
	s.Shut()
	s.Logged.Want(t, 1, "this subrouter gets requests for other.example alone, so no page is learned")
}

// What Mount cannot undo, it says.
func TestMistakesAroundMountAreTold(t *testing.T) {
	for _, tt := range []struct {
		name string
		with func(s *servemap.Site, r *mux.Router)
		told string // "" for nothing
	}{
		{"as it should be", func(s *servemap.Site, r *mux.Router) { s.Mount(r) }, ""},
		{"it is forgotten", func(*servemap.Site, *mux.Router) {}, "No request has passed through this site yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Options: asking, Mount: func(s *servemap.Site) http.Handler {
				r := mux.NewRouter()
				r.HandleFunc("/", testkit.Page("home", "/a"))
				tt.with(s, r)
				return s.Robots(r)
			}}, func(s *testkit.Site) {
				for range 30 {
					s.Get("/")
				}
				synctest.Wait() // the site asks its program itself
				s.Shut()
				warnings := strings.Count(s.Logged.String(), "level=WARN")
				if tt.told == "" && warnings != 0 || tt.told != "" && (warnings != 1 || s.Logged.Count(tt.told) != 1) {
					s.Errorf("%d warnings, want %q: %s", warnings, tt.told, s.Logged)
				}
			})
		})
	}
}

// Mount asks the router which route takes the requests for an inspector.
func TestTheLogSaysThatAnotherRouteTakesTheInspector(t *testing.T) {
	for _, tt := range []struct {
		name  string
		with  func(r *mux.Router, inspector http.Handler)
		taken string // by whom, "" if it is not
	}{
		{"first", func(r *mux.Router, i http.Handler) {
			r.PathPrefix("/inspect").Handler(i)
			r.PathPrefix("/").Handler(http.NotFoundHandler())
		}, ""},
		{"after a route for any path", func(r *mux.Router, i http.Handler) {
			r.PathPrefix("/").Handler(http.NotFoundHandler())
			r.PathPrefix("/inspect").Handler(i)
		}, "an earlier route, for /, takes the requests for /inspect/; set the inspector's route before that one"},
		{"after a variable", func(r *mux.Router, i http.Handler) {
			r.HandleFunc("/{lang}/", testkit.Page("home"))
			r.PathPrefix("/inspect/").Handler(i)
		}, "for /{lang}/, takes"},
		{"after a subrouter that answers for the rest", func(r *mux.Router, i http.Handler) {
			r.PathPrefix("/admin").Subrouter().NotFoundHandler = http.NotFoundHandler()
			r.PathPrefix("/admin/inspect").Handler(i)
		}, "for /admin, takes the requests for /admin/inspect/"},
		{"in a subrouter", func(r *mux.Router, i http.Handler) {
			r.PathPrefix("/admin").Subrouter().PathPrefix("/inspect").Handler(i)
		}, ""},
		{"in a router as a handler", func(r *mux.Router, i http.Handler) {
			inner := mux.NewRouter()
			inner.PathPrefix("/admin/inspect").Handler(i)
			r.PathPrefix("/admin").Handler(inner)
		}, ""},
		{"on a host of its own", func(r *mux.Router, i http.Handler) {
			r.Host("example.com").Handler(http.NotFoundHandler())
			r.Host("admin.example.com").PathPrefix("/").Handler(i)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: func(s *servemap.Site) http.Handler {
				r := mux.NewRouter()
				tt.with(r, s.Inspector(everybody))
				s.Mount(r)
				return r
			}}, func(s *testkit.Site) {
				s.Shut()
				want := cmp.Or(tt.taken, "Inspector: mounted at")
				s.Logged.Want(t, 1, want)
				if other := s.Logged.Count("Inspector: mounted at") + s.Logged.Count("Inspector: an earlier"); other != 1 {
					t.Errorf("it says more than %q: %s", want, s.Logged)
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
