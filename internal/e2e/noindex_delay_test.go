package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

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
