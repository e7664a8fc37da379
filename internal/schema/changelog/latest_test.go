package changelog

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// put stores an event as Note does.
func put(t *testing.T, st store.Store, j Journal, at time.Time, location string, what Happening) {
	t.Helper()
	err := st.Update(context.Background(), []string{j.Keys.Log(at.UnixMilli(), location)}, func(values [][]byte) error {
		values[0] = codec.Marshal(event{What: what})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLatestGivesTheNewestEventsAndCountsTheirDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, st := Journal{Keys: keys.Keys("https://example.com|")}, new(memstore.Store)
		time.Sleep(10 * 24 * time.Hour)
		now := time.Now()
		put(t, st, j, now.Add(time.Hour), "/later", Added) // by a clock that is ahead
		for n := range 30 {
			put(t, st, j, now.Add(-time.Duration(n)*6*time.Hour), fmt.Sprintf("/p%02d", n), Happening(1+n%3))
		}
		for _, l := range []string{"/c", "/a", "/b"} {
			put(t, st, j, now.Add(-time.Minute), l, Changed)
		}
		for _, tt := range []struct {
			name   string
			since  time.Duration
			before Event
			most   int
			want   string
		}{
			{"the last", 24 * time.Hour, Event{}, 3, "[/p00 /c /b]"},
			{"all since a time", 7 * time.Hour, Event{}, 100, "[/p00 /c /b /a /p01]"},
			{"before one of the same time", 7 * time.Hour, Event{At: now.Add(-time.Minute), Location: "/b"}, 100, "[/a /p01]"},
			{"before one long ago", 9 * 24 * time.Hour, Event{At: now.Add(-28 * 6 * time.Hour), Location: "/p28"}, 5, "[/p29]"},
			{"far back", 9 * 24 * time.Hour, Event{At: now.Add(-time.Minute), Location: "/a"}, 4, "[/p01 /p02 /p03 /p04]"},
			{"none", time.Hour, Event{At: now.Add(-2 * time.Hour), Location: "/x"}, 5, "[]"},
		} {
			events, err := j.Latest(t.Context(), st, now.Add(-tt.since), tt.before, tt.most)
			got := []string{}
			for _, e := range events {
				got = append(got, e.Location)
			}
			if err != nil || fmt.Sprint(got) != tt.want {
				t.Errorf("%s: %v, %v; want %s", tt.name, got, err, tt.want)
			}
		}
		counts, err := j.Counts(t.Context(), st, now.Add(-24*time.Hour), 12*time.Hour, 2)
		if want := []Count{{1, 1, 0}, {0, 4, 1}}; err != nil || fmt.Sprint(counts) != fmt.Sprint(want) {
			t.Errorf("%+v, %v; want %+v", counts, err, want)
		}
	})
}

// moving is a store in which the newest event moves before each scan, as while pages change.
type moving struct {
	store.Store
	move  func(scan int)
	scans []string // after which key each scan began
}

func (m *moving) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	m.scans = append(m.scans, after)
	m.move(len(m.scans))
	return m.Store.Scan(ctx, prefix, after)
}

func TestLatestFindsOlderEventsWhilePagesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, st := Journal{Keys: keys.Keys("https://example.com|")}, new(memstore.Store)
		time.Sleep(10 * 24 * time.Hour)
		now := time.Now()
		for n := range 20 {
			put(t, st, j, now.Add(-time.Duration(n)*time.Minute), fmt.Sprintf("/p%02d", n), Changed)
		}
		changes := &moving{Store: st, move: func(scan int) { // the newest page that has not changed yet changes again
			if scan < 18 {
				err := st.Update(t.Context(), []string{j.Keys.Log(now.Add(-time.Duration(scan)*time.Minute).UnixMilli(), fmt.Sprintf("/p%02d", scan))},
					func(values [][]byte) error { values[0] = nil; return nil })
				if err != nil {
					t.Error(err)
				}
				put(t, st, j, now.Add(time.Hour), fmt.Sprintf("/p%02d", scan), Changed)
			}
		}}
		events, err := j.Latest(t.Context(), changes, now.Add(-24*time.Hour), Event{At: now, Location: "/q"}, 3)
		if err != nil || len(events) != 3 {
			t.Errorf("%d events, %v; want 3, since 3 have not moved", len(events), err)
		}
	})
}

func TestLatestReadsTheWholeTimeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, st := Journal{Keys: keys.Keys("https://example.com|")}, new(memstore.Store)
		time.Sleep(10 * 24 * time.Hour)
		put(t, st, j, time.Now(), "/a", Changed)
		counts, since := &moving{Store: st, move: func(int) {}}, time.Now().Add(-24*time.Hour)
		if events, err := j.Latest(t.Context(), counts, since, Event{}, 3); err != nil || len(events) != 1 {
			t.Errorf("%d events, %v; want the only one", len(events), err)
		}
		whole := 0
		for _, after := range counts.scans {
			if after == j.Keys.Log(since.UnixMilli(), "") {
				whole++
			}
		}
		if whole != 1 {
			t.Errorf("the whole time was read %d times", whole)
		}
	})
}
