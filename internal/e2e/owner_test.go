package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// owner asks the inspector for a view.
func owner(s *testkit.Site) func(path string) string {
	inspector := s.Inspector(everybody)
	return func(path string) string { return base.Ask(inspector, http.MethodGet, "/"+path).Body.String() }
}

func TestCookiesOfVisitorsNeedNothingOnceTheSiteIsExplored(t *testing.T) {
	const nothing = " had a cookie. Nothing to do: the pages are learned without it."
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		if s.Get("/a", "Cookie", "PHPSESSID=1"); !strings.Contains(owner(s)("stats.json"), nothing) {
			s.Errorf("one visitor of three has a cookie: %s", owner(s)("stats.json"))
		}
	})
	testkit.Run(t, testkit.Setup{Handler: testkit.Page("home", "/a")}, func(s *testkit.Site) {
		s.Visit("/")
		for range 200 {
			s.Get("/a", "Cookie", "PHPSESSID=1")
		}
		page := text(owner(s)("page?u=/a"))
		if !strings.Contains(page, "Explore the site with go site.Explore(ctx") || strings.Contains(page, "DecisionAlways") {
			s.Errorf("everybody has a session: %s", page)
		}
		if page := text(owner(s)("")); strings.Contains(page, "private window") {
			s.Errorf("visits are advised that may not count: %s", page)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		ask, get := owner(s), func() { s.Get("/a", "Cookie", "PHPSESSID=1") }
		if get(); !strings.Contains(ask("stats.json"),
			"Visit had a cookie. Learn the pages without it, with go site.Explore(ctx,") {
			s.Errorf("before: %s", ask("stats.json"))
		}
		explore(s, servemap.ExploreOptions{})
		if get(); !strings.Contains(ask("stats.json"), nothing) {
			s.Errorf("after: %s", ask("stats.json"))
		}
	})
}

// An owner who looks is no visitor, and neither is his scraper: what servemap answers itself counts as no visit, from
// the first request on.
func TestWhatServemapShowsTheOwnerIsNotCounted(t *testing.T) {
	setup := testkit.Setup{Mount: func(s *servemap.Site) http.Handler {
		m := http.NewServeMux()
		m.Handle("/", testkit.PageOfItsURL("/a"))
		m.Handle("/inspect/", s.Inspector(everybody))
		m.Handle("/metrics", s.Metrics(everybody))
		m.Handle("/numbers/", s.Metrics(servemap.Password("me", "right")))
		return s.Wrap(m)
	}}
	headers := [][]string{{"Authorization", "Basic eDp5"}, {"Cookie", "session=1"}, {"Sec-Fetch-Dest", "iframe"}, {}}
	for _, paths := range [][]string{
		{"/inspect/", "/inspect/?live", "/inspect/pages", "/inspect/icon.svg"}, {"/inspect/pages", "/inspect/"},
		{"/metrics", "/metrics?x=1", "/metrics"}, {"/numbers/"},
	} {
		t.Run(paths[0], func(t *testing.T) {
			testkit.Run(t, setup, func(s *testkit.Site) {
				for _, path := range paths {
					for _, header := range headers {
						s.Get(path, header...)
					}
				}
				if got := s.Stats().Ignored; len(got) > 0 {
					s.Errorf("they are counted: %v", got)
				}
				for _, header := range headers {
					s.Get("/a", header...)
				}
				if got := s.Stats().Ignored; len(got) != 3 {
					s.Errorf("visits are not counted: %v", got)
				}
			})
		})
	}
}

