package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// A client that is refused every page walks through a site. The pages stay, and the owner can see why.
func TestRefusedScraperEmptiesNoSite(t *testing.T) {
	const scraper, pages = bob, 50
	for _, tt := range []struct {
		name   string
		lost   int // how many pages may leave
		answer http.HandlerFunc
	}{
		{"403", 0, status(http.StatusForbidden)},
		{"404", 10, status(http.StatusNotFound)},
		{"401", 0, status(http.StatusUnauthorized)},
		{"log-in", 0, status(http.StatusFound, "Location", "/login?next=/")},
		{"301 to another host", 0, status(http.StatusMovedPermanently, "Location", "https://other.example/")},
	} {
		for _, proxied := range []bool{false, true} { // by a proxy that the site does not know, so that all clients look like one
			t.Run(fmt.Sprintf("%s, proxied %v", tt.name, proxied), func(t *testing.T) {
				all := numbered("/page/%d.html", pages)
				page := testkit.PageOfItsURL(append(all, "/")...)
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if from, _, _ := strings.Cut(r.RemoteAddr, ":"); from == scraper || r.Header.Get("X-Forwarded-For") == scraper {
						tt.answer(w, r)
						return
					}
					page(w, r)
				})
				testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
					get := func(from, target string) {
						if proxied {
							s.From("10.0.0.1", target, "X-Forwarded-For", from)
						} else {
							s.From(from, target)
						}
					}
					for _, target := range append([]string{"/"}, all...) {
						get(ann, target)
					}
					s.WantListed(append(all, "/")...)
					time.Sleep(10 * time.Minute)
					for _, target := range all {
						get(scraper, target)
						time.Sleep(10 * time.Second)
					}
					time.Sleep(2 * time.Hour)
					s.Settle()
					text := s.Explained(all[pages-1]).Text
					if tt.lost == 0 && (!strings.Contains(text, "another network") || strings.Contains(text, "Options.ClientIP") != proxied) {
						s.Errorf("a page is explained as %q", text)
					}
					for _, target := range all {
						get(carl, target)
						time.Sleep(10 * time.Second)
					}
					s.Settle()
					if n := len(s.LastMods()); n < pages+1-tt.lost {
						s.Errorf("%d of %d pages are listed", n, pages+1)
					}
					s.Shut() // so that the log is complete
					const hint = "is refused pages that others get"
					if n := strings.Count(strings.Join(s.Stats().Hints, "\n"), hint); n != 1 {
						s.Errorf("Stats says %d times that a network is refused, want once", n)
					}
					s.Logged.Want(s, 1, hint)
					if log := s.Logged.String(); strings.Contains(log, "/page/") || strings.Contains(log, scraper) {
						s.Errorf("the log names a page or a client:\n%s", log)
					}
				})
			})
		}
	}
}
