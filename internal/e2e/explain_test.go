package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestExplainAndPagesGiveVerdictAndReason(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a", "/not-visited")}, func(s *testkit.Site) {
		s.Visit("/", "/a", "/orphan")
		for _, tt := range []struct {
			url     string
			verdict servemap.Verdict
			reason  servemap.Reason
		}{
			{testkit.Origin + "/a", "listed", "link"},
			{"/a?utm_source=x", "listed", "link"},
			{"/", "listed", "entry"},
			{"/not-visited", "waiting", "not-seen"},
			{"/unheard-of", "unknown", "none"},
		} {
			e := s.Explained(tt.url)
			if e.Verdict != tt.verdict || e.Reason != tt.reason || e.Text == "" || e.Listed() != (tt.verdict == "listed") {
				s.Errorf("%s: %+v; want %s because of %s", tt.url, e, tt.verdict, tt.reason)
			}
		}
		for _, url := range []string{"https://other.example/", "/a//b", ""} {
			if e, err := s.Explain(s.Context(), url); err == nil {
				s.Errorf("%q is explained: %+v", url, e)
			}
		}
		for url, want := range map[string]time.Time{"/orphan": time.Now().Add(2 * time.Second), "/not-visited": {}} {
			if got := s.Explained(url).NextObservation; got.Sub(want).Abs() > time.Second {
				s.Errorf("the next observation of %s is at %v, want %v", url, got, want)
			}
		}
		var urls []string
		for p, err := range s.Pages(s.Context()) {
			if err != nil || p.FirstSeen.IsZero() || p.LastSeen.IsZero() || !p.LastModified.IsZero() {
				s.Errorf("%+v, %v", p, err)
			}
			urls = append(urls, p.URL)
		}
		if want := []string{testkit.Origin + "/", testkit.Origin + "/a"}; !slices.Equal(urls, want) {
			s.Errorf("pages %q, want %q", urls, want)
		}
	})
}

func TestExplainNamesThePageWithTheSameParametersInAnotherOrder(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/list?a=1&b=2&c=3", "/hidden?a=1&b=2"), "/list": testkit.Page("list"),
		"/hidden": testkit.Reply(http.StatusOK, testkit.HTML("<meta name=robots content=noindex>", "hidden"))}
	opts := servemap.Options{Query: []string{"a", "b", "c"}}
	testkit.Run(t, testkit.Setup{Handler: site, Options: opts}, func(s *testkit.Site) {
		s.Visit("/", "/list?a=1&b=2&c=3", "/hidden?a=1&b=2")
		s.WantListed("/", "/list?a=1&b=2&c=3")
		for asked, want := range map[string]bool{"/list?c=3&b=2&a=1": true, "/list?b=2&a=1&c=3": true, "/list?b=2&a=1": false,
			"/hidden?b=2&a=1": false} {
			text := s.Explained(asked).Text
			base.Equal(t, strings.Contains(text, "Did you mean https://example.com/list?a=1&b=2&c=3? That one is listed."), want,
				"%s: %s: another order is named", asked, text)
		}
	})
}

// An index file shows what its folder shows, but for a line, and all that a copy of it at another address shows.
func TestExplainNamesTheFolderThatAnIndexFileIsHeldFor(t *testing.T) {
	show := func(line string) http.HandlerFunc {
		return testkit.Reply(http.StatusOK, "<!DOCTYPE html><title>News</title><p>The bridge is open again.<p>The mill burned on "+
			"Monday.<p>The fair begins at noon.<p>"+line)
	}
	site := testkit.Paths{
		"/": testkit.Page("home", "/news/", "/news/index.php", "/copy"), "/news/": show("A quiet river carries far."),
		"/news/index.php": show("Bread is best on the second day."), "/copy": show("Bread is best on the second day."),
	}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		s.Visit("/", "/news/", "/copy", "/news/index.php")
		s.WantListed("/", "/news/", "/copy")
		base.Equal(t, s.Explained("/news/index.php").SameAs, "https://example.com/news/", "the page that shows the same")
	})
}