// What a request may change, and what only sorts, waits for no visitor: the owner must not be told to open it.
func TestWhatExploringDoesNotAskForIsNotToldToWaitForAVisitor(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/cart/add/1", "/cart/add/2", "/kettles?sort=price", "/soon")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		s.Visit("/")
		s.Settle()
		ask := owner(s)
		var got inspect.Overview
		base.Check(s, json.Unmarshal([]byte(ask("stats.json")), &got))
		var groups []string
		for _, g := range got.Reasons {
			groups = append(groups, fmt.Sprintf("%d %s %s %s", g.Pages, g.Verdict, g.Reason, g.Care))
		}
		base.EqualLists(s, groups, []string{
			"1 waiting query look", "1 waiting not-seen wait", "2 waiting acting intended", "1 listed entry fine",
		}, "groups")
		const rule = `servemap.Rule{Pattern: "/cart/add/1$", List: servemap.DecisionAlways},`
		page := html.UnescapeString(ask("page?u=/cart/add/1"))
		if n := strings.Count(page, strings.TrimSuffix(rule, ",")); n != 1 || !strings.Contains(page, ">"+rule+"<") {
			s.Errorf("the rule is there %d times, want once, to be copied: %s", n, page)
		}
		if strings.Contains(page, "<button>Fetch it now") || !strings.Contains(page, "servemap does not make it") {
			s.Errorf("it offers what it then refuses: %s", page)
		}
		if page := ask("page?u=/soon"); !strings.Contains(page, "<button>Fetch it now") {
			s.Errorf("it does not offer to fetch a page: %s", page)
		}
		for reason, want := range map[string]string{"acting": "/cart/add/1 /cart/add/2", "query": "/kettles?sort=price",
			"not-seen": "/soon"} {
			if rows := ask("pages.csv?reason=" + reason); strings.Count(rows, "\n") != 1+len(strings.Fields(want)) {
				s.Errorf("%s: %s, want %s", reason, rows, want)
			}
		}
	})
}

func TestTheOwnerSeesBrokenLinksAndWhatWaits(t *testing.T) {
	const hostile = "/%3Cscript%3Enews" // in a comment of a stranger
	site := testkit.Paths{
		"/": testkit.Page("home", "/a", "/missing", "/wanted", "/fails", "/old",
			"/reset/8f14e45fceea167a5a36dedd4bea2543", "/wanted?page=1&lang=en", "/wanted?lang=en&page=1"),
		"/a":       testkit.Page("a", "/missing", "/dept-10", "/dept-2"),
		"/dept-10": testkit.Page("ten", hostile), "/dept-2": testkit.Page("two"), "/fails": status(500),
		"/old":   http.RedirectHandler("/older", http.StatusMovedPermanently).ServeHTTP,
		"/older": http.RedirectHandler("/a", http.StatusMovedPermanently).ServeHTTP,
	}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		s.Visit("/", "/a", "/dept-10", "/dept-2")
		s.Visit("/missing", "/missing", "/fails", "/old", "/older")
		ask := owner(s)
		var got struct {
			Broken []struct {
				URL      string
				Status   int
				From     []string
				Followed int
			}
			Chains [][]struct{ URL, To string }
		}
		base.Check(t, json.Unmarshal([]byte(ask("links.json")), &got))
		if len(got.Broken) != 2 || !strings.HasSuffix(got.Broken[0].URL, "/missing") || got.Broken[0].Status != 404 ||
			len(got.Broken[0].From) != 2 || got.Broken[0].Followed < 1 || got.Broken[1].Status != 500 {
			t.Errorf("broken links: %+v", got.Broken)
		}
		if len(got.Chains) != 1 || len(got.Chains[0]) != 2 || !strings.HasSuffix(got.Chains[0][1].To, "/a") {
			t.Errorf("redirects in a row: %+v", got.Chains)
		}
		if s.Stats().BrokenLinks != 2 {
			t.Errorf("%d broken links are counted", s.Stats().BrokenLinks)
		}
		waits := ask("pages.csv?reason=not-seen")
		if !strings.Contains(waits, "/wanted,") || strings.Contains(waits, "8f14e45") {
			t.Errorf("what waits:\n%s", waits)
		}
		if listed := ask("pages.csv?q=/dept*"); !strings.Contains(listed, "/dept-2,") ||
			strings.Index(listed, "/dept-2,") > strings.Index(listed, "/dept-10,") {
			t.Errorf("in natural order:\n%s", listed)
		}
		if all := ask("pages.json?sort=links"); !strings.Contains(all, `"links": 1`) {
			t.Errorf("no page has a link:\n%s", all)
		}
		for _, view := range []string{"pages?reason=not-seen", "pages.csv?reason=not-seen", "links",
			"page?u=" + url.QueryEscape(hostile)} {
			if page := ask(view); strings.Contains(page, "<script>news") {
				t.Errorf("%s has a stranger's link as it is:\n%s", view, page)
			}
		}
		if page := text(ask("page?u=/missing")); !strings.Contains(page, "2 listed pages link to it / /a") {
			t.Errorf("the page does not say who links to it: %s", page)
		}

		time.Sleep(2 * time.Minute)
		synctest.Wait() // what the site was to look at is looked at
		site["/"] = testkit.Page("home, corrected", "/a", "/wanted")
		site["/a"] = testkit.Page("a, corrected")
		time.Sleep(time.Hour)
		s.Visit("/", "/a")
		if left := s.Stats().BrokenLinks; left != 0 {
			t.Errorf("%d broken links after nobody links there", left)
		}

		time.Sleep(2 * time.Minute)
		synctest.Wait() // what the site was to look at is looked at
		site["/"] = testkit.Page("home, with much to come", numbered("/later-%03d", 120)...)
		time.Sleep(time.Hour)
		s.Visit("/")
		if rows := strings.Count(ask("pages.csv?reason=not-seen&q=/later*"), "/later"); rows != 120 {
			t.Errorf("%d of the 120 pages that wait are in the table", rows)
		}
	})
}

