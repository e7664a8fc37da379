package ledger

import (
	"context"
	"fmt"
	"github.com/servemap/servemap/internal/pagerecord"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// However often it is asked for.
func TestPageFoundGoneByAClockThatWasAheadLeavesAfterAMinute(t *testing.T) {
	for _, ahead := range []time.Duration{time.Second, 2 * time.Hour, 10 * years} {
		for _, seenAhead := range []bool{false, true} {
			for _, restarts := range []bool{false, true} {
				runWithPage(t, fmt.Sprintf("%v ahead, witness too %t, restart %t", ahead, seenAhead, restarts), func(r *rig) {
					if seenAhead {
						r.sight("/a", html("a"), at(time.Now().Add(ahead)))
					}
					r.answer("/a", http.StatusNotFound, at(time.Now().Add(ahead+time.Second)))
					if restarts {
						r.restart()
					}
					r.wantListed("/", "/a")
					for range 5 {
						time.Sleep(15 * time.Second)
						r.answer("/a", http.StatusNotFound)
					}
					r.wantListed("/")
					r.wantVerdict("/a", admit.Gone, admit.NotFound)
				})
			}
		}
	}
}

func TestSuspectHasItsMinuteThoughTheClockIsSetBack(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := suspects{}
	l.note("/ahead", now.Add(10*years), now.Add(10*years))
	l.note("/right", now.Add(-59*time.Second), now)
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{{0, nil}, {time.Second, []string{"/right"}}, {59 * time.Second, []string{"/right"}}, {60 * time.Second, []string{"/ahead", "/right"}}} {
		if got := l.overdue(now.Add(step.after)); !slices.Equal(got, step.want) {
			t.Errorf("after %v overdue are %q, want %q", step.after, got, step.want)
		}
	}
}

// Storing that a page is gone may fail for a long time, for example if other processes keep
// writing the same records. The page leaves the files anyway. Storing it is tried again
// when the suspects are next read.
func TestSuspectThatCannotBeStoredAsGoneIsNotServed(t *testing.T) {
	st := base.NewStore()
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.crawl("/a")
		r.answer("/a", http.StatusNotFound)
		st.OnUpdateOf("|page|/a", func(context.Context, []string, func([][]byte) error) error { return store.ErrInvalid })
		time.Sleep(pagerecord.ConfirmAfter + 5*time.Second)
		r.wantShown("/")
		r.wantVerdict("/a", admit.Listed, admit.ByLink)
		st.Mend()
		r.restart()
		r.wantListed("/")
		r.wantNoSuspects()
	})
}

// The suspects are read from the store again and again. A suspect keeps its minute while
// its doubt is the same, even if a clock that was ahead noted it. A new doubt has a new
// minute.
func TestSuspectThatIsReadAgainKeepsItsMinute(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before, later := now.Add(-30*time.Second), now.Add(time.Hour)
	for _, tt := range []struct {
		name        string
		known       suspects
		noted, want time.Time
	}{
		{"not known", suspects{}, before, before},
		{"not known, noted by a clock that is ahead", suspects{}, later, now},
		{"the same", suspects{"/a": before}, before, before},
		{"the same, noted by a clock that is ahead", suspects{"/a": before}, later, before},
		{"noted anew", suspects{"/a": before}, before.Add(time.Second), before.Add(time.Second)},
	} {
		if tt.known.note("/a", tt.noted, now); !tt.known["/a"].Equal(tt.want) {
			t.Errorf("%s: its minute begins at %v, want %v", tt.name, tt.known["/a"], tt.want)
		}
	}
}

func TestSuspectWithoutARecordIsDropped(t *testing.T) {
	for name, record := range map[string][]byte{"removed": nil, "damaged": []byte("?")} {
		runWithPage(t, name, func(r *rig) {
			r.answer("/a", http.StatusNotFound)
			r.put(r.ledger.site.Keys.Page("/a"), record)
			r.wait(2 * pagerecord.ConfirmAfter)
			r.wantNoSuspects()
		})
	}
}
