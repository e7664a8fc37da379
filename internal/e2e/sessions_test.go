package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// A page is published after the site was explored. A link to it is read, but all who ask for it have a session cookie,
// so that they teach nothing.
func TestPublishedPagesAreListedThoughNoStrangerAsksForThem(t *testing.T) {
	session := []string{"Cookie", "session=8f14e45fceea167a5a36dedd4bea2543"}
	for _, tt := range []struct {
		name   string
		links  []string // that a page has then
		listed []string
		most   int // requests for each of the others, in two days
	}{
		{"a post", []string{"/post"}, []string{"/post"}, 0},
		{"many posts", times(40, "/posts/%d"), times(40, "/posts/%d"), 0},
		{"a broken link", []string{"/broken"}, nil, 3},
		{"a post that is only for some", []string{"/private"}, nil, 3},
		{"what acts, what the owner keeps out, what robots.txt disallows", []string{"/posts/5/delete", "/logout", "/never",
			"/hidden"}, nil, 0},
		{"a picture", []string{"/a.jpg"}, nil, 3},
		{"a post that leads on to another one", []string{"/first"}, []string{"/first", "/second"}, 0},
		{"an old address of a post", []string{"/old"}, []string{"/post"}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			asked, links := map[string]int{}, []string{"/news"}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				asked[r.URL.Path]++
				switch n := 0; {
				case r.URL.Path == "/":
					testkit.Page("home", links...)(w, r)
				case r.URL.Path == "/news", r.URL.Path == "/post", r.URL.Path == "/second", r.URL.Path == "/never",
					r.URL.Path == "/hidden", r.URL.Path == "/logout":
					testkit.Page("the page of "+nouns[len(r.URL.Path)]+r.URL.Path)(w, r)
				case r.URL.Path == "/first":
					testkit.Page("the first of two", "/second")(w, r)
				case r.URL.Path == "/old":
					moved(http.StatusMovedPermanently, "/post")(w, r)
				case r.URL.Path == "/private":
					moved(http.StatusFound, "/login?to=/private")(w, r)
				case r.URL.Path == "/a.jpg":
					file("image/jpeg")(w, r)
				case scan(r.URL.Path, "/posts/%d", &n):
					testkit.Page(fmt.Sprint("A post of ", paragraph(n), nouns[n%20], adjectives[n/20]))(w, r)
				default:
					http.NotFound(w, r)
				}
			})
			opts := servemap.Options{
				Robots: "User-agent: *\nDisallow: /hidden\n", Rules: []servemap.Rule{
					{Pattern: "/never", List: servemap.DecisionNever}},
				Limits: servemap.Limits{Looks: 1000},
			}
			testkit.Run(t, testkit.Setup{Handler: h, Options: opts}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				s.WantListed("/", "/news")
				time.Sleep(time.Hour)
				mu.Lock()
				links = append(links, tt.links...)
				clear(asked)
				mu.Unlock()
				s.Get("/")
				if tt.links[0] == "/post" {
					s.Get("/post", session...)
				}
				s.Settle()
				time.Sleep(2 * time.Minute)
				s.WantListed(append(tt.listed, "/", "/news")...)
				for range 48 {
					time.Sleep(time.Hour)
					s.Get("/")
					s.Settle()
				}
				s.WantListed(append(tt.listed, "/", "/news")...)
				mu.Lock()
				defer mu.Unlock()
				for _, link := range tt.links {
					if len(tt.listed) == 0 && asked[link] > tt.most || len(tt.listed) > 0 && asked[link] == 0 {
						s.Errorf("%s was asked for %d times", link, asked[link])
					}
				}
			})
		})
	}
}

// Status and Explain agree about the first page of a calendar that exploring did not ask for.
func TestExplainSaysThatExploringLeftACalendar(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, is := strings.CutPrefix(r.URL.Path, "/calendar/"); is {
			testkit.Page("Nothing is on in month "+rest[5:]+" of "+rest[:4]+".",
				day(rest, "2006/01").AddDate(0, 1, 0).Format("/calendar/2006/01"))(w, r)
			return
		}
		testkit.Page("home", "/calendar/2026/12")(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Limits: servemap.Limits{Looks: -1}}},
		func(s *testkit.Site) {
			done := explore(s, servemap.ExploreOptions{})
			first := done.Examples["endless"]
			if e := s.Explained(strings.TrimPrefix(first, "https://example.com")); !strings.Contains(e.Text,
				"others of its kind") {
				s.Errorf("%s: %s", first, e.Text)
			}
		})
}

// A calendar whose pages link on without end is given up after a while, as Explore does.
func TestPagesWithoutEndThatNoStrangerAsksForAreLeft(t *testing.T) {
	var mu sync.Mutex
	asked, links := 0, []string{"/news"}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		rest, is := strings.CutPrefix(r.URL.Path, "/calendar/")
		switch {
		case r.URL.Path == "/":
			testkit.Page("home", links...)(w, r)
		case is:
			asked++
			testkit.Page(day(rest, "2006-01-02").Format("Monday, 2 January 2006"),
				day(rest, "2006-01-02").AddDate(0, 0, 1).Format("/calendar/2006-01-02"))(w, r)
		default:
			testkit.Page("news")(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Limits: servemap.Limits{Looks: 1000}}},
		func(s *testkit.Site) {
			explore(s, servemap.ExploreOptions{})
			mu.Lock()
			links = append(links, "/calendar/2026-11-28")
			mu.Unlock()
			for range 200 {
				time.Sleep(10 * time.Minute)
				s.Get("/")
				s.Settle()
			}
			mu.Lock()
			defer mu.Unlock()
			if asked < 2 || asked > 100 {
				s.Errorf("%d requests", asked)
			}
			s.Logf("%d requests", asked)
		})
}
