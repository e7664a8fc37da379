package changelog

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// put stores an event as Note does.
func put(t *testing.T, st store.Store, j Log, at time.Time, location string, what Happening) {
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
		j, st := Log{Keys: keys.Keys("https://example.com|")}, new(memstore.Store)
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