// TestEvidenceIsSaidOnlyWhereItCounts has pages that a listed page linked to, one of which is private by now.
func TestEvidenceIsSaidOnlyWhereItCounts(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/stays", "/leaves", "/private"), "/stays": testkit.Page("s"),
		"/leaves": testkit.Page("l"), "/private": testkit.Page("p")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		s.Visit("/", "/stays", "/leaves", "/private")
		synctest.Wait() // the site may be looking at the page
		site["/"] = testkit.Page("There is another home page by now, without two of the links.", "/stays")
		site["/leaves"], site["/private"] = testkit.Reply(410, ""), testkit.Reply(200, "p", "Cache-Control", "private")
		time.Sleep(48 * time.Hour)
		s.Visit("/", "/leaves", "/private")
		ask := owner(s)
		for location, want := range map[string]string{"/stays": "listed link [link]", "/leaves": "gone gone []",
			"/private": "excluded private []"} {
			e := s.Explained(location)
			base.Equal(t, fmt.Sprint(e.Verdict, " ", e.Reason, " ", e.Evidence), want, "%s", location)
			base.Equal(t, strings.Contains(ask("page?u="+location), "Linked on the site"), e.Listed(),
				"%s: the inspector says of links", location)
		}
	})
}

// edition serves a page after n edits.
func edition(n int) http.HandlerFunc {
	return testkit.Page(fmt.Sprintf("This is edition %d of it, which has %d sentences more than the first one had.", n, n))
}

func TestExplainSaysWhatALinkedPageAnswers(t *testing.T) {
	h := testkit.Paths{
		"/":        testkit.Page("home", "/refused", "/forbidden", "/led", "/moved", "/broken", "/text"),
		"/refused": testkit.Reply(401, ""), "/forbidden": testkit.Reply(403, ""),
		"/led":   testkit.Reply(302, "", "Location", "/login?next=/led"),
		"/moved": testkit.Reply(302, "", "Location", "/other"), "/broken": testkit.Reply(500, ""),
		"/text": testkit.Reply(200, "plain", "Content-Type", "text/plain"),
	}
	for name, visit := range map[string]func(*testkit.Site){
		"by exploring": func(s *testkit.Site) {
			if _, err := s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s}); err != nil {
				s.Fatal(err)
			}
		},
		"by visits": func(s *testkit.Site) {
			s.Visit("/")
			s.Settle() // a link makes a visitor's refusal worth knowing
			s.Visit("/refused", "/forbidden", "/led", "/moved", "/broken", "/text")
		},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				visit(s)
				for _, tt := range []struct{ path, text, missing string }{
					{"/refused", "It needs a log-in: the last request for it got 401", "not logged in"},
					{"/forbidden", "It is refused: the last request for it got 403", "not logged in"},
					{"/led", "It needs a log-in: the last request for it got 302", "not logged in"},
					{"/moved", "got 302 instead of a page. It leads to " + testkit.Origin + "/other.", "a stranger"},
					{"/broken", "It waits: the last request for it got 500", "a stranger"},
					{"/text", "something else than HTML", "a stranger"},
				} {
					e := s.Explained(tt.path)
					if string(e.Verdict) != "waiting" || !strings.Contains(e.Text, tt.text) || len(e.Missing) != 1 ||
						!strings.Contains(e.Missing[0], tt.missing) {
						s.Errorf("%s: %s %q, missing %q; want %q, and %q missing", tt.path, e.Verdict, e.Text, e.Missing, tt.text,
							tt.missing)
					}
				}
			})
		})
	}
}

