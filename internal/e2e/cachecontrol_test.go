package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap"
)

// hintWiki serves each page as programs do that keep a session for every visitor.
func hintWiki(cacheControl string, links ...string) func(*servemap.Site) http.Handler {
	return func(s *servemap.Site) http.Handler {
		return s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", cacheControl)
			w.Header().Set("Expires", "Thu, 19 Nov 1981 08:52:00 GMT")
			http.SetCookie(w, &http.Cookie{Name: "PHPSESSID", Value: "0123456789abcdefghijklmnop", Path: "/"})
			if strings.HasPrefix(r.URL.Path, "/wiki/Special:") {
				w.Header().Set("X-Robots-Tag", "noindex")
			}
			hintPage(w, r, links...)
		}))
	}
}

// TestACacheControlThatDoesNotSpeakForPages has a rule say so of all pages but
// those of one folder.
func TestACacheControlThatDoesNotSpeakForPages(t *testing.T) {
	for _, cacheControl := range []string{"private, must-revalidate, max-age=0", "no-store, no-cache, must-revalidate"} {
		t.Run(cacheControl, func(t *testing.T) {
			rules := []servemap.Rule{{Pattern: "/$", IgnoreCacheControl: true}, {Pattern: "/wiki/", IgnoreCacheControl: true}}
			r := hintSite(t, "https://example.com", servemap.Options{Rules: rules},
				hintWiki(cacheControl, "/wiki/A", "/wiki/B", "/wiki/Special:Log", "/user/me", "/wiki/Seen-by-a-member"))
			for _, path := range []string{"/", "/wiki/A", "/wiki/B", "/wiki/Special:Log", "/user/me"} {
				r.visit(path)
			}
			r.visit("/wiki/Seen-by-a-member", "Cookie", "PHPSESSID=1")
			r.wantListed("/sitemap.xml", "https://example.com/", "https://example.com/wiki/A", "https://example.com/wiki/B")
			for url, want := range map[string]servemap.Verdict{"/user/me": "excluded", "/wiki/Special:Log": "excluded", "/wiki/Seen-by-a-member": "waiting"} {
				if e, err := r.site.Explain(t.Context(), url); err != nil || e.Verdict != want {
					t.Errorf("%s is %s because of %s, %v, want it %s", url, e.Verdict, e.Reason, err, want)
				}
			}
			r.wantHints()
		})
	}
}

// TestAListedPageStaysWhereCacheControlDoesNotSpeak has a listed page turn private
// for one visitor, and answer him without the page.
func TestAListedPageStaysWhereCacheControlDoesNotSpeak(t *testing.T) {
	mount := func(s *servemap.Site) http.Handler {
		return s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "private")
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			hintPage(w, r)
		}))
	}
	r := hintSite(t, "https://example.com", servemap.Options{Rules: []servemap.Rule{{Pattern: "/", IgnoreCacheControl: true}}}, mount)
	r.visit("/")
	r.wantListed("/sitemap.xml", "https://example.com/")
	r.visit("/", "If-None-Match", `"a"`)
	r.wantListed("/sitemap.xml", "https://example.com/")
}

// TestPagesThatSayTheyAreForOneVisitorAreExplained leaves a wiki out for what it
// sends.
func TestPagesThatSayTheyAreForOneVisitorAreExplained(t *testing.T) {
	for cacheControl, reason := range map[string]servemap.Reason{"private, must-revalidate, max-age=0": "private", "no-store, no-cache": "no-store"} {
		t.Run(string(reason), func(t *testing.T) {
			r := hintSite(t, "https://example.com", servemap.Options{}, hintWiki(cacheControl, "/wiki/A"))
			for i := range 30 {
				r.visit(fmt.Sprintf("/wiki/%d", i))
			}
			r.visit("/")
			r.flush()
			for _, url := range []string{"/", "/wiki/7"} {
				e, err := r.site.Explain(t.Context(), url)
				if err != nil || e.Verdict != "excluded" || e.Reason != reason {
					t.Errorf("%s is %s because of %s, %v", url, e.Verdict, e.Reason, err)
				}
				if !strings.Contains(e.Text, "an anonymous visitor got it") || !strings.Contains(e.Text, "Rule.IgnoreCacheControl") {
					t.Errorf("%s: %q", url, e.Text)
				}
			}
			r.wantHints("Rule.IgnoreCacheControl")
		})
	}
}
