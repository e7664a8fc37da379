package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// stamped is a page of some sentences. The server says that it was modified at a time.
func stamped(at time.Time, title string, sentences int) http.HandlerFunc {
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s</title><body><main><a href=/a>a</a> <a href=/b>b</a>", title)
	for i := range sentences {
		fmt.Fprintf(&b, "<p>Sentence %d of %s says what none before it has said in so many words.", i, title)
	}
	return testkit.Reply(http.StatusOK, b.String(), "Last-Modified", at.UTC().Format(http.TimeFormat))
}

func wantLastMod(s *testkit.Site, location string, want time.Time) {
	s.Helper()
	if got := s.LastMods()[location]; got != want.UTC().Format(time.RFC3339) {
		s.Errorf("the lastmod of %s is %q, want %v; %s", location, got, want.UTC(), s.Explained(location).Dates.Text)
	}
}

// A page that is rewritten to a fraction of its length may be an error page. Its date decides.
func TestPageThatIsRewrittenShorterIsDatedByItsLastModified(t *testing.T) {
	h := testkit.Paths{"/b": testkit.Page("b")}
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		old := time.Now().Add(-100 * 24 * time.Hour)
		h["/"], h["/a"] = stamped(old, "home", 10), stamped(old, "the guide", 60)
		s.Visit("/", "/a", "/b")
		wantLastMod(s, "/a", old)
		time.Sleep(48 * time.Hour)
		edited := time.Now().Truncate(time.Second)
		h["/a"] = stamped(edited, "the short guide", 9)
		time.Sleep(3 * time.Hour)
		s.Visit("/a")
		if text := s.Explained("/a").Dates.Text; !strings.Contains(text, "was taken for an error") {
			s.Errorf("after one look: %q", text)
		}
		time.Sleep(24 * time.Hour)
		s.Visit("/a")
		wantLastMod(s, "/a", edited)

		for range 5 { // this is the page now
			time.Sleep(24 * time.Hour)
			s.Visit("/a")
		}
		wantLastMod(s, "/a", edited)
		time.Sleep(time.Hour)
		edited = time.Now().Truncate(time.Second)
		h["/a"] = stamped(edited, "the newest guide", 9)
		time.Sleep(time.Hour)
		s.Visit("/a")
		time.Sleep(time.Minute)
		s.Visit("/a") // a text that is replaced completely may be held until another look
		wantLastMod(s, "/a", edited)
	})
}

// A date that proved right stays when another page shows that its source is unreliable.
func TestDateOfAChangeThatWasSeenOutlivesTheTrustInItsSource(t *testing.T) {
	h := testkit.Paths{}
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		old := time.Now().Add(-100 * 24 * time.Hour)
		h["/"], h["/a"], h["/b"] = testkit.Page("home", "/a", "/b"), stamped(old, "a", 10), stamped(old, "b", 10)
		s.Visit("/", "/a", "/b")
		time.Sleep(time.Hour)
		edited := time.Now().Truncate(time.Second)
		h["/a"] = stamped(edited, "another a", 10)
		for range 2 {
			time.Sleep(time.Minute)
			s.Visit("/a")
		}
		wantLastMod(s, "/a", edited)
		for range 3 {
			time.Sleep(time.Hour)
			h["/b"] = stamped(time.Now(), "b", 10)
			s.Visit("/b")
		}
		if got := s.LastMods(); got["/b"] != "" {
			s.Errorf("the dates of a clock are published: %q", got["/b"])
		}
		wantLastMod(s, "/a", edited)
	})
}

// Nobody visits a new page for some days. The page that links to it is visited.
func TestNewPageIsDatedByTheLinkAndNotByItsFirstVisitor(t *testing.T) {
	h := testkit.Paths{"/": testkit.Page("home", "/a"), "/a": testkit.Page("a"), "/new": testkit.Page("what is new")}
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		s.Visit("/", "/a")
		time.Sleep(30 * 24 * time.Hour)
		h["/"] = testkit.Page("home, where there is news of something that nobody has ever heard of", "/a", "/new")
		linked := time.Now().Truncate(time.Second)
		s.Visit("/")
		time.Sleep(6 * 24 * time.Hour)
		s.Visit("/new")
		wantLastMod(s, "/new", linked)
		if text := s.Explained("/new").Dates.Text; !strings.Contains(text, "first showed a link to it") {
			s.Errorf("%q", text)
		}
	})
}

// A static site whose build takes minutes.
func TestTimesOfABuildOfMinutesArePublishedOnNoPage(t *testing.T) {
	const pages = 101
	h := testkit.Paths{}
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		built := time.Now().Add(-24 * time.Hour)
		links := []string{"/"}
		for i := range pages - 1 {
			links = append(links, fmt.Sprintf("/p%d", i))
		}
		for i, l := range links {
			at := built.Add(time.Duration(i) * 2500 * time.Millisecond).UTC().Format(http.TimeFormat)
			h[l] = testkit.Reply(http.StatusOK, testkit.HTML("", "The page "+l+" says what only it says.", links...), "Last-Modified", at)
		}
		s.Visit(links...)
		listed := s.LastMods()
		for l, at := range listed {
			if at != "" {
				s.Errorf("%s has the lastmod %s", l, at)
			}
		}
		if len(listed) != pages {
			s.Errorf("%d pages are listed, want %d", len(listed), pages)
		}
	})
}

// Each look at a news page shows new headlines. They are not noise.
func TestListThatIsNewAtEveryLookHasTheDateOfItsLastItem(t *testing.T) {
	n := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var items strings.Builder
		for i := range 12 {
			fmt.Fprintf(&items, "<article><h2><a href=/story/%d>%s</a></h2></article>", n-i, paragraph(n-i+100))
		}
		testkit.Reply(http.StatusOK, "<!DOCTYPE html><html><head><title>news</title></head><body><main>"+items.String()+"</main></body></html>")(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		for n = range 40 {
			at := time.Now().UTC()
			s.Visit("/")
			if mod := s.LastMods()["/"]; n > 5 && mod != at.Format(time.RFC3339) {
				s.Errorf("look %d at %v: the lastmod is %q: %s", n, at, mod, s.Explained("/").Dates.Text)
			}
			time.Sleep(10 * time.Minute)
		}
	})
}
