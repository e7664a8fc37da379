package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// A handler may need what another part of the server adds to each request, such as a session. The site does not add
// that to its own, so there visitors decide.
func TestPagesThatTheSiteCannotGetItselfAreLearnedFromVisitors(t *testing.T) {
	type session struct{}
	for name, needs := range map[string]func(path string) bool{
		"each page":                func(string) bool { return true },
		"all pages but the entry":  func(path string) bool { return path != "/" },
		"one page, in a recovery":  func(path string) bool { return path == "/a" },
		"none, since they are off": nil,
	} {
		t.Run(name, func(t *testing.T) {
			site := testkit.Paths{"/": testkit.Page("home", "/a", "/b"), "/a": testkit.Page("a"), "/b": testkit.Page("b")}
			mount := func(s *servemap.Site) http.Handler {
				inside := s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if needs != nil && needs(r.URL.Path) && r.Context().Value(session{}) == nil {
						if name != "one page, in a recovery" {
							panic("no session in the context")
						}
						http.Error(w, "no session in the context", http.StatusInternalServerError)
						return
					}
					site.ServeHTTP(w, r)
				}))
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					inside.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), session{}, true)))
				})
			}
			opts := servemap.Options{}
			if needs == nil {
				opts.Limits.Looks = -1
			}
			testkit.Run(t, testkit.Setup{Options: opts, Mount: mount}, func(s *testkit.Site) {
				for range 3 {
					s.Visit("/", "/a", "/b")
					s.From("203.0.113.9", "/a", "Cookie", "sid=1")
					time.Sleep(time.Hour)
				}
				s.WantListed("/", "/a", "/b")
				synctest.Wait() // the site may be looking at the page
				site["/a"] = testkit.Page("a, which is another page now, with a sentence that nobody has read before")
				s.Visit("/a")
				time.Sleep(time.Hour)
				s.Visit("/a")
				if s.LastMods()["/a"] == "" || s.LastMods()["/b"] != "" {
					s.Errorf("the dates are %q", s.LastMods())
				}
				synctest.Wait() // the site may be looking at the page
				site["/b"] = testkit.Reply(http.StatusOK, testkit.HTML("<meta name=robots content=noindex>", "b"))
				for range 26 {
					s.Visit("/b")
					time.Sleep(time.Hour)
				}
				s.WantListed("/", "/a")
			})
		})
	}
}

// A look in this process must ask as visitors' requests come in. Where it cannot, there is none.
func TestPagesStayHoweverRequestsComeIn(t *testing.T) {
	pages := testkit.Paths{"/": testkit.Page("home", "/docs/a", "/docs/b"), "/a": testkit.Page("a"),
		"/b": testkit.Page("b")}
	shift := func(w http.ResponseWriter, r *http.Request) { // as routers that walk along the path do
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/docs")
		pages.ServeHTTP(w, r)
	}
	for name, mount := range map[string]func(s *servemap.Site) http.Handler{
		"a router changes the path in place": func(s *servemap.Site) http.Handler { return s.Wrap(http.HandlerFunc(shift)) },
		"the path is changed before": func(s *servemap.Site) http.Handler {
			inside := s.Wrap(pages)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.URL.Path = strings.TrimPrefix(r.URL.Path, "/docs")
				inside.ServeHTTP(w, r)
			})
		},
		"each request is wrapped": func(s *servemap.Site) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				s.Wrap(http.HandlerFunc(shift)).ServeHTTP(w, r)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: mount}, func(s *testkit.Site) {
				for range 5 {
					s.Visit("/", "/docs/a", "/docs/b")
					time.Sleep(time.Hour)
				}
				s.WantListed("/", "/docs/a", "/docs/b")
			})
		})
	}
}

// Each page has a box to log in, and a line that is another one each time. After a restart nobody visits the start
// page.
func TestBoxToLogInTakesNoPageAwayAfterARestart(t *testing.T) {
	for _, tt := range []struct {
		name, home, says string
	}{
		{"the start page is there", "/", strings.Repeat(paragraph(3), 4)},
		{"it redirects", "/de/", strings.Repeat(paragraph(3), 4)},
		{"only pages that say little are visited", "/", "We sell it by the bag."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := []string{tt.home, "/imprint"}
			for _, noun := range nouns[:4] {
				all = append(all, "/p/"+noun)
			}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				at := r.URL.Path
				if at == "/" && tt.home != at {
					http.Redirect(w, r, tt.home, http.StatusFound)
					return
				}
				text := tt.says
				if at == "/imprint" {
					text = strings.Repeat(paragraph(4), 4)
				}
				text = fmt.Sprintf("<h1>%s</h1><p>%s<p>Seen %d times<form><input type=password></form>", at, text, rand.Int())
				testkit.Page(text, all...)(w, r)
			})
			looked := servemap.Options{Limits: servemap.Limits{Looks: 10}} // under the race detector too: nothing of h changes
			testkit.Run(t, testkit.Setup{Handler: h, Options: looked}, func(s *testkit.Site) {
				s.Visit("/")
				s.Visit(all...)
				s.Visit(all...)
				time.Sleep(2 * time.Minute)
				s.Visit(all...)
				s.WantListed(all...)
				s.Restart()
				for range 30 {
					s.Visit(all[2:]...)
					time.Sleep(time.Hour)
				}
				s.WantListed(all...)
			})
		})
	}
}
