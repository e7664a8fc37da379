package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// publishes is a sitemap that a site has had, of these paths.
func publishes(paths ...string) http.HandlerFunc { return xmlOf("urlset", "url", paths) }

// indexes is an index of sitemaps.
func indexes(paths ...string) http.HandlerFunc { return xmlOf("sitemapindex", "sitemap", paths) }

func xmlOf(root, element string, paths []string) http.HandlerFunc {
	var b strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&b, "<%s><loc>%s%s</loc><lastmod>2001-01-01</lastmod></%[1]s>", element, testkit.Origin, p)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		_, _ = fmt.Fprintf(w, "<%s>%s</%[1]s>", root, b.String())
	}
}

func plain(says string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte(says))
	}
}

// secretive is an address that waits for a day if only links lead to it.
const secretive = "/p/0f8fad5b-d9cb-469f-a165-70867728950e"

// A site that comes from another generator loses no page.
func TestSitemapOfTheSiteIsASource(t *testing.T) {
	for _, tt := range []struct {
		name  string
		site  testkit.Paths // besides the home page, which links to /linked, and /orphan
		opts  servemap.ExploreOptions
		left  string // for which something is left out
		wants []string
	}{
		{"none", testkit.Paths{}, servemap.ExploreOptions{}, "", nil},
		{"named by robots.txt", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml"),
			"/old.xml": publishes("/linked", "/orphan")}, servemap.ExploreOptions{}, "", []string{"/orphan"}},
		{"named by the owner", testkit.Paths{"/old.xml": publishes("/orphan")},
			servemap.ExploreOptions{Sitemaps: []string{"/old.xml"}}, "", []string{"/orphan"}},
		{"by its URL", testkit.Paths{"/old.xml": publishes("/orphan")}, servemap.ExploreOptions{
			Sitemaps: []string{testkit.Origin + "/old.xml"}}, "", []string{"/orphan"}},
		{"where the new one is", testkit.Paths{"/robots.txt": plain("Sitemap: /sitemap.xml"),
			"/sitemap.xml": publishes("/orphan")}, servemap.ExploreOptions{}, "", []string{"/orphan"}},
		{"an index, a redirect, lines", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml"),
			"/old.xml": moved(http.StatusFound, "/index.xml"), "/index.xml": indexes("/one.xml", "/two.txt", "/old.xml"),
			"/one.xml": publishes("/orphan"), "/two.txt": plain(testkit.Origin + "/other"), "/other": testkit.Page("other")},
			servemap.ExploreOptions{}, "", []string{"/orphan", "/other"}},
		{"an address like a secret", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml"),
			"/old.xml": publishes(secretive), secretive: testkit.Page("a product")}, servemap.ExploreOptions{}, "held", nil},
		{"an address that moved", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml"), "/old.xml": publishes("/was"),
			"/was": moved(http.StatusMovedPermanently, "/orphan")}, servemap.ExploreOptions{}, "stale", []string{"/orphan"}},
		{"where an orphan leads", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml"), "/old.xml": publishes("/hub"),
			"/hub": testkit.Page("hub", "/below"), "/below": testkit.Page("below")}, servemap.ExploreOptions{}, "", []string{
			"/hub", "/below"}},
		{"what is no page", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml"),
			"/old.xml": publishes("/gone", "/login", "/own", "/hidden"), "/login": testkit.Reply(http.StatusOK,
				testkit.HTML("", "log in")+"<form><input type=password></form>"),
			"/own":    testkit.Reply(http.StatusOK, testkit.HTML("", "own"), "Cache-Control", "private"),
			"/hidden": testkit.Reply(http.StatusOK, testkit.HTML("", "hidden"), "X-Robots-Tag", "noindex")},
			servemap.ExploreOptions{}, "stale", nil},
		{"what may act, is disallowed, has a parameter",
			testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml\nUser-agent: *\nDisallow: /x/"),
				"/old.xml": publishes("/logout", "/x/a", "/view?id=1"), "/logout": func(http.ResponseWriter,
					*http.Request) {
					t.Error("was asked to log out")
				}, "/x/a": testkit.Page("a"),
				"/view": testkit.PageOfItsURL()}, servemap.ExploreOptions{}, "query", nil},
		{"not there", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml")}, servemap.ExploreOptions{}, "unread", nil},
		{"a page", testkit.Paths{"/robots.txt": plain("Sitemap: /old.xml"), "/old.xml": testkit.Page("no sitemap",
			"/orphan")}, servemap.ExploreOptions{}, "unread", nil},
		{"the new one, behind which a program shows a page", testkit.Paths{"/robots.txt": plain("Sitemap: /sitemap.xml"),
			"/sitemap.xml": testkit.Page("any address")}, servemap.ExploreOptions{}, "", nil},
		{"the new one, disallowed", testkit.Paths{"/robots.txt": plain("User-agent: *\nDisallow: /sitemap.xml")},
			servemap.ExploreOptions{}, "", nil},
		{"at a host that the owner has not named",
			testkit.Paths{"/robots.txt": plain("Sitemap: https://cdn.example.net/old.xml")}, servemap.ExploreOptions{}, "host",
			nil},
		{"of pages elsewhere", testkit.Paths{"/robots.txt": plain("Sitemap: /old.txt"),
			"/old.txt": plain("https://other.example/orphan\n" + testkit.Origin +
				"/orphan")}, servemap.ExploreOptions{}, "host", []string{"/orphan"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := testkit.Paths{"/": testkit.Page("home", "/linked"), "/linked": testkit.Page("linked"),
				"/orphan": testkit.Page("orphan")}
			for path, h := range tt.site {
				site[path] = h
			}
			testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
				done := explore(s, tt.opts)
				s.WantListed(append([]string{"/", "/linked"}, tt.wants...)...)
				if (done.Skipped[tt.left] > 0) != (tt.left != "") || tt.left == "" && len(done.Skipped) > 0 {
					s.Errorf("left out %v, %v", done.Skipped, done.Examples)
				}
				for path, date := range s.LastMods() {
					if date != "" {
						s.Errorf("%s has the date %s", path, date)
					}
				}
			})
		})
	}
}

