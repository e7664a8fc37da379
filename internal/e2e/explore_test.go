package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// explore explores a site inside. It fails the test if the exploration ends too early.
func explore(s *testkit.Site, opts servemap.ExploreOptions) servemap.Exploration {
	s.Helper()
	opts.Inside = s
	done, err := s.Explore(s.Context(), &opts)
	if err != nil {
		s.Errorf("exploring: %v", err)
	}
	return done
}

// serial is a handler that serves one request at a time.
type serial struct {
	sync.Mutex
	next func(http.ResponseWriter, *http.Request)
}

func (h *serial) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.Lock()
	defer h.Unlock()
	h.next(w, r)
}

// trap is a blog with everything that keeps crawlers busy, and links that really delete.
type trap struct {
	mu      sync.Mutex
	asked   []string
	deleted []string
}

const articles = 300

func (s *trap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.RequestURI())
	path, query := r.URL.Path, r.URL.Query()
	for _, word := range []string{"delete", "logout", "destroy"} {
		if strings.Contains(r.URL.RequestURI(), word) {
			s.deleted = append(s.deleted, r.URL.RequestURI())
		}
	}
	var n, m int
	switch {
	case path == "/":
		links := []string{"/calendar/2026/11", "/logout", "/private/", "/shop?color=red", "/posts?page=2"}
		for i := range 10 {
			links = append(links, "/article-"+strconv.Itoa(i+1))
		}
		testkit.Page("home", links...)(w, r)
	case path == "/posts":
		page, _ := strconv.Atoi(query.Get("page"))
		links := []string{"/posts?page=" + strconv.Itoa(page+1), "/posts?page=" + strconv.Itoa(page) + "&PHPSESSID=" + strconv.Itoa(len(s.asked))}
		for i := (page - 1) * 10; i < min(articles, page*10); i++ {
			links = append(links, "/article-"+strconv.Itoa(i+1))
		}
		if page*10 >= articles {
			links = links[1:]
		}
		testkit.Page(r.URL.RequestURI(), links...)(w, r)
	case path == "/shop": // facets: each page links to more of them
		links := []string{}
		for _, facet := range []string{"size", "brand", "price", "sort"} {
			links = append(links, r.URL.RequestURI()+"&"+facet+"="+strconv.Itoa(len(s.asked)%7))
		}
		testkit.Page(r.URL.RequestURI(), links...)(w, r)
	case scan(path, "/calendar/%d/%d", &n, &m): // endless in both directions
		next, before := n*12+m, n*12+m-2
		testkit.Page(path, fmt.Sprintf("/calendar/%d/%d", next/12, next%12+1), fmt.Sprintf("/calendar/%d/%d", before/12, before%12+1))(w, r)
	case scan(path, "/article-%d", &n):
		html := testkit.HTML("", path, "/", "/posts/"+strconv.Itoa(n)+"/delete", "/posts.php?action=delete&id="+strconv.Itoa(n), "/deletePost/"+strconv.Itoa(n))
		html = strings.Replace(html, "</main>", `<a href="/posts/`+strconv.Itoa(n)+`" data-method="delete">x</a><a href="/a/b/`+strconv.Itoa(n)+`" rel="nofollow">y</a></main>`, 1)
		testkit.Reply(http.StatusOK, html)(w, r)
	case path == "/robots.txt":
		io.WriteString(w, "User-agent: *\nDisallow: /private/\n")
	default:
		testkit.Page(path, "/")(w, r)
	}
}

// scan reads the numbers in a path of a form, such as "/article-%d".
func scan(path, format string, numbers ...any) bool {
	_, err := fmt.Sscanf(path+" .", format+" .", numbers...)
	return err == nil
}

func TestExploringASiteOfTrapsListsItsArticlesAndDeletesNothing(t *testing.T) {
	blog := new(trap)
	testkit.Run(t, testkit.Setup{Handler: blog}, func(s *testkit.Site) {
		done := explore(s, servemap.ExploreOptions{})
		if len(blog.deleted) > 0 {
			s.Errorf("it asked for %v", blog.deleted)
		}
		if len(blog.asked) >= 600 {
			s.Errorf("%d requests were made for %d articles", len(blog.asked), articles)
		}
		listed := s.LastMods()
		for i := range articles {
			if path := fmt.Sprintf("/article-%d", i+1); !contains(listed, path) {
				s.Errorf("%s is not listed", path)
			}
		}
		for _, asked := range blog.asked {
			if strings.HasPrefix(asked, "/private/") || strings.Contains(asked, "PHPSESSID") || strings.HasPrefix(asked, "/a/b/") {
				s.Errorf("it asked for %s", asked)
			}
		}
		if done.Waiting != 0 || done.State != nil || done.Requests != len(blog.asked)-1 { // one is for robots.txt
			s.Errorf("the exploration says %d requests, %d waiting; the site saw %d", done.Requests, done.Waiting, len(blog.asked))
		}
		if done.Skipped["acting"] == 0 || done.Skipped["query"] == 0 || done.Skipped["disallowed"] != 1 || done.Skipped["nofollow"] == 0 || len(done.Acting) == 0 {
			s.Errorf("skipped: %v, acting: %d", done.Skipped, len(done.Acting))
		}
		s.WantHints()
	})
}

func contains(mods map[string]string, path string) bool {
	_, ok := mods[path]
	return ok
}

