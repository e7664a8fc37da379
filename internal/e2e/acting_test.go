package e2e

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// rows returns the lines of a file in testdata that are no comments.
func rows(t *testing.T, name string) (all []string) {
	text, err := os.ReadFile("testdata/" + name)
	base.Check(t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// homeOf returns a site whose home page has these links.
func homeOf(links []string, asked *sync.Map) http.HandlerFunc {
	home := testkit.Page("home", links...)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && r.URL.RawQuery == "" {
			home(w, r)
			return
		}
		asked.Store(r.RequestURI, true)
		testkit.Page("about "+r.RequestURI)(w, r)
	}
}

// The rules were made by the rows with an odd number of each file. The others were kept aside.
func TestLinksThatActAreNotRequestedAndPagesAre(t *testing.T) {
	for _, tt := range []struct {
		file  string
		wrong [2]int // rows of each half that are requested although they act, or not listed although they are pages
	}{
		{"acting.txt", [2]int{6, 6}},
		{"content.txt", [2]int{0, 0}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			links, asked := rows(t, tt.file), new(sync.Map)
			testkit.Run(t, testkit.Setup{Handler: homeOf(links, asked)}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				listed := s.LastMods()
				var wrong [2]int
				for i, link := range links {
					if _, requested := asked.Load(link); requested && tt.file == "acting.txt" ||
						tt.file == "content.txt" && !contains(listed, link) {
						wrong[i%2]++
						if i%2 == 0 {
							s.Log(link)
						}
					}
				}
				if wrong != tt.wrong {
					s.Errorf("%v of %d rows are treated wrongly, want %v", wrong, len(links), tt.wrong)
				}
			})
		})
	}
}

// Each address counts, as everywhere, and one of each shape has its name.
func TestReportNamesEachShapeOfActingLinksOnce(t *testing.T) {
	var links []string
	for i := range 500 {
		links = append(links, "/list?action=delete&id="+strconv.Itoa(i), "/items/"+strconv.Itoa(i)+"/hide",
			"/delete/"+strconv.Itoa(i))
	}
	testkit.Run(t, testkit.Setup{Handler: homeOf(append(links, "/logout"), new(sync.Map))}, func(s *testkit.Site) {
		done, origin := explore(s, servemap.ExploreOptions{}), "https://example.com"
		want := []string{origin + "/items/0/hide", origin + "/delete/0", origin + "/logout",
			origin + "/list?action=delete&id=0"}
		if done.Skipped["acting"] != len(links)+1 || !slices.Equal(done.Acting, want) {
			s.Errorf("the report has %v and %q, want %q", done.Skipped, done.Acting, want)
		}
	})
}

// The only one of its kind may be asked for, and be listed. That does not make the next ones pages.
func TestWordBelowAThingIsNoPageForWhatExploringGot(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/users/ann/follow")}
	site["/users/ann/follow"] = testkit.Page("you follow ann", "/next")
	site["/next"] = func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(8 * time.Second) // so that what was got is listed
		testkit.Page("others", "/users/bob/follow")(w, r)
	}
	site["/users/bob/follow"] = func(http.ResponseWriter, *http.Request) { t.Error("it asked for a control") }
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) { explore(s, servemap.ExploreOptions{}) })
}

// madeUp matches the addresses by which Explore finds out what a site shows where it has no page.
var madeUp = regexp.MustCompile(`^/[a-z2-7]{12}$`)

// What a link or robots.txt says against a visit counts, whatever the address.
func TestLinksThatAreMarkedAreNotRequested(t *testing.T) {
	asked := new(sync.Map)
	home := testkit.Reply(http.StatusOK, `<title>home</title><a href="/a">a</a> <a href="/b" rel="nofollow">b</a> <a href="/c" data-method="delete">c</a>
		<a href="/d" onclick="return confirm('Sure?')">d</a> <a href="/private/e">e</a> <a href="/f?x=">f</a>`)
	h := func(w http.ResponseWriter, r *http.Request) {
		switch asked.Store(r.RequestURI, true); r.URL.Path {
		case "/":
			home(w, r)
		case "/robots.txt":
			testkit.Reply(http.StatusOK, "User-agent: *\nDisallow: /private/\n", "Content-Type", "text/plain")(w, r)
		default:
			testkit.Page(r.URL.Path)(w, r)
		}
	}
	testkit.Run(t, testkit.Setup{Handler: http.HandlerFunc(h)}, func(s *testkit.Site) {
		done := explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/a")
		asked.Range(func(path, _ any) bool {
			if path != "/" && path != "/a" && path != "/robots.txt" && path != "/sitemap.xml" &&
				!madeUp.MatchString(path.(string)) {
				s.Errorf("it asked for %s", path)
			}
			return true
		})
		if skipped := done.Skipped; skipped["acting"] != 2 || skipped["nofollow"] != 1 || skipped["disallowed"] != 1 ||
			skipped["query"] != 1 {
			s.Errorf("skipped: %v", skipped)
		}
	})
}
