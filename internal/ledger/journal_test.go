package ledger

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
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
		r.sight("/a", strings.Replace(html("first"), "</main>", "<p>"+"And then something else happened, which nobody could have known before it did so."+"</main>", 1))
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

func TestJournalOfASiteThatWasThereBeforeIt(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		r.sight("/a", html("first"))
		r.drop("journal", "log|")
		r.restart()
		began := time.Now()
		var err error
		for _, err = range r.ledger.Events(r.Context(), began.Add(-time.Hour)) {
		}
		if !errors.Is(err, journal.ErrOlder) {
			t.Errorf("%v for a time that nothing is known of", err)
		}
		r.answer("/a", http.StatusGone)
		r.wantEvents(began, "removed /a")
	})
}

// What a clock noted that was ahead is told of once: when its time comes, or, where
// that is far off, when the journal is reviewed.
func TestEventsOfAClockThatWasAhead(t *testing.T) {
	for _, tt := range []struct {
		ahead time.Duration // it is told of when that time comes
	}{{30 * time.Second}, {10 * time.Hour}, {6 * 24 * time.Hour}} {
		runInBubble(t, tt.ahead.String(), Config{}, func(r *rig) {
			r.sight("/", html("home", "/a"))
			r.sight("/a", html("first"))
			r.changesAt("/a", html("second"), time.Now().Add(tt.ahead))
			since := time.Now()
			r.wantEvents(since)
			time.Sleep(tt.ahead - time.Second)
			r.wantEvents(since)
			time.Sleep(time.Second)
			r.wantEvents(since, "changed /a")
			for e := range r.ledger.Events(r.Context(), since) {
				if e.At.After(time.Now()) {
					r.Errorf("it is told to happen %v from now", time.Until(e.At))
				}
			}
			last := time.Now().Add(time.Second)
			time.Sleep(3 * 24 * time.Hour)
			r.wantEvents(last)
			r.answer("/a", http.StatusGone)
			r.wantEvents(since, "removed /a")
		})
	}
}

// changesAt has a look at a page that has changed merged by a clock that is off.
func (r *rig) changesAt(location, body string, when time.Time) {
	r.Helper()
	r.check(r.ledger.call(r.Context(), func(ctx context.Context) error {
		s := seen(location, body)
		before, err := r.ledger.glance(ctx, []*look.Sighting{s})
		if err != nil {
			return err
		}
		k := r.ledger.lookAt(s, before[0], true)
		return r.ledger.commitAt(ctx, when, nil, func(m *merge.Batch) { m.ApplyPage(k.Look) })
	}))
}
