package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// campaign is a site whose home page links to /a. That page answers with clean, or with tracked if
// there is a query.
type campaign struct{ clean, tracked http.HandlerFunc }

func (c *campaign) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/":
		testkit.Page("home", "/a")(w, r)
	case r.URL.Path != "/a":
		http.NotFound(w, r)
	case r.URL.RawQuery != "":
		c.tracked(w, r)
	default:
		c.clean(w, r)
	}
}

// status answers with a status and a short page.
func status(code int, headers ...string) http.HandlerFunc {
	return testkit.Reply(code, testkit.HTML("", "an error"), headers...)
}

// A site may answer a campaign's link with anything. None of that removes, moves or dates the clean
// page.
func TestAnswersToTrackingParametersDoNotAffectThePage(t *testing.T) {
	const modified = "Sat, 01 Jan 2000 00:00:00 GMT" // when virtual time begins
	clean := testkit.HTML("", "the clean page")
	same := func(headers ...string) http.HandlerFunc { return testkit.Reply(http.StatusOK, clean, headers...) }
	for _, tt := range []struct {
		name    string
		method  string
		tracked http.HandlerFunc
	}{
		{"noindex header", "GET", same("X-Robots-Tag", "noindex")},
		{"private", "GET", same("Cache-Control", "private")},
		{"404", "GET", status(404)},
		{"410", "GET", status(410)},
		{"301 elsewhere", "GET", status(301, "Location", "/landing")},
		{"another text with a date", "GET", testkit.Reply(http.StatusOK, testkit.HTML("", "a landing page with a text that is not that of the clean one"),
			"Last-Modified", "Sat, 01 Jan 2000 00:03:00 GMT")},
		{"HEAD with noindex", "HEAD", same("X-Robots-Tag", "noindex")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &campaign{same("Last-Modified", modified), tt.tracked}
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				time.Sleep(2 * time.Hour)
				s.Visit("/", "/a")
				s.WantListed("/", "/a")
				before := s.LastMods()["/a"]
				for range 40 { // ten minutes
					s.Ask(tt.method, "/a?utm_source=x")
					if all := s.LastMods(); len(all) != 2 {
						s.Fatalf("before the visit is merged, the sitemap lists %v", all)
					}
					s.WantListed("/", "/a")
					time.Sleep(15 * time.Second)
				}
				s.Visit("/a")
				if after := s.LastMods()["/a"]; after != before || before == "" {
					s.Errorf("the lastmod of /a was %q and is %q", before, after)
				}
			})
		})
	}
}

// A stranger keeps asking for the page with tracking parameters, and still gets it. That does not
// hide that the page is gone.
func TestPageLeavesDespiteTrackedVisits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		clean  http.HandlerFunc
		within time.Duration
	}{
		{"410", status(410), time.Minute},
		{"noindex", testkit.Reply(http.StatusOK, testkit.HTML("", "the clean page"), "X-Robots-Tag", "noindex"), time.Minute},
		{"404", status(404), 3 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := testkit.Page("the clean page")
			h := &campaign{page, page}
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				s.Visit("/", "/a")
				s.WantListed("/", "/a")
				for range 100 { // its observations are a minute apart by now
					s.Get("/a")
					s.Get("/a?gclid=1")
					time.Sleep(10 * time.Second)
				}
				h.clean = tt.clean
				for range tt.within / time.Second {
					s.Get("/a?gclid=1")
					s.Get("/a")
					time.Sleep(time.Second)
				}
				s.WantListed("/")
				for range 60 { // tracked visits do not bring it back
					s.Get("/a?gclid=1")
					time.Sleep(10 * time.Second)
				}
				s.WantListed("/")
			})
		})
	}
}

func TestNoindexOfAFetchedFragmentDoesNotTakeThePageOut(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Dest") == "empty" {
			testkit.Reply(http.StatusOK, "<p>news", "X-Robots-Tag", "noindex")(w, r)
			return
		}
		testkit.Page("home")(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		script := []string{"Sec-Fetch-Dest", "empty"}
		s.Get("/", script...)
		s.Get("/", script...)
		s.Get("/")
		s.WantListed("/")
		s.Get("/", script...)
		s.WantListed("/")
		if n := s.Stats().Ignored["fragment"]; n == 0 {
			s.Error("the stats do not count the fragments")
		}
	})
}
