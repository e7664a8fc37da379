package e2e

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// crawl visits the entry and then each path.
func crawl(s *testkit.Site, paths []string, headers ...string) {
	s.Helper()
	s.Get("/", headers...)
	s.Settle() // so that the links are known
	for _, path := range paths {
		s.Get(path, headers...)
	}
	s.Settle()
}

// wrapped mounts pages that the site wraps.
func wrapped(h http.HandlerFunc) func(*servemap.Site) http.Handler {
	return func(s *servemap.Site) http.Handler { return s.Wrap(h) }
}

// pageWith answers each location with a page of its own, more in its head, and
// further header lines.
func pageWith(head func(path string) string, links []string, lines ...string) func(*servemap.Site) http.Handler {
	return wrapped(func(w http.ResponseWriter, r *http.Request) {
		testkit.Reply(http.StatusOK, testkit.HTML(head(r.URL.Path), r.URL.Path, links...), lines...)(w, r)
	})
}

// moved redirects to another origin.
func moved(to string, status int) func(*servemap.Site) http.Handler {
	return wrapped(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to+r.URL.Path, status) })
}

// besideTheSite runs the site on a response of its own, as an adaptor for another
// kind of server does. It goes on by itself if that called the next handler.
func besideTheSite(h http.HandlerFunc) func(*servemap.Site) http.Handler {
	return func(s *servemap.Site) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec, next := httptest.NewRecorder(), false
			s.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { next = true })).ServeHTTP(rec, r)
			if next {
				h(w, r)
			}
		})
	}
}

// Each site makes one mistake, and gets the one hint that names it.
func TestHintSaysWhyASiteIsNotLearned(t *testing.T) {
	const www = "https://www.example.com"
	slugs := numbered("/post-%d", 25)
	queries := numbered("/index.php?p=%d", 25)
	personal := numbered("/?k8f3a9c1b2d%d=1", 25)
	tokens := numbered("/watch/3f2504e0-4f89-41d3-9a0c-0305e82c%04x", 25)
	linking := func(links []string) func(*servemap.Site) http.Handler { return wrapped(testkit.PageOfItsURL(links...)) }
	head := func(text string) func(string) string { return func(string) string { return text } }
	canonical := func(path string) string { return `<link rel="canonical" href="` + www + path + `">` }
	for _, tt := range []struct {
		name, origin string
		mount        func(*servemap.Site) http.Handler
		paths        []string
		headers      []string
		want         []string // of the hints
	}{
		{"nothing wrong", "", linking(slugs), slugs, nil, nil},
		{"text without markup, as of fiber's SendString", "", pageWith(head(""), slugs, "Content-Type", "text/plain; charset=utf-8"), slugs, nil,
			[]string{"other types than HTML so far"}},
		{"pages that an adaptor writes elsewhere", "", besideTheSite(testkit.PageOfItsURL(slugs...)), slugs, nil, []string{"fiber"}},
		{"an entry that leads to www", "", moved(www, http.StatusMovedPermanently), slugs, nil, []string{"That is https://www.example.com."}},
		{"an entry that leads from www", www, moved(testkit.Origin, http.StatusFound), slugs, nil, []string{"That is https://example.com."}},
		{"canonicals on www", "", pageWith(canonical, slugs), slugs, nil, []string{"That is https://www.example.com."}},
		{"links on www", "", linking(numbered(www+"/post-%d", 25)), slugs, nil, []string{"That is https://www.example.com."}},
		{"queries that make the page", "", linking(queries), queries, nil, []string{"Most have: p."}},
		{"queries of names that look like somebody's", "", linking(personal), personal, nil, []string{"not told here"}},
		{"tokens behind a proxy", "", linking(tokens), tokens, []string{"X-Forwarded-For", "8.8.8.8"}, []string{"Options.ClientIP, or write an Always rule"}},
		{"nofollow in a meta", "", pageWith(head(`<meta name="robots" content="index, nofollow">`), slugs), slugs, nil, []string{"nofollow"}},
		{"nofollow in a header", "", pageWith(head(""), slugs, "X-Robots-Tag", "nofollow"), slugs, nil, []string{"nofollow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Origin: tt.origin, Mount: tt.mount}, func(s *testkit.Site) {
				for _, paths := range [][]string{tt.paths, tt.paths, nil, nil} {
					crawl(s, paths, tt.headers...)
				}
				s.WantHints(tt.want...)
				for _, never := range []string{"post-7", "3f2504e0", "8f3a9c"} {
					if log := s.Logged.String(); strings.Contains(log, never) {
						s.Errorf("the log names a page, or a parameter that may be somebody's:\n%s", log)
					}
				}
			})
		})
	}
}

func TestNoHintOfQueriesThatTheSiteLinksToNowhere(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		crawl(s, append(numbered("/?buy=%d", 40), "/a"))
		s.WantHints()
	})
}

// A site saves a session at each visit, as with gorilla/sessions, under a name of
// its own.
func TestHintOfASessionForEveryVisitor(t *testing.T) {
	links := numbered("/post-%d", 30)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session-name", Value: "MTc5NTMzMzE1OHxEWDhFQVFM", Path: "/", MaxAge: 86400 * 30})
		testkit.PageOfItsURL(links...)(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		s.Visit("/") // the visitor's first page sets his cookie
		for _, path := range links {
			s.Get(path, "Cookie", "session-name=MTc5NTMzMzE1OHxEWDhFQVFM")
		}
		s.WantHints("Options.BenignCookies")
	})
}

