package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// wantEntries checks the path, the changefreq and the priority of each page in the sitemap.
func wantEntries(s *testkit.Site, want ...string) {
	s.Helper()
	s.Settle()
	var got []string
	for _, u := range entries(s, "/sitemap.xml").URLs {
		got = append(got, strings.TrimPrefix(u.Loc, testkit.Origin)+" "+u.ChangeFreq+" "+u.Priority)
	}
	base.EqualLists(s, got, want, "the sitemap has")
}

func TestChangefreqIsPublished(t *testing.T) {
	text := "The first text of the news is here."
	diary := text // each entry names its day, and is held until the next: another may follow that day
	h := testkit.Paths{
		"/": testkit.Page("home", "/news", "/diary", "/dated", "/ruled"),
		"/news": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "<title>news</title><main><p>%s</p></main>", text)
		},
		"/diary": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "<title>diary</title><main><p>My diary begins. %s</p></main>", diary)
		},
		"/dated": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Last-Modified", "Fri, 01 Jan 1999 00:00:00 GMT")
			fmt.Fprint(w, "<title>dated</title><p>This page says when it changed last.</p>")
		},
		"/ruled": testkit.Page("ruled"),
	}
	rules := []servemap.Rule{{Pattern: "/ruled", ChangeFreq: "daily"}}
	testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Rules: rules}}, func(s *testkit.Site) {
		s.Visit("/", "/news", "/diary", "/dated", "/ruled")
		wantEntries(s, "/  ", "/dated  ", "/diary  ", "/news  ", "/ruled daily ")
		time.Sleep(2 * time.Minute)
		s.Visit("/", "/news", "/diary", "/ruled")
		wantEntries(s, "/  ", "/dated  ", "/diary  ", "/news  ", "/ruled daily ")
		for day := range 20 {
			text += "</p><p>And then it was told that " + strings.Repeat("ever ", day) + " happened again."
			diary += fmt.Sprintf("</p><p>And on day %d it was told that something happened again.", day)
			for range 4 {
				time.Sleep(6 * time.Hour)
				s.Visit("/", "/news", "/diary", "/ruled")
			}
		}
		wantEntries(s, "/ yearly ", "/dated  ", "/diary daily ", "/news daily ", "/ruled daily ")
		if d := s.Explained("/news").Dates; d.Interval < 12*time.Hour || d.Interval > 48*time.Hour ||
			d.IntervalLeast > d.Interval || d.IntervalMost < d.Interval {
			s.Errorf("it changes daily: %+v", d)
		}
	})
}

func TestRulesDecideWhatIsPublished(t *testing.T) {
	rules := []servemap.Rule{
		{Pattern: "/", ChangeFreq: "weekly"},
		{Pattern: "/list", Query: []string{"lang"}},
		{Pattern: "/list?lang=de", Priority: 0.9},
		{Pattern: "/$", ChangeFreq: "hourly", Priority: 1},
		{Pattern: "/inner/", List: servemap.DecisionNever},
		{Pattern: "/inner/page", Priority: 0.1},
		{Pattern: "/inner/public", List: servemap.DecisionAuto},
	}
	others := []servemap.Rule{
		{Pattern: "/list", Query: []string{"lang"}, Priority: 0.3},
		{Pattern: "/inner/public", List: servemap.DecisionNever},
	}
	h := testkit.PageOfItsURL("/list?lang=de&amp;page=2", "/other?lang=de", "/inner/page", "/inner/public")
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, testkit.Setup{Options: servemap.Options{Rules: rules}, Handler: h})
		s.Visit("/", "/list?lang=de&page=2", "/other?lang=de", "/inner/page", "/inner/public")
		wantEntries(s, "/ hourly 1.0", "/inner/public weekly ", "/list?lang=de&page=2 weekly 0.9")
		s.Shut()
		// Other rules apply to stored pages before anybody visits.
		s = testkit.Start(t, testkit.Setup{Store: s.Store, Options: servemap.Options{Rules: others}, Handler: h})
		wantEntries(s, "/  ", "/list?lang=de&page=2  0.3")
	})
}

func TestOptionsDecideWhoseRequestsCount(t *testing.T) {
	anonymous := func(r *http.Request) bool { return r.Header.Get("X-Forwarded-User") == "nobody" }
	for _, tt := range []struct {
		name   string
		opts   servemap.Options
		line   [2]string // of the request's header
		counts bool
	}{
		{"a host", servemap.Options{Hosts: []string{"www.example.com"}}, [2]string{"Host", "www.example.com"}, true},
		{"not one of the hosts", servemap.Options{Hosts: []string{"www.example.com"}}, [2]string{"Host", "shop.example.com"},
			false},
		{"a user, and the owner says anonymous", servemap.Options{Anonymous: anonymous},
			[2]string{"X-Forwarded-User", "nobody"}, true},
		{"the owner says not anonymous", servemap.Options{Anonymous: anonymous}, [2]string{"X-Forwarded-User", "jane"},
			false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Limits.Looks = -1 // else the site gets the page itself
			testkit.Run(t, testkit.Setup{Options: tt.opts, Handler: testkit.Page("home")}, func(s *testkit.Site) {
				s.From("192.0.2.1", "/", tt.line[0], tt.line[1], "X-Forwarded-Host", "example.com")
				s.Settle()
				if got := s.Stats().Listed == 1; got != tt.counts {
					s.Errorf("counts: %v, want %v; stats %+v", got, tt.counts, s.Stats())
				}
			})
		})
	}
}