// What no page was read for is not known, and what is counted is what the counts of the site say.
func TestExplainSaysThatAChangeCountsOnceItIsSeenAgain(t *testing.T) {
	said := "<h1>A teapot</h1><p>It is made of clay.</p><ul><li><a href=/a>A cup</a></ul>"
	pages := testkit.Paths{"/": func(w http.ResponseWriter, r *http.Request) { testkit.Page(said)(w, r) }}
	testkit.Run(t, testkit.Setup{Handler: pages, Options: servemap.Options{Limits: servemap.Limits{Looks: -1}}},
		func(s *testkit.Site) {
			awaited := func() bool { return strings.Contains(s.Explained("/").Dates.Text, "once 3 more visits") }
			s.Visit("/")
			before := awaited()
			said = strings.Replace(said, "</ul>", "<li><a href=/b>Another thing</a></ul>", 1)
			time.Sleep(time.Hour)
			if s.Visit("/"); before || !awaited() {
				t.Errorf("before the new link: %t; then: %s", before, s.Explained("/").Text)
			}
		})
}

func TestTheOwnerIsToldWhatIsNotKnown(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a", "/left", "/gone", "/wanted", "/missing"),
		"/a": testkit.Page("a"), "/left": testkit.Page("left"), "/gone": testkit.Page("gone")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		s.Visit("/", "/a", "/left", "/gone")
		s.Visit("/missing")
		time.Sleep(2 * time.Minute)
		synctest.Wait() // what the site was to look at is looked at
		site["/"] = testkit.Page("home, without the link to one of them", "/a", "/gone", "/wanted", "/missing")
		time.Sleep(time.Hour)
		s.Visit("/left")
		site["/left"], site["/gone"] = status(410), status(410)
		time.Sleep(time.Hour)
		s.Visit("/", "/left", "/gone")
		time.Sleep(2 * time.Hour)
		s.Visit("/", "/left", "/gone")
		want := func(name, view, has, not string) {
			t.Helper()
			if got := text(owner(s)(view)); !strings.Contains(got, has) || not != "" && strings.Contains(got, not) {
				t.Errorf("%s: no %q, or %q, in\n%s", name, has, not, got)
			}
		}
		want("links", "links", "2 broken links", "")
		want("links that wait", "pages?reason=not-seen", "1 page.", "/missing")
		want("links that lead to no page", "pages?reason=no-page", "/missing 404", "/wanted")
		want("as in its title", "pages?reason=not-seen", "has got it yet 1 ", "")
		want("pages that have left", "pages?reason=gone", "have left. Listed 2", "None of them")
		want("all their names", "pages?reason=gone", "2 pages.", "")
		for _, tt := range []struct{ name, view, has, not string }{
			{"that left, by address", "pages?reason=gone", `(?s)/gone<.*/left<`, ""},
			{"that left, by date", "pages?reason=gone&sort=date", `(?s)/left<.*/gone<`, ""},
			{"that left, the newest first", "pages.csv?reason=gone", `(?s)/left,.*/gone,`, ""},
			{"that left long ago", "pages.json?reason=gone&changed=-24h", `"total": 0`, "/left"},
			{"that changed", "pages.csv?changed=24h", `(?m)^/,`, "/a,"},
			{"that did not", "pages.json?changed=-24h", `"https://example.com/a"`, `"https://example.com/"`},
			{"at that time, by the pager", "pages?changed=24h&after=/", `href="pages\?q=&amp;reason=&amp;changed=24h&amp;sort="`,
				""},
			{"at no time", "pages?changed=soon", "no span such as 24h", ""},
		} {
			if got := owner(s)(tt.view); !regexp.MustCompile(tt.has).MatchString(got) ||
				tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("pages %s: no %s, or %q, in\n%s", tt.name, tt.has, tt.not, got)
			}
		}
		want("no page of that reason", "pages?reason=denied", "No such page.", "can be named")
		want("no rate of a page that is gone", "page?u=/left", "Gone /left", "How often it changes")
		s.Restart()
		time.Sleep(time.Minute)
		want("links after a restart", "links", "Not known yet", "No broken link")
		want("the overview after a restart", "", "Broken links are not known yet: they are found as pages are visited.",
			"Nothing seems wrong")
		want("links to one page after a restart", "page?u=/a",
			"Which pages link to it Not known yet. Since the program started",
			"No listed page does")
		want("links to a page after a restart", "pages", "Links are counted as pages are read; “–” is not known yet.", "")
		want("links to a page after a restart, as JSON", "pages.json", `"links": null`, `"links": 0`)
		want("links to a page after a restart, as CSV", "pages.csv", "/a,,0,,link", "")
		s.Visit("/a")
		want("one page on the overview", "", "Nothing seems wrong so far. The links of 1 of 2 pages were read", "")
		want("one page", "links", "No broken link found yet", "No broken links")
		for range 40 {
			time.Sleep(24 * time.Hour)
			s.Visit("/a")
		}
		want("no change", "page?u=/a", "No change was seen yet.", "the changes that were seen do not prove it")
	})
}

