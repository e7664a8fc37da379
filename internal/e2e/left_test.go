package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// half breaks off in the middle of a page.
func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Length", "1000")
	fmt.Fprint(w, "<p>the first half")
	panic(http.ErrAbortHandler)
}

// A site whose every page redirects to www says so in the table too.
func TestSiteThatRedirectsToAnotherHostIsInTheTable(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		moved(http.StatusMovedPermanently, "https://www.example.com"+r.URL.Path)(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		_, err := s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s})
		left := s.Stats().LeftOut
		if err == nil || len(left) != 1 || left[0].Cause != "off-site" ||
			left[0].Example != "https://example.com/robots.txt" {
			s.Errorf("%v; %+v", err, left)
		}
	})
}

// Where nothing is listed, nothing is left out as it should be, and a hint says what the entry does.
func TestSiteOfWhichNothingIsListedIsNotAsItShouldBe(t *testing.T) {
	again := func(w http.ResponseWriter, r *http.Request) {
		moved(http.StatusMovedPermanently, "https://example.com"+r.URL.Path)(w, r)
	}
	for _, tt := range []struct {
		name, hint string
		home       http.HandlerFunc
	}{
		{"another path", "The answer to / is 404.", http.NotFound},
		{"a password", "The answer to / is 401.", status(http.StatusUnauthorized)},
		{"https, of which the program does not know", "have it heed X-Forwarded-Proto", again},
		{"noindex for all", "Here it is noindex, nofollow, in the header X-Robots-Tag.", testkit.Reply(http.StatusOK,
			testkit.HTML("", "home"), "X-Robots-Tag", "noindex, nofollow")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: tt.home}, func(s *testkit.Site) {
				for range 3 {
					s.Visit("/", "/a")
					time.Sleep(time.Minute)
				}
				if hints := s.Stats().Hints; len(hints) != 1 || !strings.Contains(hints[0], tt.hint) {
					s.Errorf("hints: %q", hints)
				}
				var o inspect.Overview
				base.Check(s, json.Unmarshal([]byte(owner(s)("stats.json")), &o))
				for _, g := range o.Reasons {
					if g.Care != messages.Look {
						s.Errorf("%+v", g)
					}
				}
			})
			testkit.Run(t, testkit.Setup{Handler: tt.home}, func(s *testkit.Site) {
				_, _ = s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s})
				if hints := s.Stats().Hints; len(hints) != 1 || !strings.Contains(hints[0], tt.hint) {
					s.Errorf("once explored: %q", hints)
				}
			})
		})
	}
}

// What exploring leaves out is in one table, with an example and a remedy, in its result, in Stats and in the log.
func TestWhatIsLeftOutHasItsCauseExampleAndRemedy(t *testing.T) {
	for _, tt := range []struct {
		name, link, cause, example, remedy string
		silent                             bool // the log names no example
	}{
		{"a query", "/view?id=7", "query", "", "Options.Query", false},
		{"a query without a value", "/view?print", "query", "/view?print", "Options.Query", false},
		{"two slashes", "/a//b", "segment", "/a//b", "another address", false},
		{"an escaped slash", "/a%2Fb", "escape", "/a%2Fb", "another address", false},
		{"a session", "/a/jsessionid=12AB", "path-param", "/a/jsessionid=12AB", "another address", true},
		{"an e-mail address", "/u/jane@example.org", "email", "/u/jane@example.org", "another address", true},
		{"too long", "/" + strings.Repeat("a", 2040), "too-long", "/aaa", "another address", false},
		{"an action", "/posts/5/delete", "acting", "https://example.com/posts/5/delete", "Always rule", false},
		{"an action with a query", "/cart/add?id=k3J9xQ2vT7", "acting", "https://example.com/cart/add?id=k3J9xQ2vT7",
			"Always rule", true},
		{"an action for who has its address", "/unsubscribe/k3J9xQ2vT7", "acting",
			"https://example.com/unsubscribe/k3J9xQ2vT7", "Always rule", true},
		{"nofollow", `/n" rel="nofollow`, "nofollow", "https://example.com/n", "Remove that", false},
		{"a rule", "/never/x", "rule-never", "https://example.com/never/x", "", false},
		{"robots.txt", "/private/x", "disallowed", "https://example.com/private/x", "Allow", false},
		{"a redirect to www", "/www", "off-site", "https://example.com/www",
			"Give the host where visitors end as the origin", false},
		{"a page that breaks off", "/half", "failed", "https://example.com/half", "See its log", false},
	} {
		h := testkit.Paths{"/": testkit.Page("home", tt.link, "/ok"), "/ok": testkit.Page("ok"),
			"/view?id=7": testkit.Page("seven"),
			"/www":       moved(http.StatusMovedPermanently, "https://www.example.com/www"), "/half": half,
		}
		opts := servemap.Options{
			Rules:  []servemap.Rule{{Pattern: "/never/", List: servemap.DecisionNever}},
			Robots: "User-agent: *\nDisallow: /private/",
		}
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: h, Options: opts}, func(s *testkit.Site) {
				done := explore(s, servemap.ExploreOptions{})
				for from, table := range map[string][]servemap.LeftOut{"Exploration": done.LeftOut(), "Stats": s.Stats().LeftOut} {
					found := false
					for _, l := range table {
						found = found || l.Cause == tt.cause && l.Count == 1 && strings.HasPrefix(l.Example, tt.example) &&
							l.Means != "" && strings.Contains(l.Remedy, tt.remedy)
					}
					if !found {
						s.Errorf("%s has %+v", from, table)
					}
				}
				s.Shut()
				log := s.Logged.String()
				if !strings.Contains(log, "cause="+tt.cause) || tt.silent && strings.Contains(log, tt.link) ||
					!tt.silent && tt.example != "" && !strings.Contains(log, `"such as"=`+tt.example) {
					s.Errorf("the log says %s", log)
				}
			})
		})
	}
}