func TestReportOnlyServesAReportInPlaceOfTheSitemap(t *testing.T) {
	testkit.Run(t, testkit.Setup{Options: servemap.Options{ReportOnly: true}, Handler: testkit.PageOfItsURL("/a")},
		func(s *testkit.Site) {
			s.Visit("/", "/a")
			for _, name := range []string{"/sitemap.xml", "/sitemap.xml.gz", "/sitemap-1.xml"} {
				a := s.Get(name)
				if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" ||
					!strings.Contains(a.Body, "Options.ReportOnly") || strings.ContainsAny(a.Body, "0123456789") ||
					strings.Contains(a.Body, "/a") {
					s.Errorf("%s: %d, %s", name, a.Status, a.Body)
				}
			}
			if served := s.Sitemaps(); len(served) != 0 {
				s.Errorf("served are %q", served)
			}
			if e := s.Explained("/a"); !e.Listed() {
				s.Errorf("%+v", e)
			}
			pages := 0
			for _, err := range s.Pages(s.Context()) {
				if pages++; err != nil {
					s.Fatal(err)
				}
			}
			if pages != 2 || s.Stats().Listed != 2 {
				s.Errorf("%d pages, %+v", pages, s.Stats())
			}
		})
}

func TestWrapOfNothingIsTheDefaultMux(t *testing.T) {
	testkit.Run(t, testkit.Setup{}, func(s *testkit.Site) {
		if a := s.Get("/"); a.Status != http.StatusNotFound {
			s.Errorf("status %d, want the 404 of an empty mux", a.Status)
		}
	})
}

func TestCloseKeepsServing(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		s.Get("/")
		s.Shut()
		s.Shut() // twice is no error
		s.Get("/a")
		s.WantServed("/")
		if err := s.Flush(s.Context()); err == nil {
			s.Error("Flush after Close returned nil")
		}
		if err := s.Forget(s.Context(), "/"); err == nil {
			s.Error("Forget after Close returned nil")
		}
	})
}

// ownWords are the answers by which a page leaves by its own word.
var ownWords = map[string]http.HandlerFunc{
	"a robots meta": testkit.Reply(http.StatusOK, testkit.HTML("<meta name=robots content=noindex>", "a")),
	"X-Robots-Tag":  testkit.Reply(http.StatusOK, testkit.HTML("", "a"), "X-Robots-Tag", "googlebot: none"),
	"private":       testkit.Reply(http.StatusOK, testkit.HTML("", "a"), "Cache-Control", "private"),
	"no-store":      testkit.Reply(http.StatusOK, testkit.HTML("", "a"), "Cache-Control", "no-store"),
	"410":           status(http.StatusGone),
}

func TestPageLeavesTheSitemapWithinSecondsOfItsOwnWord(t *testing.T) {
	for name, word := range ownWords {
		t.Run(name, func(t *testing.T) {
			site := testkit.Paths{"/": testkit.Page("home", "/a", "/b"), "/a": testkit.Page("a"), "/b": testkit.Page("b")}
			testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
				s.Visit("/", "/a")
				time.Sleep(time.Hour)
				s.Get("/b") // the files are made just now, so the next ones take longest
				synctest.Wait()
				s.WantServed("/", "/a", "/b")
				time.Sleep(10 * time.Millisecond) // the site has looked at the page
				synctest.Wait()
				site["/a"] = word
				s.Get("/a")
				time.Sleep(5*time.Second + 10*time.Millisecond)
				s.WantServed("/", "/b")
			})
		})
	}
}

// While the disk is full, the last sitemap stays, and the owner is told why.
func TestPageLeavesTheSitemapOnceTheStoreCanWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and the race detector finds nothing in it that it does not find elsewhere")
	}
	for name, word := range ownWords {
		t.Run(name, func(t *testing.T) {
			site, st := testkit.Paths{"/": testkit.Page("home", "/a", "/b"), "/a": testkit.Page("a"), "/b": testkit.Page("b")},
				base.NewStore()
			testkit.Run(t, testkit.Setup{Store: st, Handler: site}, func(s *testkit.Site) {
				s.Visit("/", "/a", "/b")
				time.Sleep(time.Hour)
				st.OnlyRead(errors.New("no space left on device"))
				synctest.Wait() // the site may be looking at the page
				site["/a"] = word
				s.Get("/a")
				time.Sleep(time.Hour)
				s.WantServed("/", "/a", "/b")
				if told := s.Stats().Store; !strings.Contains(told, "no space left") {
					t.Errorf("Stats.Store is %q", told)
				}
				st.Mend()
				// it is tried each second, then the site looks itself, and makes the files each five seconds
				time.Sleep(12 * time.Second)
				s.WantServed("/", "/b")
				s.Shut()
				s.Logged.Want(s, 1, "the last sitemap stays")
			})
		})
	}
}