func TestRuleLetsExploringFollowALinkThatMayAct(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules []servemap.Rule
		want  []string
	}{
		{"no rule", nil, []string{"/"}},
		{"a rule lists it", []servemap.Rule{{Pattern: "/logout", List: servemap.DecisionAlways}}, []string{"/", "/logout"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := testkit.Paths{"/": testkit.Page("home", "/logout"), "/logout": testkit.Page("how to log out")}
			testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Rules: tt.rules}}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				s.WantListed(tt.want...)
			})
		})
	}
}

func TestPageThatARuleNamesIsExploredWithoutALink(t *testing.T) {
	site := testkit.Paths{}
	for _, p := range []string{"/", "/landing", "/campaign/x", "/campaign/y", "/logout"} {
		site[p] = testkit.Page(p)
	}
	rules := []servemap.Rule{
		{Pattern: "/landing", List: servemap.DecisionAlways}, {Pattern: "/campaign/x$", List: servemap.DecisionAlways}, {Pattern: "/campaign/*", List: servemap.DecisionAlways},
		{Pattern: "/logout", List: servemap.DecisionAlways}, {Pattern: "/gone$", List: servemap.DecisionAlways},
	}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Rules: rules}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/landing", "/campaign/x")
	})
}

func TestExplorerTakesAPageThatIsLongerThanWhatIsReadOfIt(t *testing.T) {
	long := testkit.HTML("", "a long page") + strings.Repeat("and on it goes. ", 3<<16) // 3 MiB
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = io.WriteString(w, long)
		}
	}
	site := testkit.Paths{"/": testkit.Page("home", "/long", "/endless"), "/long": testkit.Reply(http.StatusOK, long), "/endless": endless}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/long")
	})
}

func TestExplorationObeysWhatRobotsTxtSays(t *testing.T) {
	for _, tt := range []struct {
		name   string
		robots http.HandlerFunc
		asked  int // how many pages
		fails  bool
	}{
		{"redirected", testkit.Reply(http.StatusMovedPermanently, "", "Location", "/static/robots.txt"), 1, false},
		{"not to be had", testkit.Reply(http.StatusInternalServerError, ""), 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := testkit.Paths{
				"/": testkit.Page("home", "/private/x"), "/private/x": testkit.Page("x"), "/robots.txt": tt.robots,
				"/static/robots.txt": testkit.Reply(http.StatusOK, "User-agent: *\nDisallow: /private/\n"),
			}
			testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
				if done, err := s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s}); (err != nil) != tt.fails || done.Requests != tt.asked || done.Skipped["disallowed"] != tt.asked {
					s.Errorf("%+v, %v", done, err)
				}
			})
		})
	}
}

func TestExplorerIsNobodyToTheSite(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/orphan-maker")}
	var got *http.Request
	site["/orphan-maker"] = func(w http.ResponseWriter, r *http.Request) {
		got = r
		testkit.Page("x")(w, r)
	}
	site["/panics"] = func(http.ResponseWriter, *http.Request) { panic("x") }
	site["/hangs"] = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	site["/"] = testkit.Page("home", "/orphan-maker", "/panics", "/hangs")
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		done := explore(s, servemap.ExploreOptions{})
		if got == nil || !servemap.Exploring(got) || got.Header.Get("User-Agent") != "servemap-explore" || got.Header.Get("Cookie") != "" || got.Host != "example.com" || got.TLS == nil {
			s.Errorf("the request was %+v", got)
		}
		if done.Skipped["failed"] != 2 {
			s.Errorf("skipped: %v, want two that failed", done.Skipped)
		}
		if n := s.Explained("/orphan-maker").Networks; n != 0 {
			s.Errorf("the explorer counts as %d networks", n)
		}
		if servemap.Exploring(&http.Request{}) {
			s.Error("any request is said to be an exploration's")
		}
	})
}

func TestExplainSaysWhatExploringLeftOutAndDidNotFind(t *testing.T) {
	site := testkit.Paths{
		"/":       testkit.Page("home", "/logout", "/shop?color=red", "/vote/5", "/items/5/panel", "/broken", "/locked", "/old", "/lists-by-rule/vote"),
		"/broken": testkit.Reply(http.StatusNotFound, "none"), "/locked": testkit.Reply(http.StatusForbidden, "no"),
		"/old": testkit.Reply(http.StatusMovedPermanently, "", "Location", "/broken"), "/lists-by-rule/vote": testkit.Reply(http.StatusNotFound, "none"),
	}
	rules := []servemap.Rule{{Pattern: "/lists-by-rule/", List: servemap.DecisionAlways}}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Rules: rules}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		for _, tt := range []struct{ location, text, missing string }{
			{"/logout", `an action ("logout"), so exploring does not ask for it`, `servemap.Rule{Pattern: "/logout$", List: servemap.DecisionAlways}`},
			{"/shop?color=red", "Its query has a parameter that is not allowed", "its canonical one"},
			{"/vote/5", `an action ("vote")`, "an anonymous visitor who gets a page there"},
			{"/items/5/panel", "because a request for an address with such a name may change something", `exploring, with servemap.Rule{Pattern: "/items/5/panel$"`},
			{"/broken", "the last request for it got 404", "who gets a page there"},
			{"/locked", "got 403", ""},
			{"/old", "got 301", ""},
			{"/lists-by-rule/vote", "got 404", ""},
		} {
			e := s.Explained(tt.location)
			if e.Verdict != servemap.VerdictWaiting || !strings.Contains(e.Text, tt.text) || !strings.Contains(strings.Join(e.Missing, "\n"), tt.missing) {
				s.Errorf("%s is %s: %s Missing: %q", tt.location, e.Verdict, e.Text, e.Missing)
			}
		}
	})
}
