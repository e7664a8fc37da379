package e2e

import (
	"cmp"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// A compressor around the site also compresses the sitemap, which changes its length.
func TestSitemapIsWholeBehindACompressor(t *testing.T) {
	plain := false
	mount := func(site *servemap.Site) http.Handler {
		inner := site.Wrap(testkit.PageOfItsURL())
		packed := compressing(inner)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if plain {
				inner.ServeHTTP(w, r)
			} else {
				packed.ServeHTTP(w, r)
			}
		})
	}
	testkit.Run(t, testkit.Setup{Mount: mount}, func(s *testkit.Site) {
		s.Visit("/")
		for _, file := range []string{"/sitemap.xml", "/sitemap-1.xml", "/sitemap.xml.gz"} {
			plain = true
			want := s.Get(file)
			plain = false
			got := s.Get(file) // the client asks for gzip by itself, and decompresses
			if got.Body != want.Body || want.Status != http.StatusOK {
				s.Errorf("%s: status %d, body %q, want %q", file, got.Status, got.Body, want.Body)
			}
			if packed := s.Get(file, "Accept-Encoding", "gzip"); packed.Header.Get("Content-Encoding") != "gzip" || packed.Body == want.Body {
				s.Errorf("%s is not compressed", file)
			}
			if vary := strings.Join(got.Header["Vary"], ", "); !strings.Contains(vary, "Cookie") {
				s.Errorf("%s: Vary: %s, want what others vary it by as well", file, vary)
			}
			tag := got.Header.Get("Etag")
			if !strings.HasPrefix(tag, "W/") {
				s.Errorf("%s: entity tag %s, want a weak one", file, tag)
			}
			if again := s.Get(file, "If-None-Match", tag); again.Status != http.StatusNotModified {
				s.Errorf("%s: status %d with the entity tag, want 304", file, again.Status)
			}
		}
	})
}

// compressing is a middleware like that of gorilla/handlers: it sets the coding first, and the type
// with the bytes.
func compressing(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Vary", "Cookie")
		zw := gzip.NewWriter(w)
		defer zw.Close()
		inner.ServeHTTP(compressor{w, zw}, r)
	})
}

// compressor is the writer that a compressing middleware puts around another.
type compressor struct {
	http.ResponseWriter
	zw *gzip.Writer
}

func (c compressor) Write(p []byte) (int, error) {
	if c.Header().Get("Content-Type") == "" {
		c.Header().Set("Content-Type", http.DetectContentType(p))
	}
	return c.zw.Write(p)
}

func TestRulesDecideWhatIsPublished(t *testing.T) {
	rules := []servemap.Rule{
		{Pattern: "/", ChangeFreq: "weekly"},
		{Pattern: "/list", Query: []string{"lang"}},
		{Pattern: "/list?lang=de", Priority: 0.85},
		{Pattern: "/$", ChangeFreq: "hourly", Priority: 1},
		{Pattern: "/inner/", List: servemap.DecisionNever},
		{Pattern: "/inner/page", Priority: 0.1},
		{Pattern: "/inner/public", List: servemap.DecisionAuto},
	}
	others := []servemap.Rule{
		{Pattern: "/list", Query: []string{"lang"}, Priority: 0.3},
		{Pattern: "/inner/public", List: servemap.DecisionNever},
	}
	wantEntries := func(s *testkit.Site, want ...string) {
		s.Helper()
		s.Settle()
		var got []string
		for _, u := range entries(s, "/sitemap.xml").URLs {
			got = append(got, strings.TrimPrefix(u.Loc, testkit.Origin)+" "+u.ChangeFreq+" "+u.Priority)
		}
		if !slices.Equal(got, want) {
			s.Errorf("the sitemap has %q, want %q", got, want)
		}
	}
	h := testkit.PageOfItsURL("/list?lang=de&amp;page=2", "/other?lang=de", "/inner/page", "/inner/public")
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, testkit.Setup{Options: servemap.Options{Rules: rules}, Handler: h})
		s.Visit("/", "/list?page=2&lang=de", "/other?lang=de", "/inner/page", "/inner/public")
		wantEntries(s, "/ hourly 1.0", "/inner/public weekly ", "/list?lang=de&page=2 weekly 0.9")
		s.Shut()
		// Other rules apply to stored pages before anybody visits.
		s = testkit.Start(t, testkit.Setup{Store: s.Store, Options: servemap.Options{Rules: others}, Handler: h})
		wantEntries(s, "/  ", "/list?lang=de&page=2  0.3")
	})
}