// Explain names all that keeps a page out at once, so that its owner mends all at once. It says what was decided under
// settings that have changed since.
func TestExplainNamesAllThatKeepsAPageOutAndWhatHasEndedSince(t *testing.T) {
	const page, query, always = "/view?id=1", "its query has a parameter of its own", "Always rule names it"
	h := testkit.Paths{"/": testkit.Page("home", page, "/news"), "/view": testkit.Reply(200, testkit.HTML("", "one"),
		"Cache-Control", "private"), "/news": testkit.Page("news"), "/lone": testkit.Page("lone")}
	public, news := servemap.Rule{Pattern: "/view", IgnoreCacheControl: true},
		servemap.Rule{Pattern: "/news", List: servemap.DecisionNever}
	lone, st := servemap.Rule{Pattern: "/lone", List: servemap.DecisionAlways}, base.NewStore()
	for _, tt := range []struct {
		name     string
		opts     servemap.Options
		visits   []string
		verdicts string
		page     []string // what is said of it
		lone     string   // and of the other one
	}{
		{"the first settings", servemap.Options{Rules: []servemap.Rule{news}}, []string{"/", page, "/news", "/lone"},
			"excluded private, excluded rule-never, waiting no-evidence", []string{"sent for one visitor only",
				"Besides, " + query}, "nothing shows yet"},
		{"one thing is mended", servemap.Options{Rules: []servemap.Rule{public}}, nil,
			"excluded query-not-canonical, excluded rule-never, waiting no-evidence", []string{"It is not listed: " + query},
			"nothing shows yet"},
		{"all is mended", servemap.Options{Query: []string{"id"}, Rules: []servemap.Rule{public, lone}}, nil,
			"excluded private, excluded rule-never, waiting no-evidence", []string{"At its last visit, 1 Jan 2000, 00:0",
				"sent for one visitor only", "its next visit can list it"}, "its next visit can list it"},
		{"and visited", servemap.Options{Query: []string{"id"}, Rules: []servemap.Rule{public, lone}},
			[]string{"/news", page, "/lone"}, "listed link, listed link, listed rule", []string{"a listed page links to it"},
			always},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: h, Store: st, Options: tt.opts}, func(s *testkit.Site) {
				for _, path := range tt.visits {
					s.Visit(path)
					s.Settle() // a link makes a visitor's refusal worth knowing
				}
				if e := s.Explained("/unheard-of"); strings.Contains(e.Text, "Besides") {
					s.Errorf("of a page that nobody asked for: %s", e.Text)
				}
				one, other := s.Explained(page), s.Explained("/lone")
				verdicts := fmt.Sprint(one.Verdict, " ", one.Reason)
				for _, e := range []servemap.Explanation{s.Explained("/news"), other} {
					verdicts += fmt.Sprint(", ", e.Verdict, " ", e.Reason)
				}
				base.Equal(s, verdicts, tt.verdicts, "verdicts")
				for _, said := range tt.page {
					if !strings.Contains(one.Text, said) {
						s.Errorf("%s, without %q", one.Text, said)
					}
				}
				if strings.Contains(one.Text, "Besides") && len(one.Missing) > 0 {
					s.Errorf("%s is said to be enough: %s", one.Missing, one.Text)
				}
				if !strings.Contains(other.Text, tt.lone) {
					s.Errorf("%s, without %q", other.Text, tt.lone)
				}
			})
		})
	}
}

// Only the owner sees hints.
func TestWhoAsksForTheSitemapSeesNoHint(t *testing.T) {
	none := servemap.Options{Limits: servemap.Limits{Looks: -1}}
	testkit.Run(t, testkit.Setup{Handler: testkit.Page("p"), Options: none}, func(s *testkit.Site) {
		for range 60 {
			s.Get("/", "Cookie", "session=1")
		}
		if body := s.Get("/sitemap.xml").Body; body != "No page of https://example.com is listed yet. The log and the "+
			"inspector tell its owner more.\n" {
			s.Errorf("the answer to who asks for the sitemap is\n%s", body)
		}
		s.WantHints("Options.Benign")
	})
}