func TestHintOfASiteOfWhichHardlyAPageIsListed(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/news")}, func(s *testkit.Site) {
		s.Get("/")
		for _, path := range numbered("/archive/%d", 40) {
			s.Get(path)
		}
		synctest.Wait()
		if hints := s.Stats().Hints; len(hints) != 0 {
			s.Errorf("hints %q at once, want none", hints)
		}
		time.Sleep(6 * time.Minute)
		const want = "41 were seen and 1 at most are listed, mostly since nothing shows that they are public; if they are, link to them"
		if hints := s.Stats().Hints; len(hints) != 1 || !strings.Contains(hints[0], want) {
			s.Errorf("hints %q after some minutes, want one with %q", hints, want)
		}
		time.Sleep(6 * time.Minute)
		if hints := s.Stats().Hints; len(slices.Compact(hints)) != 1 {
			s.Errorf("hints %q in the end, want one", hints)
		}
	})
}

// sessionWiki serves each page as a program does that keeps a session for every
// visitor.
func sessionWiki(cacheControl string, links ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", cacheControl)
		w.Header().Set("Expires", "Thu, 19 Nov 1981 08:52:00 GMT")
		http.SetCookie(w, &http.Cookie{Name: "PHPSESSID", Value: "0123456789abcdefghijklmnop", Path: "/"})
		if strings.HasPrefix(r.URL.Path, "/wiki/Special:") {
			w.Header().Set("X-Robots-Tag", "noindex")
		}
		testkit.PageOfItsURL(links...)(w, r)
	})
}

func TestNoHintWhereOneOfTheEntriesLeadsOn(t *testing.T) {
	handler := testkit.Paths{"/": testkit.Page("home", "/a"), "/plain": testkit.Page("plain"), "/a": testkit.Page("a")}
	for _, order := range [][]string{{"/", "/plain"}, {"/plain", "/"}} {
		t.Run(strings.Join(order, " then "), func(t *testing.T) {
			setup := testkit.Setup{Options: servemap.Options{Entries: []string{"/", "/plain"}}, Handler: handler}
			testkit.Run(t, setup, func(s *testkit.Site) {
				s.Visit(order...)
				s.Visit("/a")
				s.WantHints()
			})
		})
	}
}

func TestIgnoreCacheControlListsPagesOfTheRule(t *testing.T) {
	rules := []servemap.Rule{{Pattern: "/$", IgnoreCacheControl: true}, {Pattern: "/wiki/", IgnoreCacheControl: true}}
	for _, cacheControl := range []string{"private, must-revalidate, max-age=0", "no-store, no-cache, must-revalidate"} {
		t.Run(cacheControl, func(t *testing.T) {
			setup := testkit.Setup{
				Options: servemap.Options{Rules: rules},
				Handler: sessionWiki(cacheControl, "/wiki/A", "/wiki/B", "/wiki/Special:Log", "/user/me", "/wiki/Seen-by-a-member"),
			}
			testkit.Run(t, setup, func(s *testkit.Site) {
				s.Visit("/", "/wiki/A", "/wiki/B", "/wiki/Special:Log", "/user/me")
				s.Get("/wiki/Seen-by-a-member", "Cookie", "PHPSESSID=1")
				s.WantListed("/", "/wiki/A", "/wiki/B")
				for url, want := range map[string]string{"/user/me": "excluded", "/wiki/Special:Log": "excluded", "/wiki/Seen-by-a-member": "waiting"} {
					if e := s.Explained(url); string(e.Verdict) != want {
						s.Errorf("%s is %s because of %s, want it %s", url, e.Verdict, e.Reason, want)
					}
				}
				s.WantHints()
			})
		})
	}
}

// One visitor of a listed page gets a private answer without the page.
func TestIgnoreCacheControlKeepsAListedPage(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private")
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		testkit.PageOfItsURL()(w, r)
	})
	opts := servemap.Options{Rules: []servemap.Rule{{Pattern: "/", IgnoreCacheControl: true}}}
	testkit.Run(t, testkit.Setup{Options: opts, Handler: h}, func(s *testkit.Site) {
		s.Get("/")
		s.WantListed("/")
		s.Get("/", "If-None-Match", `"a"`)
		s.WantListed("/")
	})
}

func TestHintOfPagesThatSayTheyAreForOneVisitor(t *testing.T) {
	for cacheControl, reason := range map[string]string{"private, must-revalidate, max-age=0": "private", "no-store, no-cache": "no-store"} {
		t.Run(reason, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: sessionWiki(cacheControl, "/wiki/A")}, func(s *testkit.Site) {
				s.Visit(append(numbered("/wiki/%d", 30), "/")...)
				for _, url := range []string{"/", "/wiki/7"} {
					s.WantVerdict(url, "excluded", reason)
					text := s.Explained(url).Text
					if !strings.Contains(text, "an anonymous visitor got it") || !strings.Contains(text, "Rule.IgnoreCacheControl") {
						s.Errorf("%s is explained by %q", url, text)
					}
				}
				s.WantHints("Rule.IgnoreCacheControl")
			})
		})
	}
}
