package ledger

import (
	"context"
	"fmt"
	"github.com/servemap/servemap/internal/pagerecord"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
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
	l := suspects{of: map[string]suspect{}}
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

// Storing that a page is gone may be too much for a transaction, as where other
// processes write the same records all the time. The page is out of the files, and
// storing it is tried again until the store takes it.
func TestSuspectIsKeptUntilItIsStoredAsGone(t *testing.T) {
	for _, tt := range []struct {
		name      string
		meanwhile func(*rig)
		want      []string
	}{
		{"nobody gets the page", func(*rig) {}, []string{"/"}},
		{"a visitor gets 404 once more", func(r *rig) { r.answer("/a", http.StatusNotFound) }, []string{"/"}},
		{"a visitor gets the page", func(r *rig) { r.sight("/a", html("a")) }, []string{"/", "/a"}},
	} {
		st := base.NewStore()
		runInBubble(t, tt.name, Config{Store: st}, func(r *rig) {
			r.crawl("/a")
			r.answer("/a", http.StatusNotFound)
			r.wantListed("/", "/a")
			var tried atomic.Int64
			st.OnUpdateOf("|page|/a", func(context.Context, []string, func([][]byte) error) error { tried.Add(1); return store.ErrInvalid })
			for _, step := range []struct {
				wait        time.Duration
				least, most int64
			}{
				{pagerecord.ConfirmAfter + 5*time.Second, 1, 1},
				{10 * pagerecord.ConfirmAfter, 3, 3}, // after 1, 3 and 7 minutes
				{10 * time.Hour, 4, 3 + 4 + 10},
			} {
				time.Sleep(step.wait)
				r.wantShown("/")
				if n := tried.Load(); n < step.least || n > step.most {
					r.Errorf("after %v more the store was asked %d times, want %d to %d", step.wait, n, step.least, step.most)
				}
			}
			r.wantVerdict("/a", admit.Listed, admit.ByLink)
			r.wantLogged("does not take that a page is gone", 1)
			st.Mend()
			tt.meanwhile(r)
			r.wait(confirmSeldom)
			r.wantListed(tt.want...)
			r.wantNoSuspects()
			if n := r.ledger.Stats().Dropped; n != 0 {
				r.Errorf("%d sightings are counted as dropped, and none was", n)
			}
		})
	}
}

// Suspects are read from the store again and again. A known one keeps its wait. One
// that was noted anew has a minute.
func TestSuspectThatIsReadAgainKeepsItsWait(t *testing.T) {
	now := time.Now()
	noted := now.Add(-3 * time.Hour).Truncate(time.Millisecond)
	st, k := new(memstore.Store), keys.Keys("https://example.com|")
	l := &Ledger{cfg: Config{Store: st}, site: &merge.Site{Keys: k}}
	l.suspects.of = map[string]suspect{
		"/same":    {noted, now, confirmSeldom},
		"/another": {noted.Add(-time.Hour), now, confirmSeldom},
		"/over":    {noted, now, confirmSeldom},
	}
	err := st.Update(t.Context(), []string{k.Lost("/another"), k.Lost("/new"), k.Lost("/same")}, func(values [][]byte) error {
		for i := range values {
			var e record.Encoder
			e.Time(20, moment.Of(noted))
			values[i] = e.Seal()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.openSuspects(t.Context()); err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string]time.Duration{"/same": confirmSeldom, "/another": pagerecord.ConfirmAfter, "/new": pagerecord.ConfirmAfter, "/over": 0} {
		if d := l.suspects.of[location]; d.wait != want {
			t.Errorf("%s waits for %v, want %v", location, d.wait, want)
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