func TestChangesTellsWhatWasAddedChangedAndRemoved(t *testing.T) {
	h := testkit.Paths{"/": testkit.Page("home", "/a", "/b"), "/a": edition(0), "/b": testkit.Page("b")}
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		wantChanges := func(since time.Time, want string) {
			s.Helper()
			s.Settle()
			var got []string
			for c, err := range s.Changes(s.Context(), since) {
				base.Check(s, err)
				if c.At.Before(since) || c.At.After(time.Now()) {
					s.Errorf("%s changed at %v", c.URL, c.At)
				}
				kind := string(c.Kind)
				switch {
				case c.Listed.IsZero() == (c.Kind == servemap.ChangeAdded), c.Listed.After(c.At):
					s.Errorf("%s was listed at %v and %s at %v", c.URL, c.Listed, kind, c.At)
				case c.Kind == servemap.ChangeAdded && c.Listed.Before(c.At):
					kind += " and changed"
				case c.Reason != "":
					kind += " as " + string(c.Reason)
				}
				got = append(got, kind+" "+strings.TrimPrefix(c.URL, testkit.Origin))
			}
			base.Equal(s, strings.Join(got, ", "), want, "the changes")
		}
		for _, path := range []string{"/", "/a", "/b"} {
			s.Get(path)
			time.Sleep(2 * time.Second)
		}
		wantChanges(time.Time{}, "added /, added /a, added /b")
		time.Sleep(time.Hour)
		noon := time.Now()
		h["/a"], h["/b"] = edition(1), status(410)
		s.Visit("/a", "/b")
		wantChanges(noon, "changed /a, removed as gone /b")
		if row := text(owner(s)("changes")); !strings.Contains(row, "removed /b the site answered 410") {
			s.Errorf("the inspector does not say why a page was removed: %s", row)
		}
		wantChanges(time.Time{}, "added /, added and changed /a, removed as gone /b")
		time.Sleep(30 * 24 * time.Hour)
		s.Visit("/")
		for _, err := range s.Changes(s.Context(), noon) {
			if !errors.Is(err, servemap.ErrTooOld) {
				s.Errorf("%v for what is forgotten", err)
			}
		}
	})
}

// A route of its own is no evidence if what it sends could be a part of a page, and the page that waits says so.
func TestExplainSaysThatARouteNeedsAWholeDocument(t *testing.T) {
	const about = "<h1>About us</h1><p>This shop is run by two people who like tea too much."
	for body, verdict := range map[string]string{about: "waiting", "<title>About us</title>" + about: "listed"} {
		m := http.NewServeMux()
		m.HandleFunc("/{$}", testkit.Page("home"))
		m.HandleFunc("/about", testkit.Reply(200, body))
		testkit.Run(t, testkit.Setup{Handler: m}, func(s *testkit.Site) {
			s.Visit("/", "/about")
			e := s.Explained("/about")
			told := strings.Contains(e.Text, "if it answers with a whole document (<html> or <title>)")
			if string(e.Verdict) != verdict || told != (verdict == "waiting") {
				t.Errorf("%s: %s, %s", body, e.Verdict, e.Text)
			}
		})
	}
}

// A page that is not listed has no element in the sitemap, and so no lastmod, whatever is known of its dates.
func TestExplainGivesNoLastmodToAPageThatIsNotListed(t *testing.T) {
	pages := testkit.Paths{"/": testkit.Page("home", "/a"), "/a": testkit.Page("what it said at first")}
	testkit.Run(t, testkit.Setup{Handler: pages}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		time.Sleep(48 * time.Hour)
		pages["/a"] = testkit.Page("what is wholly new, and said at another length than before")
		for range 3 {
			s.Visit("/a")
			time.Sleep(time.Hour)
		}
		const changed = "The lastmod is when the change was first seen"
		if e := s.Explained("/a"); !strings.HasPrefix(e.Dates.Text, "The content changed") ||
			!strings.Contains(e.Dates.Text, changed) {
			t.Errorf("while it is listed: %s", e.Dates.Text)
		}
		pages["/a"] = status(410)
		s.Visit("/a")
		time.Sleep(time.Hour)
		e := s.Explained("/a")
		if e.Listed() || !strings.HasPrefix(e.Dates.Text, "It has no lastmod while it is not listed.") ||
			!strings.Contains(e.Dates.Text, changed) {
			t.Errorf("once it is %s: %s", e.Verdict, e.Dates.Text)
		}
	})
}

// The owner who takes out the last link sees that the page stays, and why.
func TestExplainSaysThatNoPageLinksToAPageAnyMore(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/stays", "/linked"), "/stays": testkit.Page("s"),
		"/linked": testkit.Page("l")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		s.Visit("/", "/stays", "/linked")
		s.Settle()
		site["/"] = testkit.Page("There is another home page by now, without one of the links.", "/linked")
		time.Sleep(48 * time.Hour)
		s.Visit("/", "/stays", "/linked")
		s.Settle()
		for location, want := range map[string]string{"/stays": messages.WasLinked(),
			"/linked": "It is listed: a listed page links to it."} {
			base.Equal(t, s.Explained(location).Text, want, "%s", location)
		}
	})
}
