package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// Where pages name something else as canonical, a hint says what, from visits as from exploring.
func TestHintNamesAWrongCanonical(t *testing.T) {
	fixed := func(canonical string) func(uri string) string { return func(string) string { return canonical } }
	host := func(host string) func(uri string) string { return func(uri string) string { return host + uri } }
	for _, tt := range []struct {
		name, origin string
		canonical    func(uri string) string
		listed       int
		hint         string // "" for none
	}{
		{"the home page", "", fixed("/"), 1, `name "https://example.com/" as canonical`},
		{"the home page with its host", "", fixed("https://example.com"), 1, `name "https://example.com/" as canonical`},
		{"another page of the site", "", fixed("/start"), 0, `name "https://example.com/start" as canonical`},
		{"www", "", host("https://www.example.com"), 0, "https://www.example.com"},
		{"another host", "", host("https://shop.example.org"), 0, "https://shop.example.org"},
		{"localhost", "", host("http://localhost:3000"), 0, `"http://localhost:3000" as canonical`},
		{"a container", "", host("http://web:8080"), 0, `"http://web:8080"`},
		{"an address", "", host("http://127.0.0.1"), 0, `"http://127.0.0.1"`},
		{"a template that was not filled in", "", fixed("{{ page.url }}"), 0, `"{{ page.url }}"`},
		{"another one", "", fixed("https://example.com/${path}"), 0, `"https://example.com/${path}"`},
		{"a third one", "", fixed("<%= url %>"), 0, `"<%= url %>"`},
		{"nothing but a word", "", fixed("/undefined"), 0, `"https://example.com/undefined"`},
		{"http on a site of https", "", host("http://example.com"), 21, ""},
		{"itself", "", host(""), 21, ""},
		{"itself with a slash more", "", func(uri string) string { return strings.TrimSuffix(uri, "/") + "/" }, 1, ""},
		{"https on a site of http", "http://example.com", host("https://example.com"), 21,
			"It seems to be https://example.com."},
	} {
		paths := times(20, "/p%d")
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			head := fmt.Sprintf(`<link rel="canonical" href='%s'>`, tt.canonical(r.URL.RequestURI()))
			if n := 0; r.URL.Path != "/" && !scan(r.URL.Path, "/p%d", &n) {
				http.NotFound(w, r)
				return
			}
			testkit.Reply(http.StatusOK, testkit.HTML(head, "text of "+r.URL.Path, paths...))(w, r)
		})
		check := func(s *testkit.Site) {
			s.Settle()
			hints := strings.Join(s.Stats().Hints, "\n")
			if n := s.Stats().Listed; n != tt.listed || tt.hint == "" && hints != "" || !strings.Contains(hints, tt.hint) {
				s.Errorf("%d pages are listed, want %d; hints: %s", n, tt.listed, hints)
			}
		}
		setup := testkit.Setup{Handler: h, Origin: tt.origin}
		t.Run(tt.name+", explored", func(t *testing.T) {
			testkit.Run(t, setup, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				check(s)
			})
		})
		t.Run(tt.name+", visited", func(t *testing.T) {
			testkit.Run(t, setup, func(s *testkit.Site) {
				for range 3 {
					s.Visit("/")
					s.Visit(paths...)
					time.Sleep(2 * time.Minute)
				}
				check(s)
			})
		})
	}
}
