package e2e

import (
	"fmt"
	"io"
	"net/http"
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

// scan reads the numbers in a path of a form, such as "/article-%d".
func scan(path, format string, numbers ...any) bool {
	_, err := fmt.Sscanf(path+" .", format+" .", numbers...)
	return err == nil
}

func contains(mods map[string]string, path string) bool {
	_, ok := mods[path]
	return ok
}

// A rule that lists a page is as good as a link to it, but where a request may act: there it takes both.
func TestPageThatARuleListsIsExplored(t *testing.T) {
	site := testkit.Paths{}
	for _, p := range []string{"/landing", "/campaign/x", "/campaign/y", "/logout", "/signout"} {
		site[p] = testkit.Page(p)
	}
	site["/"] = testkit.Page("home", "/signout")
	rules := []servemap.Rule{
		{Pattern: "/landing", List: servemap.DecisionAlways}, {Pattern: "/campaign/x$", List: servemap.DecisionAlways},
		{Pattern: "/campaign/*", List: servemap.DecisionAlways},
		{Pattern: "/logout", List: servemap.DecisionAlways}, {Pattern: "/signout", List: servemap.DecisionAlways},
		{Pattern: "/gone$", List: servemap.DecisionAlways},
	}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Rules: rules}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/landing", "/campaign/x", "/signout")
	})
}

func TestExplorerTakesAPageThatIsLongerThanWhatIsReadOfIt(t *testing.T) {
	long := testkit.HTML("", "a long page") + strings.Repeat("and on it goes. ", 3<<16) // 3 MiB
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = io.WriteString(w, long)
		}
	}
	site := testkit.Paths{"/": testkit.Page("home", "/long", "/endless"), "/long": testkit.Reply(http.StatusOK, long),
		"/endless": endless}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		done := explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/long")
		base.EqualLists(s, done.Links["large"], []string{"https://example.com/endless"}, "too large")
	})
}

func TestLinkThatAnotherPageFollowsIsNotLeftOut(t *testing.T) {
	page := func(text string) http.HandlerFunc { return testkit.Reply(http.StatusOK, text) }
	h := testkit.Paths{
		"/": page("<title>Home</title><p>What there is.<a href=/b rel=nofollow>b</a><a href=/shy>shy</a>" +
			"<a href=/a>a</a><a href=/alone rel=nofollow>alone</a><a href=/logout rel=nofollow>Log out</a>"),
		"/shy": page("<title>Shy</title><meta name=robots content=nofollow><p>It leads on.<a href=/a>a</a><a href=/c>c</a>"),
		"/a": page("<title>Last</title><p>It has more links.<a href=/b>b</a><a href=/shy rel=nofollow>shy</a>" +
			"<a href=/logout>Log out</a>"), // which may act, so it is not asked for here either
		"/b": testkit.PageOfItsURL(), "/c": testkit.PageOfItsURL(), "/alone": testkit.PageOfItsURL(),
	}
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		done := explore(s, servemap.ExploreOptions{Concurrency: 1})
		s.WantListed("/", "/a", "/b", "/shy")
		const at = "https://example.com"
		if got := done.Links["nofollow"]; done.Skipped["nofollow"] != 3 || !slices.Equal(got, []string{at + "/alone",
			at + "/logout", at + "/shy"}) {
			s.Errorf("%d say nofollow: %v", done.Skipped["nofollow"], got)
		}
	})
}

func TestExplorationThatIsCutCountsEachAddressOnce(t *testing.T) {
	paths := numbered("/p%02d", 80)
	h := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			fmt.Fprint(w, "Sitemap: /map.txt")
		case r.URL.Path == "/map.txt":
			for _, p := range paths {
				fmt.Fprintf(w, "https://example.com%s\n", p)
			}
		case r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/p"):
			http.NotFound(w, r)
		default:
			testkit.PageOfItsURL(paths...)(w, r)
		}
	}
	testkit.Run(t, testkit.Setup{Handler: http.HandlerFunc(h)}, func(s *testkit.Site) {
		if done := explore(s, servemap.ExploreOptions{MaxRequests: 10}); done.Waiting != 71 || len(done.Skipped) > 0 {
			s.Errorf("%d wait, and left out are %v", done.Waiting, done.Skipped)
		}
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
				if done, err := s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s}); (err != nil) != tt.fails ||
					done.Requests != tt.asked || done.Skipped["disallowed"] != tt.asked {
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
		if got == nil || !servemap.Exploring(got) || got.Header.Get("User-Agent") != "servemap-explore" ||
			got.Header.Get("Cookie") != "" || got.Host != "example.com" || got.TLS == nil {
			s.Errorf("the request was %+v", got)
		}
		if done.Skipped["failed"] != 2 {
			s.Errorf("skipped: %v, want two that failed", done.Skipped)
		}
		if servemap.Exploring(&http.Request{}) {
			s.Error("any request is said to be an exploration's")
		}
	})
}

