package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// sessionWiki serves each page like a program that keeps a session for every visitor.
func sessionWiki(cacheControl string, links ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", cacheControl)
		w.Header().Set("Expires", "Thu, 19 Nov 1981 08:52:00 GMT")
		http.SetCookie(w, &http.Cookie{Name: "PHPSESSID", Value: "0123456789abcdefghijklmnop", Path: "/"})
		if strings.HasPrefix(r.URL.Path, "/wiki/Special:") {
			w.Header().Set("X-Robots-Tag", "noindex")
		}
		testkit.PageOfItsURL(links...)(w, r)
	})
}

func TestIgnoreCacheControlListsPagesOfTheRule(t *testing.T) {
	rules := []servemap.Rule{{Pattern: "/$", IgnoreCacheControl: true}, {Pattern: "/wiki/", IgnoreCacheControl: true}}
	for _, cacheControl := range []string{"private, must-revalidate, max-age=0", "no-store, no-cache, must-revalidate"} {
		t.Run(cacheControl, func(t *testing.T) {
			setup := testkit.Setup{
				Options: servemap.Options{Rules: rules},
				Handler: sessionWiki(cacheControl, "/wiki/A", "/wiki/B", "/wiki/Special:Log", "/user/me", "/wiki/Seen-by-a-member"),
			}
			testkit.Run(t, setup, func(s *testkit.Site) {
				s.Visit("/", "/wiki/A", "/wiki/B", "/wiki/Special:Log", "/user/me")
				s.Get("/wiki/Seen-by-a-member", "Cookie", "PHPSESSID=1")
				s.WantListed("/", "/wiki/A", "/wiki/B")
				for url, want := range map[string]string{"/user/me": "excluded", "/wiki/Special:Log": "excluded", "/wiki/Seen-by-a-member": "waiting"} {
					if e := s.Explained(url); string(e.Verdict) != want {
						s.Errorf("%s is %s because of %s, want it %s", url, e.Verdict, e.Reason, want)
					}
				}
				s.WantHints()
			})
		})
	}
}

func TestPagesThatSayTheyAreForOneVisitorGetAHint(t *testing.T) {
	for cacheControl, reason := range map[string]string{"private, must-revalidate, max-age=0": "private", "no-store, no-cache": "no-store"} {
		t.Run(reason, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: sessionWiki(cacheControl, "/wiki/A")}, func(s *testkit.Site) {
				s.Visit(append(numbered("/wiki/%d", 30), "/")...)
				for _, url := range []string{"/", "/wiki/7"} {
					s.WantVerdict(url, "excluded", reason)
					text := s.Explained(url).Text
					if !strings.Contains(text, "an anonymous visitor got it") || !strings.Contains(text, "Rule.IgnoreCacheControl") {
						s.Errorf("%s is explained by %q", url, text)
					}
				}
				s.WantHints("Rule.IgnoreCacheControl")
			})
		})
	}
}
