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
			s.Errorf("after one observation: %q", text)
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
		s.Visit("/a") // a text that is replaced completely may be held until another observation
		wantLastMod(s, "/a", edited)
	})
}

// Each observation of a news page shows new headlines. They are not noise.
func TestListThatIsNewAtEveryObservationHasTheDateOfItsLastItem(t *testing.T) {
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
				s.Errorf("observation %d at %v: the lastmod is %q: %s", n, at, mod, s.Explained("/").Dates.Text)
			}
			time.Sleep(10 * time.Minute)
		}
	})
}

// A wiki asks that each page not be indexed for five days after an edit. That removes the page for
// these days. It comes back with the date of the edit, and with everything that was known of it.
func TestPageThatWasNoindexForAWhileComesBackWithItsDates(t *testing.T) {
	const delay = 5 * 24 * time.Hour
	const header = "" // it asks in a header
	for _, tt := range []struct {
		name   string
		head   string // what asks not to be indexed
		dated  bool   // the server says when the page was edited
		edited bool   // the page was edited when it began to ask
	}{
		{"seen to change", `<meta name="robots" content="noindex,follow">`, false, true},
		{"with Last-Modified", `<meta name="robots" content="noindex,nofollow">`, true, true},
		{"by a header", header, false, true},
		{"by a header, with Last-Modified", header, true, true},
		{"without an edit", `<meta name="robots" content="noindex,follow">`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var edited, asked time.Time // when it was edited, and since when it asks
			edits := 0
			edit := func() { edited, edits = time.Now().Truncate(time.Second), edits+1 }
			wiki := func(w http.ResponseWriter, r *http.Request) {
				head := ""
				if !asked.IsZero() && time.Since(asked) < delay {
					if head = tt.head; head == header {
						w.Header().Set("X-Robots-Tag", "noindex")
					}
				}
				if tt.dated {
					w.Header().Set("Last-Modified", edited.UTC().Format(http.TimeFormat))
				}
				testkit.Reply(http.StatusOK, testkit.HTML(head, fmt.Sprintf("a page of the wiki in version %d", edits)))(w, r)
			}
			pages := testkit.Paths{"/": testkit.Page("the home page", "/wiki"), "/wiki": wiki}
			inCrowd(t, pages, servemap.Options{}, func(c crowd) {
				wantDateOfEdit := func() {
					c.Helper()
					if got, want := c.LastMods()["/wiki"], edited.UTC().Format(time.RFC3339); got != want {
						c.Errorf("the lastmod is %q, want that of the last edit, %q", got, want)
					}
				}
				edited = time.Now().Add(-100 * 24 * time.Hour).Truncate(time.Second)
				c.visit(ann, "/")
				for range 3 {
					c.visit(ann, "/wiki")
					time.Sleep(24 * time.Hour)
				}
				edit()
				c.visitAll(ann, "/wiki", "/wiki")
				wantDateOfEdit()
				time.Sleep(24 * time.Hour)
				if tt.edited {
					edit()
				}
				asked = time.Now()
				for range 5 {
					c.visit(bob, "/wiki")
					c.WantListed("/")
					c.WantVerdict("/wiki", "excluded", "noindex")
					time.Sleep(23 * time.Hour)
				}
				time.Sleep(delay)
				c.visit(bob, "/wiki")
				c.WantListed("/", "/wiki")
				wantDateOfEdit()
				if changes := c.Explained("/wiki").Dates.Changes; len(changes) != edits {
					c.Errorf("%d changes are remembered, want %d: %v", len(changes), edits, changes)
				}
			})
		})
	}
}
