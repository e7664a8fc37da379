package ledger

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// A page that was found gone while the clock was ahead leaves a minute after the
// clock is right, however often it is asked for, and after a restart too.
func TestSuspectNotedByAClockAheadHasItsMinute(t *testing.T) {
	for _, ahead := range []time.Duration{time.Second, 2 * time.Hour, 10 * years} {
		for _, seenAhead := range []bool{false, true} {
			for _, restarts := range []bool{false, true} {
				withPage(t, func(r *rig) {
					if seenAhead {
						r.sight("/a", html("a"), at(time.Now().Add(ahead)))
					}
					r.answer("/a", http.StatusNotFound, at(time.Now().Add(ahead+time.Second)))
					if restarts {
						r.restart()
						r.flush()
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

// A suspect leaves by time alone, also where the clock is set right meanwhile.
func TestSuspectHasItsMinuteThoughTheClockIsSetBack(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := suspects{of: map[string]suspect{}}
	l.note("/ahead", now.Add(10*years), now.Add(10*years))
	l.note("/right", now.Add(-59*time.Second), now)
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{
		{0, nil},
		{time.Second, []string{"/right"}},
		{59 * time.Second, []string{"/right"}},
		{60 * time.Second, []string{"/ahead", "/right"}},
	} {
		if got := l.overdue(now.Add(step.after)); !slices.Equal(got, step.want) {
			t.Errorf("after %v overdue are %q, want %q", step.after, got, step.want)
		}
	}
}

// Storing that a page is gone may be too much for a transaction, as where other
// processes write the same records all the time. The page is out of the files, and
// storing it is tried again until the store takes it.
func TestSuspectIsKeptUntilItIsStoredAsGone(t *testing.T) {
	tests := []struct {
		name      string
		meanwhile func(*rig)
		want      []string
	}{
		{"nobody gets the page", func(*rig) {}, []string{"/"}},
		{"a visitor is told once more", func(r *rig) { r.answer("/a", http.StatusNotFound) }, []string{"/"}},
		{"a visitor gets the page", func(r *rig) { r.sight("/a", html("a")) }, []string{"/", "/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := &hooked{Store: new(memstore.Store), page: "/a"}
			inBubble(t, Config{Store: st}, func(r *rig) {
				r.sight("/", html("home", "/a"))
				r.sight("/a", html("a"))
				r.answer("/a", http.StatusNotFound)
				r.wantListed("/", "/a")
				var tried atomic.Int64
				tooMuch := func(func()) error { tried.Add(1); return store.ErrInvalid }
				st.before.Store(&tooMuch)
				time.Sleep(pagerecord.ConfirmAfter + 5*time.Second)
				if n := tried.Load(); n != 1 {
					t.Errorf("the store was asked %d times, want once and again in a minute", n)
				}
				if p := r.page("/a"); p.Verdict != admit.Listed || r.files.Lists("/a") {
					t.Errorf("/a is %v in the store, and in the files: %v; want listed, and not in the files", p.Verdict, r.files.Lists("/a"))
				}
				time.Sleep(10 * pagerecord.ConfirmAfter)
				if r.files.Lists("/a") || tried.Load() != 3 {
					t.Errorf("later /a is in the files: %v, and the store was asked %d times, want after 1, 3 and 7 minutes", r.files.Lists("/a"), tried.Load())
				}
				time.Sleep(10 * time.Hour)
				if r.files.Lists("/a") || tried.Load() > 3+4+10 {
					t.Errorf("hours later /a is in the files: %v, and the store was asked %d times", r.files.Lists("/a"), tried.Load())
				}
				if n := strings.Count(r.log.String(), "does not take that a page is gone"); n != 1 {
					t.Errorf("it is told %d times", n)
				}
				st.before.Store(nil)
				tt.meanwhile(r)
				time.Sleep(confirmSeldom)
				r.flush()
				r.wantListed(tt.want...)
				if n := len(r.ledger.suspects.of); n != 0 {
					t.Errorf("%d pages are in doubt at the end", n)
				}
				if n := r.ledger.Stats().Dropped; n != 0 {
					t.Errorf("%d sightings are counted as dropped, and none was", n)
				}
			})
		})
	}
}

// Suspects are read from the store again and again. A known one keeps its wait. One that
// was noted anew has a minute.
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

// A suspect whose record was removed or damaged is none after its minute.
func TestSuspectWithoutARecordIsDropped(t *testing.T) {
	for name, record := range map[string][]byte{"removed": nil, "damaged": []byte("?")} {
		t.Run(name, func(t *testing.T) {
			withPage(t, func(r *rig) {
				r.answer("/a", http.StatusNotFound)
				r.put(r.ledger.site.Keys.Page("/a"), record)
				time.Sleep(2 * pagerecord.ConfirmAfter)
				r.flush()
				if n := len(r.ledger.suspects.of); n != 0 {
					t.Errorf("%d pages are in doubt", n)
				}
			})
		})
	}
}