// Only a site that does not answer is left alone, and one that takes long is not made to last twice as long.
func TestSitemapIsReadBehindOthers(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) { time.Sleep(20 * time.Second); publishes("/linked")(w, r) }
	for _, tt := range []struct {
		name   string
		others int
		answer http.HandlerFunc
		unread int
	}{
		{"that are not there", 20, http.NotFound, 20},
		{"that take long", 12, slow, 0},
		{"that a site refuses", 20, testkit.Reply(http.StatusServiceUnavailable, ""), 21},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := testkit.Paths{"/": testkit.Page("home", "/linked"), "/linked": testkit.Page("linked"),
				"/orphan": testkit.Page("orphan")}
			parts := make([]string, tt.others)
			for i := range parts {
				parts[i] = fmt.Sprintf("/part-%d.xml", i)
				site[parts[i]] = tt.answer
			}
			site["/robots.txt"], site["/last.xml"] = plain("Sitemap: /index.xml"), publishes("/orphan")
			site["/index.xml"] = indexes(append(parts, "/last.xml")...)
			testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
				left := explore(s, servemap.ExploreOptions{}).Skipped["unread"]
				if s.Settle(); left != tt.unread || (s.Stats().Listed == 3) != (left <= tt.others) {
					s.Errorf("%d unread, %d listed", left, s.Stats().Listed)
				}
			})
		})
	}
}

// An owner's own sitemap may name a page that has gone. He is told, also if the page is listed still.
func TestPublishedPageThatHasGoneIsTold(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home"), "/orphan": testkit.Page("orphan"),
		"/robots.txt": plain("Sitemap: /old.xml"), "/old.xml": publishes("/orphan")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/orphan")
		site["/orphan"] = http.NotFound
		if done := explore(s, servemap.ExploreOptions{}); done.Skipped["stale"] != 1 {
			s.Errorf("left out %v", done.Skipped)
		}
	})
}

// A sitemap of any size costs no more requests than the owner allows, and the rest is told, for the next time.
func TestSitemapLargerThanTheBudget(t *testing.T) {
	paths := make([]string, 60)
	site := testkit.Paths{"/": testkit.Page("home")}
	for i := range paths {
		paths[i] = fmt.Sprintf("/words-%d", i)
		site[paths[i]] = testkit.Page(paths[i])
	}
	site["/sitemap.xml"] = publishes(paths...)
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		const most = 20
		done := explore(s, servemap.ExploreOptions{MaxRequests: most})
		s.Settle()
		if listed := s.Stats().Listed; listed != most || len(done.Skipped) > 0 || done.Waiting != 61-most {
			s.Errorf("%d listed; left %v, %d waiting", listed, done.Skipped, done.Waiting)
		}
		for range 3 { // the next one goes on
			explore(s, servemap.ExploreOptions{MaxRequests: most})
			s.Settle()
		}
		if listed := s.Stats().Listed; listed != 61 {
			s.Errorf("%d are listed in the end", listed)
		}
	})
}

// An orphan is known by what it is listed for, until a page links to it.
func TestOrphanIsToldUntilAPageLinksToIt(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/linked"), "/linked": testkit.Page("linked"),
		"/orphan": testkit.Page("orphan"), "/robots.txt": plain("Sitemap: /old.xml"),
		"/old.xml": publishes("/", "/linked", "/orphan")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantVerdict("/linked", "listed", "link")
		s.WantVerdict("/orphan", "listed", "sitemap")
		site["/"] = testkit.Page("home, and more", "/linked", "/orphan")
		s.Restart()
		explore(s, servemap.ExploreOptions{})
		s.WantVerdict("/orphan", "listed", "link")
	})
}

// What servemap lists is no evidence for what it lists.
func TestOwnSitemapIsNoSource(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a"), "/a": testkit.Page("a")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/a")
		explore(s, servemap.ExploreOptions{Sitemaps: []string{"/sitemap.xml"}})
		s.WantVerdict("/a", "listed", "link")
		if p, err := s.Explain(s.Context(), "/a"); err != nil || strings.Contains(fmt.Sprint(p), "sitemap that") {
			s.Errorf("%v, %v", p, err)
		}
	})
}

// After a restart only revisits begin. They need no sitemap of the site, which may be large.
func TestRevisitsAloneReadNoSitemap(t *testing.T) {
	asked := 0
	site := testkit.Paths{"/": testkit.Page("home"), "/sitemap.xml": func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.NotFound(w, r)
	}}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{MaxRequests: 1})
		if asked > 0 {
			s.Errorf("asked %d times", asked)
		}
		if explore(s, servemap.ExploreOptions{}); asked != 1 {
			s.Errorf("asked %d times", asked)
		}
	})
}