// try has the inspector fetch a page, and returns what it says.
func try(inspector http.Handler, u string) string {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/try",
		strings.NewReader(url.Values{"u": {u}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	inspector.ServeHTTP(w, r)
	return text(w.Body.String())
}

// What fetching a page now says is what Explain says once a visitor got the page.
func TestFetchItNowSaysWhatExplainWillSay(t *testing.T) {
	links := []string{"/a", "/copy", "/log-in", "/elsewhere"}
	for i := range 25 {
		links = append(links, fmt.Sprintf("/dead-%d", i))
	}
	pages := http.NewServeMux()
	pages.HandleFunc("/{$}", testkit.Page("home", links...))
	pages.HandleFunc("/a", testkit.Page("a text that two pages show"))
	pages.HandleFunc("/copy", testkit.Page("a text that two pages show"))
	pages.HandleFunc("/routed", testkit.Page("nothing links here"))
	pages.HandleFunc("/log-in", testkit.Page(`<form><input type="password"></form>`))
	pages.HandleFunc("/elsewhere", testkit.Reply(http.StatusOK, testkit.HTML(`<link rel="canonical" href="/a">`,
		"another")))
	pages.HandleFunc("/", testkit.Page("There is no page here, and so we show this one in its place."))
	testkit.Run(t, testkit.Setup{Handler: pages, Options: servemap.Options{Limits: servemap.Limits{Looks: -1}}},
		func(s *testkit.Site) {
			s.Visit("/", "/a")
			s.Visit(links[4:24]...)
			inspector := s.Inspector(everybody)
			for u, reason := range map[string]servemap.Reason{
				"/": "entry", "/copy": "duplicate", "/dead-24": "soft-not-found", "/routed": "route", "/log-in": "password-field",
				"/elsewhere": "canonical-elsewhere", "/free": "no-evidence",
			} {
				said := try(inspector, u)
				s.Visit(u)
				if e := s.Explained(u); e.Reason != reason || !strings.Contains(said,
					text(html.EscapeString(messages.Bare(e.Text)))) {
					t.Errorf("%s is %s (want %s): %s\nFetched before: %s", u, e.Reason, reason, e.Text, said)
				}
			}
		})
}

func TestFetchItNow(t *testing.T) {
	asked := map[string]int{}
	pages := testkit.Paths{
		"/": testkit.Page("home", "/a", "/hidden"), "/a": testkit.Page("a"), "/free": testkit.Page("free"),
		"/logout": testkit.Page("bye"),
		"/hidden": testkit.Reply(http.StatusOK, testkit.HTML(`<meta name="robots" content="noindex">`, "hidden")),
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		asked[r.URL.Path]++
		pages.ServeHTTP(w, r)
	})
	none := servemap.Options{Limits: servemap.Limits{Looks: -1}}
	testkit.Run(t, testkit.Setup{Handler: handler, Options: none}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		clear(asked)
		pages["/a"] = testkit.Page("a, with something new to say")
		inspector := s.Inspector(everybody)
		for _, tt := range []struct {
			name, u, want string
			asks          int
		}{
			{"a listed page", "/a", "It would be listed", 1},
			{"a new text", "/a", "a, with something new to say", 2},
			{"where its links lead", "/", "It links to 2 pages of the site These are not listed: /hidden", 1},
			{"noindex", "/hidden", "The page says noindex", 1},
			{"no link", "/free", "Nothing shows yet that it is public", 1},
			{"an error", "/none", "the site answered 404", 1},
			{"what may act", "/logout", "may change something", 0},
			{"elsewhere", "https://elsewhere.example/", "the host is not the site's", 0},
		} {
			if got := try(inspector, tt.u); !strings.Contains(got, tt.want) || asked[tt.u] != tt.asks ||
				tt.u == "/free" && strings.Contains(got, "new") {
				t.Errorf("%s: asked %d times; no %q in %s", tt.name, asked[tt.u], tt.want, got)
			}
		}
		for _, u := range []string{"/free", "/hidden"} {
			if e, err := s.Explain(s.Context(), u); err != nil || e.Listed() || e.Status != 0 {
				t.Errorf("%s was learned from: %+v, %v", u, e, err)
			}
		}
	})
}

