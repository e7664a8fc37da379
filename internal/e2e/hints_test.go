package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// crawl visits the entry and then each path.
func crawl(s *testkit.Site, paths []string) {
	s.Helper()
	s.Get("/")
	s.Settle() // so that the links are known
	for _, path := range paths {
		s.Get(path)
	}
	s.Settle()
}

// A site saves a session at each visit, as with gorilla/sessions, under its own cookie name.
func TestSessionForEveryVisitorGetsAHint(t *testing.T) {
	const value = "MTc5NTMzMzE1OHxEWDhFQVFM"
	hint := []string{"Options.Benign"}
	for _, tt := range []struct {
		name    string
		pages   int
		cookie  string // that the site gives everybody
		curious []string
		rounds  int // of one visitor with a session
		want    []string
	}{
		{"a large site", 30, "session-name", []string{"/"}, 1, hint},
		{"a small site, tried by hand", 7, "session-name", []string{"/", "/post-1", "/post-2"}, 5, hint},
		{"tried only a little", 7, "session-name", []string{"/", "/post-1", "/post-2"}, 1, nil},
		{"visitors without cookies got most", 7, "session-name", []string{"/", "/post-1", "/post-2", "/post-3"}, 5, nil},
		{"a member, where everybody gets another cookie", 7, "csrftoken", []string{"/", "/post-1", "/post-2"}, 5, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			links := numbered("/post-%d", tt.pages)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: tt.cookie, Value: value, Path: "/", MaxAge: 86400 * 30})
				testkit.PageOfItsURL(links...)(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				s.Visit(tt.curious...) // the site gives the cookie with a visitor's first page
				for range tt.rounds {
					for _, path := range links {
						s.Get(path, "Cookie", "session-name="+value)
					}
				}
				s.WantHints(tt.want...)
			})
		})
	}
}

func TestSiteOfWhichHardlyAPageIsListedGetsAHint(t *testing.T) {
	queries, tokens := numbered("/index.php?p=%d", 40), numbered("/watch/3f2504e0-4f89-41d3-9a0c-0305e82c%04x", 40)
	for _, tt := range []struct {
		name         string
		links, pages []string
		want         string
	}{
		{"pages that nothing links to", []string{"/news"}, numbered("/archive/%d", 40), "An anonymous visitor got it, but nothing shows yet that it is public. Link to it"},
		{"pages that differ by their query", queries, queries, "Its query has a parameter that is not allowed, and it does not name this URL as canonical. If the parameter makes"},
		{"pages that look like secrets", tokens, tokens, "Its address looks like a secret that lets in whoever knows it. If it is public"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL(tt.links...)}, func(s *testkit.Site) {
				crawl(s, tt.pages)
				if hints := s.Stats().Hints; len(hints) != 0 {
					s.Errorf("hints %q at once, want none", hints)
				}
				time.Sleep(12 * time.Minute)
				s.WantHints("41 were seen and at most 1 are listed. Why most of the others are not: " + tt.want)
			})
		})
	}
}

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

func TestSiteWhereOneEntryLeadsOnGetsNoHint(t *testing.T) {
	handler := testkit.Paths{"/": testkit.Page("home", "/a"), "/plain": testkit.Page("plain"), "/a": testkit.Page("a")}
	for _, order := range [][]string{{"/", "/plain"}, {"/plain", "/"}} {
		t.Run(strings.Join(order, " then "), func(t *testing.T) {
			setup := testkit.Setup{Options: servemap.Options{Entries: []string{"/", "/plain"}}, Handler: handler}
			testkit.Run(t, setup, func(s *testkit.Site) {
				s.Visit(order...)
				s.Visit("/a")
				s.WantHints()
			})
		})
	}
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
