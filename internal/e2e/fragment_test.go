package e2e

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/servemap/servemap"
)

// routed serves each path by a route of its own, as a site with a mux does.
func routed(pages map[string]string) func(*servemap.Site) http.Handler {
	return func(site *servemap.Site) http.Handler {
		m := http.NewServeMux()
		for path, html := range pages {
			m.HandleFunc("GET "+path, serveText(html))
		}
		return site.Wrap(m)
	}
}

// A route of its own is evidence for a page that a visitor opens, not for what
// scripts and frames fetch, nor for a part of a page.
func TestWhatScriptsAndFramesFetchIsNoPage(t *testing.T) {
	const fragment = "<ul><li>The first comment, by somebody who liked the page.<li>The second one.</ul>"
	whole := document("", "what others said")
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
		{"a part of a page, fetched by what says nothing of itself", fragment, nil, false},
		{"a part of a page, opened by a visitor", fragment, []string{"Sec-Fetch-Dest", "document"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, nil, routed(map[string]string{"/{$}": document("", "home"), "/remarks": tt.html}))
				o.visit("GET", "/")
				for range 3 {
					o.visit("GET", "/remarks", tt.headers...)
				}
				o.wantListed(true, "/")
				o.wantListed(tt.listed, "/remarks")
			})
		})
	}
}

// Nor can a script that a page runs take that page out, or hide it.
func TestAFragmentSaysNothingOfThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, nil, func(site *servemap.Site) http.Handler {
			return site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Sec-Fetch-Dest") == "empty" {
					serveText("<p>news", "X-Robots-Tag", "noindex")(w, r)
					return
				}
				serveText(document("", "home"))(w, r)
			}))
		})
		script := []string{"Sec-Fetch-Dest", "empty"}
		o.visit("GET", "/", script...)
		o.visit("GET", "/", script...)
		o.visit("GET", "/")
		o.wantListed(true, "/")
		o.visit("GET", "/", script...)
		o.wantListed(true, "/")
		if n := o.site.Stats().Ignored["fragment"]; n == 0 {
			t.Error("the stats do not tell of fragments")
		}
	})
}

// Utility and back-office pages have routes of their own, and whoever finds them
// gets them. A link from a listed page still lists what a site shows to everybody.
func TestARouteOfAUtilityPageProvesNothing(t *testing.T) {
	paths := []string{
		"/404", "/500", "/error", "/offline", "/thank-you", "/logged-out", "/header", "/fragments/menu", "/ajax/list", "/dashboard",
		"/backoffice", "/staff", "/logs", "/config", "/customers/export", "/widget",
	}
	pages := map[string]string{"/{$}": document("", "home", "/about/staff"), "/about/staff": document("", "who we are"), "/imprint": document("", "who is to blame")}
	for _, p := range paths {
		pages[p] = document("", "the inside of "+p)
	}
	synctest.Test(t, func(t *testing.T) {
		o := open(t, nil, routed(pages))
		o.visit("GET", "/")
		for _, p := range append(paths, "/imprint", "/about/staff") {
			o.visit("GET", p)
		}
		o.wantListed(false, paths...)
		o.wantListed(true, "/", "/imprint", "/about/staff")
	})
}