// What exploring left out is counted by addresses, as all else is: in the table, and in what the inspector shows.
func TestEachAddressThatIsLeftOutIsCountedOnce(t *testing.T) {
	links := append(times(12, "/cart/add?id=%d"), "/cart", "/logout", "/tea?sort=price", "/tea?cat=black", "/missing",
		"/tea",
		"/secret/x")
	h := testkit.Paths{"/": testkit.Page("home", links...), "/tea": testkit.Page("tea", links...)}
	opts := servemap.Options{Robots: "User-agent: *\nDisallow: /secret/"}
	testkit.Run(t, testkit.Setup{Handler: h, Options: opts}, func(s *testkit.Site) {
		s.Visit("/", "/secret/x")
		explore(s, servemap.ExploreOptions{})
		want := map[string]int{"acting": 14, "query-not-canonical": 2, "no-page": 1, "disallowed": 1}
		for _, when := range []string{"after exploring", "after a restart"} {
			got := map[string]int{}
			for _, l := range s.Stats().LeftOut {
				got[l.Cause] += l.Count
			}
			if !maps.Equal(got, want) {
				s.Errorf("%s the table has %v, want %v", when, got, want)
			}
			var o inspect.Overview
			base.Check(s, json.Unmarshal([]byte(owner(s)("stats.json")), &o))
			for _, g := range o.Reasons {
				if n := want[g.Reason]; g.Care != messages.Fine && n != g.Pages {
					s.Errorf("%s the inspector counts %d for %s, the table %d", when, g.Pages, g.Reason, n)
				}
			}
			s.Restart()
			s.Settle()
			time.Sleep(time.Minute) // all records were counted
		}
	})
}

// A hint says what is read of a page, and that nobody may store pages beside a public entry.
func TestHintsSayWhatIsNotReadOfPages(t *testing.T) {
	long := func(w http.ResponseWriter, r *http.Request) {
		testkit.Reply(http.StatusOK, "<title>long</title><p>"+strings.Repeat("<b>x</b> ", 300_000)+
			"<a href=/late>late</a>")(w, r)
	}
	for _, tt := range []struct {
		name string
		home http.HandlerFunc
		hint string
	}{
		{"links behind two megabytes", long, "longer than the 2 MiB"},
		{"more than 5,000 links", testkit.Page("home", times(5_001, "/a%d")...), "5,000 links"},
		{"a page of no special length", testkit.Page("home", times(50, "/a%d")...), ""},
		{"a public entry, and the rest is not to be stored", testkit.Page("home", times(8, "/no-store/%d")...), "no-store"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/":
					tt.home(w, r)
				case strings.HasPrefix(r.URL.Path, "/no-store/"):
					testkit.Reply(http.StatusOK, testkit.HTML("", r.URL.Path), "Cache-Control", "no-store")(w, r)
				default:
					http.NotFound(w, r)
				}
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				for range 5 {
					s.Visit("/")
					for i := range 8 * strings.Count(tt.hint, "no-store") {
						s.Get(fmt.Sprintf("/no-store/%d", i+1))
					}
					s.Settle()
					time.Sleep(2 * time.Minute)
				}
				if hints := strings.Join(s.Stats().Hints, "\n"); tt.hint == "" && hints != "" || !strings.Contains(hints, tt.hint) {
					s.Errorf("hints: %s; %v %v", hints, s.Stats().Verdicts, s.Stats().Ignored)
				}
			})
		})
	}
}

// A rule that keeps no page out may be misspelt, so the overview names it as long as it does not.
func TestRuleThatKeepsNoPageOutIsNamed(t *testing.T) {
	for pattern, want := range map[string]bool{"/calender/": true, "/b": false} {
		t.Run(pattern, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				testkit.Reply(http.StatusOK, testkit.HTML("", r.URL.Path, "/b"))(w, r)
			})
			opts := servemap.Options{Rules: []servemap.Rule{{Pattern: pattern, List: servemap.DecisionNever}}}
			testkit.Run(t, testkit.Setup{Handler: h, Options: opts}, func(s *testkit.Site) {
				s.Visit("/", "/b")
				s.Settle()
				for _, view := range []string{"", "stats.json"} {
					w := httptest.NewRecorder()
					s.Inspector(everybody).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/inspect/"+view, nil))
					says := w.Body.String()
					if strings.Contains(says, "Nothing is kept out yet by a Never rule: "+pattern+".") != want {
						s.Errorf("%s", says)
					}
				}
			})
		})
	}
}