func TestExplainSaysWhatExploringLeftOutAndDidNotFind(t *testing.T) {
	site := testkit.Paths{
		"/": testkit.Page("home", "/logout", "/search?color=red", "/vote/5", "/items/5/panel", "/broken", "/locked",
			"/old", "/lists-by-rule/vote"),
		"/broken": testkit.Reply(http.StatusNotFound, "none"), "/locked": testkit.Reply(http.StatusForbidden, "no"),
		"/old":                testkit.Reply(http.StatusMovedPermanently, "", "Location", "/broken"),
		"/lists-by-rule/vote": testkit.Reply(http.StatusNotFound, "none"),
	}
	rules := []servemap.Rule{{Pattern: "/lists-by-rule/", List: servemap.DecisionAlways}}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Rules: rules}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		for _, tt := range []struct{ location, text, missing string }{
			{"/logout", `Exploring leaves it out, because a request for an address with such a name may change something. The word is "logout".`, `servemap.Rule{Pattern: "/logout$", List: servemap.DecisionAlways}`},
			{"/search?color=red", "Its query has a parameter that Options.Query does not name", "its canonical one"},
			{"/vote/5", `The word is "vote".`, "a visit, with servemap.Rule{"},
			{"/items/5/panel", "because a request for an address with such a name may change something",
				`exploring, with servemap.Rule{Pattern: "/items/5/panel$"`},
			{"/broken", "the last request for it got 404", "who gets a page there"},
			{"/locked", "got 403", ""},
			{"/old", "got 301", ""},
			{"/lists-by-rule/vote", "got 404", ""},
		} {
			e := s.Explained(tt.location)
			if e.Verdict != servemap.VerdictWaiting || !strings.Contains(e.Text, tt.text) ||
				!strings.Contains(strings.Join(e.Missing, "\n"), tt.missing) {
				s.Errorf("%s is %s: %s Missing: %q", tt.location, e.Verdict, e.Text, e.Missing)
			}
		}
	})
}

// A parameter that selects nothing beside others, holds a session or acts is not for the sitemap; one that makes pages
// is told with all of them, also where no other link leads to its path.
func TestParametersThatMakeNoPageAreNotCounted(t *testing.T) {
	links := append([]string{"/print.php?id=1", "/product.php?id=4&ref=home", "/article.php?id=3&PHPSESSID=abcdef"},
		times(5, "/product.php?id=%d")...)
	links = append(append(links, times(4, "/article.php?id=%d")...), times(5, "/cart.php?add=%d")...)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch id := r.URL.Query().Get("id"); {
		case r.URL.Path == "/":
			testkit.Page("home", links...)(w, r)
		case id == "":
			http.NotFound(w, r)
		default:
			n, _ := strconv.Atoi(id)
			text := "<main><p>" + r.URL.Path + " is of " + nouns[n] + "</main><footer>Made for " + r.URL.RawQuery +
				"<a href='" + links[1] + "'>The mill</a></footer>"
			testkit.Reply(http.StatusOK, "<title>"+id+"</title>"+text)(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		done := explore(s, servemap.ExploreOptions{Concurrency: 1})
		if strings.Join(done.Params, "; ") != "id: 5 linked pages of /product.php; id: 4 linked pages of /article.php" ||
			done.Skipped["query"] != 10 || done.Skipped["acting"] != 5 {
			s.Errorf("%q; %v; %v", done.Params, done.Skipped, s.Stats().Verdicts)
		}
	})
}

