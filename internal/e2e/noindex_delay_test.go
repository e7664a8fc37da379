package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
)

// lastModOf returns the lastmod of a location in the sitemap, "" if it has none
// or is not listed.
func (s *evSite) lastModOf(location string) string {
	s.Helper()
	body := s.visit(evAnn, "/sitemap.xml").Body.String()
	_, entry, _ := strings.Cut(body, "<loc>https://example.com"+location+"</loc>")
	entry, _, _ = strings.Cut(entry, "</url>")
	_, date, _ := strings.Cut(entry, "<lastmod>")
	date, _, _ = strings.Cut(date, "</lastmod>")
	return date
}

// A wiki that asks for each page not to be indexed for five days after an edit
// takes it out for these days. It comes back with the date of the edit, and with
// what was known of it before.
func TestPageThatWasNoindexForAWhileComesBackWithItsDates(t *testing.T) {
	const delay = 5 * 24 * time.Hour
	for _, tt := range []struct {
		name  string
		head  string // what asks not to be indexed, "" for a header that does
		dated bool   // the server says when the page was edited
		edits bool   // or it asks for that without an edit
	}{
		{"seen to change", `<meta name="robots" content="noindex,follow">`, false, true},
		{"with Last-Modified", `<meta name="robots" content="noindex,nofollow">`, true, true},
		{"by a header", "", false, true},
		{"by a header, with Last-Modified", "", true, true},
		{"without an edit", `<meta name="robots" content="noindex,follow">`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var edited, asked time.Time // when it was edited, and since when it asks
			edits := 0
			wiki := func(w http.ResponseWriter, r *http.Request) {
				head := ""
				if !asked.IsZero() && time.Since(asked) < delay {
					if head = tt.head; head == "" {
						w.Header().Set("X-Robots-Tag", "noindex")
					}
				}
				if tt.dated {
					w.Header().Set("Last-Modified", edited.UTC().Format(http.TimeFormat))
				}
				evWrite(w, head, fmt.Sprintf("a page of the wiki in version %d", edits))
			}
			edit := func() { edited, edits = time.Now().Truncate(time.Second), edits+1 }
			pages := map[string]http.HandlerFunc{"/": evPage("the home page", "/wiki"), "/wiki": wiki}
			evRun(t, pages, servemap.Options{}, func(s *evSite) {
				edited = time.Now().Add(-100 * 24 * time.Hour).Truncate(time.Second)
				s.visit(evAnn, "/")
				for range 3 {
					s.visit(evAnn, "/wiki")
					time.Sleep(24 * time.Hour)
				}
				edit()
				s.visit(evAnn, "/wiki")
				s.visit(evAnn, "/wiki")
				first := edited.UTC().Format(time.RFC3339)
				if got := s.lastModOf("/wiki"); got != first {
					t.Fatalf("after an edit the lastmod is %q, want %q", got, first)
				}
				time.Sleep(24 * time.Hour)
				if tt.edits {
					edit()
				}
				asked = time.Now()
				for range 5 {
					s.visit(evBob, "/wiki")
					s.wantListed("/")
					s.wantVerdict("/wiki", "excluded", "noindex")
					time.Sleep(23 * time.Hour)
				}
				time.Sleep(delay)
				s.visit(evBob, "/wiki")
				s.wantListed("/", "/wiki")
				want := edited.UTC().Format(time.RFC3339)
				if got := s.lastModOf("/wiki"); got != want {
					t.Errorf("back in the sitemap, the lastmod is %q, want that of the edit, %q", got, want)
				}
				e, err := s.site.Explain(s.Context(), "/wiki")
				if err != nil {
					t.Fatal(err)
				}
				if len(e.Dates.Changes) != edits {
					t.Errorf("%d changes are remembered, want %d: %v", len(e.Dates.Changes), edits, e.Dates.Changes)
				}
			})
		})
	}
}
