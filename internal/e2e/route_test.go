package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// copying is a router that serves a copy of the request, as chi and gorilla/mux do, and puts the
// pattern of its route into the copy, as chi does.
type copying struct {
	routes  map[string]http.HandlerFunc // by pattern
	use     func(http.Handler) http.Handler
	inPlace bool // it serves the request itself, as gin and echo do
}

type copyingKey struct{}

func (c copying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !c.inPlace {
		r = r.WithContext(context.WithValue(r.Context(), copyingKey{}, c))
	}
	c.use(http.HandlerFunc(c.route)).ServeHTTP(w, r)
}

func (c copying) route(w http.ResponseWriter, r *http.Request) {
	for pattern, h := range c.routes {
		if before, _, _ := strings.Cut(pattern, ":"); pattern == r.URL.Path || before != pattern && strings.HasPrefix(r.URL.Path, before) {
			r.Pattern = pattern
			h(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// Routers put the route into the request, or into a copy of it, before or while they serve it. A
// site that cannot see the route says so.
func TestRouteIsLearnedWhereTheRouterLeavesIt(t *testing.T) {
	home, about, share := testkit.Page("home"), testkit.Page("us"), testkit.Page("something shared")
	handlers := map[string]http.HandlerFunc{"/": home, "/about": about, "/s/:token": share}
	through := func(next http.Handler) http.Handler { return next }
	gorilla := func() *mux.Router {
		r := mux.NewRouter()
		r.HandleFunc("/", home)
		r.HandleFunc("/about", about)
		r.HandleFunc("/s/{token}", share)
		return r
	}
	for _, tt := range []struct {
		name  string
		mount func(*servemap.Site) http.Handler
		seen  bool
	}{
		{"ServeMux, wrapped", func(site *servemap.Site) http.Handler {
			m := http.NewServeMux()
			m.HandleFunc("/{$}", home)
			m.HandleFunc("/about", about)
			m.HandleFunc("/s/{token}", share)
			return site.Wrap(m)
		}, true},
		{"gorilla/mux, mounted", func(site *servemap.Site) http.Handler { r := gorilla(); site.Mount(r); return r }, true},
		{"gorilla/mux, wrapped and observed inside", func(site *servemap.Site) http.Handler {
			r := gorilla()
			r.Use(site.Observe)
			return site.Wrap(r)
		}, true},
		{"gorilla/mux, wrapped", func(site *servemap.Site) http.Handler { return site.Wrap(gorilla()) }, false},
		{"like chi, with Wrap as its middleware", func(site *servemap.Site) http.Handler {
			return copying{routes: handlers, use: site.Wrap}
		}, true},
		{"like chi, wrapped and observed inside", func(site *servemap.Site) http.Handler {
			return site.Wrap(copying{routes: handlers, use: site.Observe})
		}, true},
		{"like chi, wrapped", func(site *servemap.Site) http.Handler {
			return site.Wrap(copying{routes: handlers, use: through})
		}, false},
		{"like gin with its pattern noted, wrapped", func(site *servemap.Site) http.Handler {
			return site.Wrap(copying{routes: handlers, use: through, inPlace: true})
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: tt.mount}, func(s *testkit.Site) {
				s.Visit("/", "/about", "/s/summer", "/s/:token")
				want := []string{"/"}
				if tt.seen {
					want = append(want, "/about")
				}
				s.WantListed(want...)
				e := s.Explained("/about")
				says := strings.Contains(e.Text, "servemap has seen no route") && strings.Contains(strings.Join(e.Missing, "\n"), "servemap has seen no route yet")
				if says == tt.seen {
					s.Errorf("the explanation says that no route was seen: %v, want %v: %s %q", says, !tt.seen, e.Text, e.Missing)
				}
				if e := s.Explained("/s/summer"); tt.seen && e.Reason != "capability" {
					s.Errorf("/s/summer, whose route has a token, is %s because of %s", e.Verdict, e.Reason)
				}
			})
		})
	}
}