// A page that many link to must not go missing in silence because of its name.
func TestExploringNamesWhatIsHeldAndTheParametersThatKeepPagesOut(t *testing.T) {
	site := testkit.Paths{
		"/": testkit.Page("home", "/reader.html", "/kq7xwvfj3t.html", "/dishes", "/dishes?dish=soup",
			"/dishes?color=red", "/list?page=2&sort=asc", "/view", "/view?id=5"),
		"/reader.html": testkit.Page("one"), "/kq7xwvfj3t.html": testkit.Page("two"), "/list": testkit.Page("the list"),
		"/view": testkit.Reply(http.StatusOK, testkit.HTML(`<link rel=canonical href="?id=5">`, "a page that names itself")),
	}
	site["/dishes"] = func(w http.ResponseWriter, r *http.Request) {
		text := "what we cook"
		if r.URL.Query().Has("dish") {
			text = "the soup of today"
		}
		testkit.Page(text)(w, r)
	}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		done := explore(s, servemap.ExploreOptions{Concurrency: 1})
		if strings.Join(done.Params, ", ") != "dish: 1 linked page of /dishes" || done.Skipped["query"] != 2 ||
			done.Skipped["held"] != 1 || len(done.Held) != 1 || !strings.HasSuffix(done.Held[0], "/kq7xwvfj3t.html") {
			s.Errorf("%+v", done)
		}
		s.WantListed("/", "/dishes", "/reader.html", "/view?id=5")
		if st := s.Stats(); st.Waiting != st.Verdicts["waiting query"] {
			s.Errorf("%d wait; held pages do not: %v", st.Waiting, st.Verdicts)
		}
	})
}

// A site that answers 200 where it has no page has only a few broken links, so nobody can tell by their number.
func TestWhatASiteShowsAtAnyAddressIsNoPage(t *testing.T) {
	none := testkit.HTML("", "no page of this shop, which was looked for in vain")
	site := func(missing http.HandlerFunc) http.HandlerFunc {
		pages := testkit.Paths{
			"/": testkit.Page("home", "/a", "/b", "/old", "/gone/long/ago"), "/a": testkit.Page("a chair", "/misspelt"),
			"/b": testkit.Page("a table"),
		}
		return func(w http.ResponseWriter, r *http.Request) {
			if h := pages[r.URL.Path]; h != nil {
				h(w, r)
				return
			}
			missing(w, r)
		}
	}
	for _, tt := range []struct {
		name    string
		missing http.HandlerFunc
		want    []string
	}{
		{"an error page with status 200", testkit.Reply(http.StatusOK, none), []string{"/", "/a", "/b"}},
		{"the home page", testkit.Page("home", "/a", "/b", "/old", "/gone/long/ago"), []string{"/", "/a", "/b"}},
		{"404", http.NotFound, []string{"/", "/a", "/b"}},
		{"an error page that names the address", testkit.PageOfItsURL(), []string{"/", "/a", "/b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: site(tt.missing)}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				s.WantListed(tt.want...)
			})
		})
	}
}

// The owner calls a cookie benign that also stands for a log-in. A stranger who was asked to log in is the better
// witness, whatever the page for that is called.
func TestVisitorWithANamedCookieDoesNotShowWhatAsksStrangersToLogIn(t *testing.T) {
	for _, asks := range []string{"/login", "/konto?to=/account"} {
		site := testkit.Paths{
			"/": testkit.Page("home", "/account", "/shop"), "/shop": testkit.Page("shop"),
			"/login": testkit.Page("log in here"), "/konto": testkit.Page("anmelden"),
			"/account": func(w http.ResponseWriter, r *http.Request) {
				if c, err := r.Cookie("PHPSESSID"); err != nil || c.Value != "in" {
					http.Redirect(w, r, asks, http.StatusFound)
					return
				}
				testkit.Page("the orders of Ann")(w, r)
			},
		}
		t.Run(asks, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Benign: []string{"PHPSESSID"}}},
				func(s *testkit.Site) {
					explore(s, servemap.ExploreOptions{})
					for range 3 {
						s.Get("/account", "Cookie", "PHPSESSID=in")
						s.Get("/shop", "Cookie", "PHPSESSID=out")
						s.Settle()
						time.Sleep(25 * time.Hour)
					}
					s.WantListed("/", "/shop")
					s.WantVerdict("/account", "waiting", "no-page")
				})
		})
	}
}

func TestRefusalBehindAProxyThatMarksAllRequestsHoldsNoPage(t *testing.T) {
	refused := true
	site := testkit.Paths{
		"/": testkit.Page("home", "/a"),
		"/a": func(w http.ResponseWriter, r *http.Request) {
			if refused {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			testkit.Page("a")(w, r)
		},
	}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Benign: []string{"X-Org-Id:"}}},
		func(s *testkit.Site) {
			for _, refused = range []bool{true, false} {
				for range 2 {
					s.Get("/", "X-Org-Id", "7")
					s.Get("/a", "X-Org-Id", "7")
					s.Settle()
					time.Sleep(time.Hour)
				}
			}
			s.WantListed("/", "/a")
		})
}