// Whatever an earlier run stored: the settings of this one decide, and a page that was forgotten stays out.
func TestWhatOtherSettingsStoredListsNothing(t *testing.T) {
	list := func(decision servemap.Decision, patterns ...string) (o servemap.Options) {
		for _, p := range patterns {
			o.Rules = append(o.Rules, servemap.Rule{Pattern: p, List: decision})
		}
		return o
	}
	links := []string{"/about", "/team/plan", "/forgotten"}
	for _, tt := range []struct {
		name         string
		earlier, now servemap.Options
		path         string // visited in both runs
		verdict, why string // of it now
	}{
		{"a rule excludes it", servemap.Options{}, list(servemap.DecisionNever, "/team/"), "/team/plan", "excluded", "rule-never"},
		{"its rule says the opposite", list(servemap.DecisionAlways, "/landing"), list(servemap.DecisionNever, "/landing"), "/landing", "excluded", "rule-never"},
		{"an exception is gone", list(servemap.DecisionAlways, "/team/plan"), list(servemap.DecisionNever, "/team/"), "/team/plan", "excluded", "rule-never"},
		{"an entry that a rule excludes", servemap.Options{Entries: []string{"/", "/start"}}, list(servemap.DecisionNever, "/start"), "/start", "excluded", "rule-never"},
		{"robots.txt disallows it", servemap.Options{}, servemap.Options{Robots: "User-agent: *\nDisallow: /team/"}, "/team/plan", "excluded", "disallowed"},
		{"its parameter makes no page", servemap.Options{Query: []string{"lang"}, Entries: []string{"/", "/list?lang=de"}}, servemap.Options{}, "/list?lang=de", "excluded", "query-not-canonical"},
		{"the forgotten page is an entry", servemap.Options{}, servemap.Options{Entries: []string{"/", "/forgotten"}}, "/forgotten", "excluded", "forgotten"},
		{"the forgotten page has a rule that decides by evidence", servemap.Options{}, list(servemap.DecisionAuto, "/forgotten"), "/forgotten", "excluded", "forgotten"},
		{"the forgotten page was listed by a rule", list(servemap.DecisionAlways, "/about"), servemap.Options{Name: "map"}, "/forgotten", "excluded", "forgotten"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t, testkit.Setup{Options: tt.earlier, Handler: testkit.PageOfItsURL(links...)})
				s.Visit(append(links, "/", tt.path)...)
				s.Visit("/about") // its links count now
				s.Settle()
				if e := s.Explained(tt.path); e.Verdict != servemap.VerdictListed {
					t.Fatalf("it was %s because of %s", e.Verdict, e.Reason)
				}
				base.Check(t, s.Forget(t.Context(), "/forgotten"))
				s.Shut()
				s = testkit.Start(t, testkit.Setup{Store: s.Store, Options: tt.now, Handler: testkit.PageOfItsURL(links...)})
				for range 2 { // as it was stored, and after visits
					s.Settle()
					s.WantVerdict(tt.path, tt.verdict, tt.why)
					s.WantVerdict("/forgotten", "excluded", "forgotten")
					for _, u := range entries(s, "/"+cmp.Or(tt.now.Name, "sitemap")+".xml").URLs {
						if u.Loc == testkit.Origin+tt.path || u.Loc == testkit.Origin+"/forgotten" {
							t.Errorf("the sitemap has %s", u.Loc)
						}
					}
					s.Visit(append(links, "/", tt.path)...)
				}
			})
		})
	}
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
		{"not one of the hosts", servemap.Options{Hosts: []string{"www.example.com"}}, [2]string{"Host", "localhost"}, false},
		{"another host, whatever a header says", servemap.Options{}, [2]string{"Host", "evil.example"}, false},
		{"a cookie known to be benign", servemap.Options{Benign: []string{"zzz"}}, [2]string{"Cookie", "zzz=1"}, true},
		{"a header of a proxy that is not known", servemap.Options{}, [2]string{"X-Acme-Edge", "1"}, false},
		{"a header that the owner names", servemap.Options{Benign: []string{"x-acme-edge:"}}, [2]string{"X-Acme-Edge", "1"}, true},
		{"a user, and the owner says anonymous", servemap.Options{Anonymous: anonymous}, [2]string{"X-Forwarded-User", "nobody"}, true},
		{"the owner says not anonymous", servemap.Options{Anonymous: anonymous}, [2]string{"X-Forwarded-User", "jane"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
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
	testkit.Run(t, testkit.Setup{Options: servemap.Options{ReportOnly: true}, Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		for _, name := range []string{"/sitemap.xml", "/sitemap.xml.gz", "/sitemap-1.xml"} {
			a := s.Get(name)
			if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" ||
				!strings.Contains(a.Body, "Options.ReportOnly") || strings.ContainsAny(a.Body, "0123456789") || strings.Contains(a.Body, "/a") {
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
