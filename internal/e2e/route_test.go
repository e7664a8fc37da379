package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// folderPages is a handler that knows its folder only from its links.
func folderPages() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/{$}", testkit.PageOfItsURL("/blog/one", "two"))
	m.HandleFunc("/p/{slug}", testkit.PageOfItsURL())
	m.HandleFunc("/about", testkit.PageOfItsURL())
	m.HandleFunc("/", testkit.PageOfItsURL())
	return m
}

// stripped serves the folder behind http.StripPrefix.
func stripped(prefix string) func(*servemap.Site) http.Handler {
	return func(s *servemap.Site) http.Handler { return http.StripPrefix(prefix, s.Wrap(folderPages())) }
}

// The program itself cuts off the site's folder.
func TestSiteBelowStripPrefixListsThePublicPath(t *testing.T) {
	const blog = testkit.Origin + "/blog"
	pages := []string{"/blog/", "/blog/one", "/blog/two", "/blog/p/orphan"}
	linked := pages[:3]
	for _, tt := range []struct {
		name, origin, prefix string
		mount                func(*servemap.Site) http.Handler
		visits, listed       []string
	}{
		{"with the origin of the folder", blog, "", stripped("/blog"), pages, linked},
		{"with the prefix in the options too", blog, "/blog", stripped("/blog"), pages, linked},
		{"wrapped from outside", blog, "", func(s *servemap.Site) http.Handler {
			return s.Wrap(http.StripPrefix("/blog", folderPages()))
		}, pages, linked},
		{"with a route of its own", blog, "", stripped("/blog"), []string{"/blog/about", "/blog/p/orphan"},
			[]string{"/blog/about"}},
		{"a mounted router", blog, "", func(s *servemap.Site) http.Handler {
			router := mux.NewRouter()
			router.HandleFunc("/", testkit.PageOfItsURL("/blog/one"))
			router.HandleFunc("/{slug}", testkit.PageOfItsURL())
			s.Mount(router)
			return http.StripPrefix("/blog", router)
		}, pages[:2], pages[:2]},
		{"one site around the host and the folder", testkit.Origin, "", func(s *servemap.Site) http.Handler {
			m := http.NewServeMux()
			m.Handle("/", s.Wrap(testkit.PageOfItsURL("/blog/")))
			m.Handle("/blog/", stripped("/blog")(s))
			return m
		}, append([]string{"/"}, linked...), append([]string{"/"}, linked...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			setup := testkit.Setup{Origin: tt.origin, Options: servemap.Options{StrippedPrefix: tt.prefix}, Mount: tt.mount}
			testkit.Run(t, setup, func(s *testkit.Site) {
				for _, path := range tt.visits {
					if a := s.Get(path); a.Status != http.StatusOK {
						s.Fatalf("%s answers %d", path, a.Status)
					}
				}
				s.WantListed(tt.listed...)
				if line, want := s.RobotsLine(), "Sitemap: "+strings.TrimSuffix(tt.origin, "/")+"/sitemap.xml"; line != want {
					s.Errorf("the line for robots.txt is %q, want %q", line, want)
				}
				s.WantHints()
			})
		})
	}
}

func TestPathsOfARouterCountUntilOthersAreGiven(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a", "/b")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{Paths: []string{"/a", "/b"}})
		site["/a"], site["/b"] = testkit.Page("a"), testkit.Page("b")
		explore(s, servemap.ExploreOptions{Paths: []string{"/b"}})
		for path, want := range map[string]bool{"/a": false, "/b": true} {
			if e := s.Explained(path); slices.Contains(e.Evidence, servemap.ReasonRoute) != want {
				s.Errorf("%s is listed because of %v", path, e.Evidence)
			}
		}
	})
}

func TestExplorationsAtOnceHaveTheirOwnPaths(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home"), "/b": testkit.Page("b")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		site["/a"] = func(w http.ResponseWriter, r *http.Request) {
			if delete(site, "/a"); servemap.Exploring(r) { // while the first one waits
				explore(s, servemap.ExploreOptions{Paths: []string{"/b"}, Concurrency: 1})
			}
			testkit.Page("a")(w, r)
		}
		explore(s, servemap.ExploreOptions{Paths: []string{"/a"}, Concurrency: 1})
		s.WantListed("/", "/a", "/b")
	})
}

func TestPathsOfARouterAreExploredWithoutALink(t *testing.T) {
	r := mux.NewRouter()
	for _, path := range []string{"/", "/landing", "/p/{id}", "/team/plan"} {
		r.Handle(path, testkit.Page("page "+path)).Methods(http.MethodGet)
	}
	risky := []string{"/logout", "/cache/clear", "/internal/reindex", "/admin/users/delete", "/debug/pprof/", "/u/<id>",
		"/v/(a|b)"}
	r.Handle("/save", testkit.Page("saved")).Methods(http.MethodPost)
	var paths []string
	_ = r.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := route.GetPathTemplate()
		if err == nil {
			paths = append(paths, path)
		}
		return nil
	})
	paths = append(paths, risky...)
	for _, tt := range []struct {
		paths, want []string
	}{{nil, []string{"/"}}, {paths, []string{"/", "/landing", "/team/plan"}}} {
		asked := map[string]bool{}
		counts := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			asked[req.URL.Path] = true
			r.ServeHTTP(w, req)
		})
		testkit.Run(t, testkit.Setup{Handler: counts}, func(s *testkit.Site) {
			explore(s, servemap.ExploreOptions{Paths: tt.paths, Concurrency: 1})
			s.WantListed(tt.want...)
			for _, path := range risky {
				if asked[path] {
					s.Errorf("%s was asked for", path)
				}
			}
		})
	}
}

// A search that nothing was typed into is no page for a sitemap, although it has a route of its own. A link lists it.
func TestASearchNeedsMoreThanItsRoute(t *testing.T) {
	form := func(attributes string) http.HandlerFunc {
		return testkit.Reply(http.StatusOK, "<html><title>a page</title><form "+attributes+"><input name=q></form>"+
			attributes+"</html>", "Content-Type", "text/html")
	}
	for _, tt := range []struct {
		name, attributes string
		links, paths     []string
		listed           bool
	}{
		{"a search", `action="/find"`, nil, nil, false},
		{"a search that the home page links to", `action="/find"`, []string{"/find"}, nil, true},
		{"a page with a form that leads elsewhere", `action="/"`, nil, nil, true},
		{"a page with a form of a script", ``, nil, nil, true},
		{"a page with a form of a script that leads nowhere", `action="#"`, nil, nil, true},
		{"a page that sends what was typed by POST", `method=post action="/find"`, nil, nil, true},
		{"a search whose address has a query of its own", `action="/find?lang=de"`, nil, nil, false},
		{"a page with a dialog", `method=dialog action="/find"`, nil, nil, true},
		{"a filter of prices", `action="/find"><input name=min`, nil, nil, true},
		{"a search that the owner names", `action="/find"`, nil, []string{"/find"}, true},
		{"a field beside the form", `action="/find"></form><p `, nil, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := http.NewServeMux()
			m.Handle("/{$}", testkit.Page("home", tt.links...))
			m.Handle("/find", form(tt.attributes))
			testkit.Run(t, testkit.Setup{Handler: m}, func(s *testkit.Site) {
				s.Visit("/")
				if tt.paths != nil {
					explore(s, servemap.ExploreOptions{Paths: tt.paths})
				}
				s.Visit("/find")
				if e := s.Explained("/find"); e.Listed() != tt.listed {
					s.Errorf("%s %s: %s", e.Verdict, e.Reason, e.Text)
				}
			})
		})
	}
}