func TestReportOnlyShowsTheOwnerWhatWouldBeServed(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a"), "/a": testkit.Page("a")}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{ReportOnly: true}}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		ask := owner(s)
		for _, view := range []string{"", "pages", "files", "crawlers", "page?u=/a"} {
			if page := text(ask(view)); !strings.Contains(page, "Nothing is published yet") {
				t.Errorf("%q does not say that nothing is published: %s", view, page)
			}
		}
		if page := text(ask("")); !strings.Contains(page, "2 pages would be listed") {
			t.Errorf("the overview: %s", page)
		}
		if xml := ask("sitemap.xml"); !strings.Contains(xml, "<loc>https://example.com/a</loc>") {
			t.Errorf("the file: %s", xml)
		}
	})
}

func TestDaysCountEachChange(t *testing.T) {
	var now atomic.Int64
	news := func(w http.ResponseWriter, r *http.Request) {
		edition := int(now.Load())
		testkit.Page("news "+strings.Repeat("of the day ", edition)+strings.Repeat("and much more text ", 3*edition), "/a")(w,
			r)
	}
	testkit.Run(t, testkit.Setup{Handler: testkit.Paths{"/": news, "/a": testkit.Page("a")}}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		for edition := range int64(3) {
			now.Store(edition + 1)
			time.Sleep(3 * time.Hour)
			s.Visit("/")
		}
		var got struct {
			History struct {
				Days []struct{ Added, Changed, Listed int }
			}
		}
		base.Check(t, json.Unmarshal([]byte(owner(s)("stats.json")), &got))
		added, changed := 0, 0
		for _, d := range got.History.Days {
			added, changed = added+d.Added, changed+d.Changed
		}
		if e, err := s.Explain(s.Context(), "/"); err != nil || e.Changes < 2 || changed != e.Changes || added != 2 {
			t.Errorf("%d added, %d changes by day, want the %d that were seen (%v)", added, changed, e.Changes, err)
		}
	})
}
