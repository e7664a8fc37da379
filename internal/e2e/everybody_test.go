package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// guarded serves a site that a test changes while it holds mu.
func guarded(mu *sync.Mutex, site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		site.ServeHTTP(w, r)
	})
}

// On some sites everybody has a session cookie, so that no visitor's answer counts. Once such a site was explored, also
// only by the owner's word, it looks itself at what they ask for.
func TestSiteWhereEverybodyHasASessionLearnsFromItsOwnLooks(t *testing.T) {
	session := []string{"Cookie", "session=8f14e45fceea167a5a36dedd4bea2543"}
	for _, tt := range []struct {
		name    string
		changes map[string]http.HandlerFunc // after the site was explored
		visits  []string
		listed  []string
		moves   string // whose date does
	}{
		{"a post that the home page links to", testkit.Paths{"/": testkit.Page("home", "/news", "/post"),
			"/post": testkit.Page("a post")}, []string{"/"}, []string{"/", "/news", "/post"}, ""},
		{"a post that another page links to", testkit.Paths{"/news": testkit.Page("news", "/post"),
			"/post": testkit.Page("a post")}, []string{"/news"}, []string{"/", "/news", "/post"}, ""},
		{"a post that leads on", testkit.Paths{"/": testkit.Page("home", "/news", "/post"),
			"/post": testkit.Page("a post", "/more"), "/more": testkit.Page("more")}, []string{"/"}, []string{"/", "/more",
			"/news", "/post"}, ""},
		{"an edited page", testkit.Paths{"/news": testkit.Page("other news of today")}, []string{"/news"},
			[]string{"/", "/news"}, "/news"},
		{"a page that says noindex", testkit.Paths{"/news": testkit.Reply(http.StatusOK,
			testkit.HTML("<meta name=robots content=noindex>", "news"))}, []string{"/news"}, []string{"/"}, ""},
		{"a page that is for one visitor", testkit.Paths{"/": testkit.Page("home", "/news", "/mine"),
			"/mine": func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Cookie") == "" {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				testkit.Page("your orders")(w, r)
			}}, []string{"/", "/mine"}, []string{"/", "/news"}, ""},
		{"a page that nothing links to", testkit.Paths{"/draft": testkit.Page("a draft")}, []string{"/draft"},
			[]string{"/", "/news"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			site := testkit.Paths{"/": testkit.Page("home", "/news"), "/news": testkit.Page("news")}
			testkit.Run(t, testkit.Setup{Handler: guarded(&mu, site), Options: servemap.Options{
				Limits: servemap.Limits{Looks: 1000}}}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				time.Sleep(26 * time.Hour)
				before := s.LastMods()[tt.moves]
				mu.Lock()
				for path, h := range tt.changes {
					site[path] = h
				}
				mu.Unlock()
				for range 3 {
					for _, path := range tt.visits {
						s.Get(path, session...)
					}
					s.Settle()
					time.Sleep(time.Hour)
				}
				s.WantListed(tt.listed...)
				if after := s.LastMods()[tt.moves]; tt.moves != "" && after == before {
					s.Errorf("the date of %s stays %s", tt.moves, after)
				}
			})
		})
	}
}

// A page that changes each day, which only visitors with sessions get, is looked at as often as it changes.
func TestDatesMoveWhereEverybodyHasASession(t *testing.T) {
	var mu sync.Mutex
	day := 0
	site := testkit.Paths{"/": testkit.Page("home", "/daily"), "/daily": func(w http.ResponseWriter, r *http.Request) {
		testkit.Page(fmt.Sprint("The paper of ", nouns[day%20], ": ", paragraph(day)))(w, r)
	}}
	testkit.Run(t, testkit.Setup{Handler: guarded(&mu, site), Options: servemap.Options{
		Limits: servemap.Limits{Looks: 1000}}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		dates := map[string]bool{}
		for range 10 {
			for range 12 {
				time.Sleep(2 * time.Hour)
				s.Get("/daily", "Cookie", "session=8f14e45fceea167a5a36dedd4bea2543")
				s.Settle()
			}
			dates[s.LastMods()["/daily"]] = true
			mu.Lock()
			day++
			mu.Unlock()
		}
		if len(dates) < 9 {
			s.Errorf("%d dates in ten days: %v", len(dates), dates)
		}
	})
}

// The same through a real origin, which gives everybody a session: a stranger gets what is behind it, and its changes.
func TestLooksGoThroughTheOriginWhereEverybodyHasASession(t *testing.T) {
	var mu sync.Mutex
	site := testkit.Paths{"/": testkit.Page("home", "/news"), "/news": testkit.Page("news"),
		"/mine": testkit.Page("your orders")}
	f := behind(t, guarded(&mu, site), func(pass http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/mine" && r.Header.Get("Cookie") == "" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			w.Header().Add("Set-Cookie", "session=1")
			pass.ServeHTTP(w, r)
		})
	})
	f.explored()
	f.wantListed("/", "/news")
	mu.Lock()
	site["/"] = testkit.Page("home", "/news", "/post", "/mine")
	site["/news"], site["/post"] = testkit.Page("what is new today"), testkit.Page("a post")
	mu.Unlock()
	f.visit("Cookie", "session=1", "/", "/news", "/mine")
	f.wantListed("/", "/news", "/post")
	if e, err := f.Explain(t.Context(), "/news"); err != nil || e.LastModified.IsZero() {
		t.Errorf("the change of /news has no date: %v", err)
	}
}
