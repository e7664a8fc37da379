package ledger

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/journal"
)

// wantEvents checks what the journal has since a time.
func (r *rig) wantEvents(since time.Time, want ...string) {
	r.Helper()
	var got []string
	for e, err := range r.ledger.Events(r.Context(), since) {
		if err != nil {
			r.Errorf("the events since %v: %v", since, err)
			return
		}
		got = append(got, [...]string{journal.Added: "added ", journal.Changed: "changed ", journal.Removed: "removed "}[e.What]+e.Location)
	}
	if !slices.Equal(got, want) {
		r.Errorf("events are %q, want %q", got, want)
	}
}

func TestJournalTellsOfListedPages(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b"))
		r.sight("/a", html("first"))
		r.sight("/b", html("second"))
		r.sight("/secret/0f8fad5b-d9cb-469f-a165-70867728950e", html("nobody links here"))
		r.wantEvents(time.Time{}, "added /", "added /a", "added /b")

		time.Sleep(24 * time.Hour)
		since := time.Now()
		r.sight("/b", html("second")) // a visit that shows nothing new
		r.wantEvents(since)
		r.sight("/a", strings.Replace(html("first"), "</main>", "<p>"+atLength("And then something else happened")+"</main>", 1))
		r.answer("/b", http.StatusGone)
		r.wantEvents(since, "changed /a", "removed /b")

		r.restart()
		r.sight("/b", html("second"))
		r.wantEvents(since, "changed /a", "added /b")
		r.forget("/a")
		r.wantEvents(since, "added /b")
		r.wantNoTrace("/a")
	})
}
