package e2e

import (
	"net/http"
	"testing"

	"github.com/servemap/servemap/internal/testkit"
)

// routed is a mux with a route for each page, by its pattern.
func routed(pages map[string]string) http.Handler {
	m := http.NewServeMux()
	for pattern, html := range pages {
		m.HandleFunc("GET "+pattern, testkit.Reply(http.StatusOK, html))
	}
	return m
}

// A route of its own is evidence for a page that a visitor opens. It is none for
// what a script or a frame fetches, nor for a part of a page.
func TestWhatScriptsAndFramesFetchIsNotListed(t *testing.T) {
	const fragment = "<ul><li>The first comment, by somebody who liked the page.<li>The second one.</ul>"
	whole := testkit.HTML("", "what others said")
	for _, tt := range []struct {
		name    string
		html    string
		headers []string
		listed  bool
	}{
		{"a page that a crawler gets", whole, nil, true},
		{"a page that a browser opens", whole, []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate"}, true},
		{"a page that htmx shows as a whole", whole, []string{"HX-Request", "true", "HX-Boosted", "true"}, true},
		{"fetched by a script", whole, []string{"Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "cors"}, false},
		{"shown in a frame", whole, []string{"Sec-Fetch-Dest", "iframe", "Sec-Fetch-Mode", "navigate"}, false},
		{"fetched by htmx", whole, []string{"HX-Request", "true"}, false},
		{"fetched by jQuery", whole, []string{"X-Requested-With", "XMLHttpRequest"}, false},
		{"fetched by Turbo", whole, []string{"Turbo-Frame", "comments"}, false},
		{"a part of a page, fetched without a telling header", fragment, nil, false},
		{"a part of a page, opened by a visitor", fragment, []string{"Sec-Fetch-Dest", "document"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages := map[string]string{"/{$}": testkit.HTML("", "home"), "/remarks": tt.html}
			testkit.Run(t, testkit.Setup{Handler: routed(pages)}, func(s *testkit.Site) {
				s.Get("/")
				for range 3 {
					s.Get("/remarks", tt.headers...)
				}
				want := []string{"/"}
				if tt.listed {
					want = append(want, "/remarks")
				}
				s.WantListed(want...)
			})
		})
	}
}

func TestNoindexOfAFetchedFragmentDoesNotTakeThePageOut(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Dest") == "empty" {
			testkit.Reply(http.StatusOK, "<p>news", "X-Robots-Tag", "noindex")(w, r)
			return
		}
		testkit.Page("home")(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		script := []string{"Sec-Fetch-Dest", "empty"}
		s.Get("/", script...)
		s.Get("/", script...)
		s.Get("/")
		s.WantListed("/")
		s.Get("/", script...)
		s.WantListed("/")
		if n := s.Stats().Ignored["fragment"]; n == 0 {
			s.Error("the stats do not count the fragments")
		}
	})
}

// Utility and back-office pages have routes of their own and answer anybody. Only
// a link from a listed page lists them.
func TestRouteOfAUtilityPageIsNoEvidence(t *testing.T) {
	paths := []string{
		"/404", "/500", "/error", "/offline", "/thank-you", "/logged-out", "/header", "/fragments/menu", "/ajax/list", "/dashboard",
		"/backoffice", "/staff", "/logs", "/config", "/customers/export", "/widget",
	}
	pages := map[string]string{
		"/{$}": testkit.HTML("", "home", "/about/staff"), "/about/staff": testkit.HTML("", "who we are"), "/imprint": testkit.HTML("", "who is to blame"),
	}
	for _, p := range paths {
		pages[p] = testkit.HTML("", "the inside of "+p)
	}
	testkit.Run(t, testkit.Setup{Handler: routed(pages)}, func(s *testkit.Site) {
		s.Visit("/")
		s.Visit(append(paths, "/imprint", "/about/staff")...)
		s.WantListed("/", "/imprint", "/about/staff")
	})
}
