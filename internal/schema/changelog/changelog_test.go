package changelog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// diary is a changelog in a store. Like an indexer, it remembers when each page's last event was.
type diary struct {
	*testing.T
	st   store.Store
	j    Log
	last map[string]int64
}

func newDiary(t *testing.T) *diary {
	return &diary{T: t, st: new(memstore.Store), j: Log{Keys: "s|"}, last: map[string]int64{}}
}

// write runs fn in a transaction.
func (d *diary) write(fn func(txn.Records)) {
	d.Helper()
	base.Check(d, txn.Update(d.Context(), d.st, nil, func(t *txn.Tx) { fn(t) }))
}

// happens makes something happen to pages, a second apart.
func (d *diary) happens(what Happening, locations ...string) {
	d.Helper()
	for _, l := range locations {
		before, at := d.last[l], time.Now().UnixMilli()
		d.write(func(tx txn.Records) { d.last[l] = d.j.Note(tx, before, l, what, eligibility.StatusGone, at) })
		time.Sleep(time.Second)
	}
}

// since returns the events since a time, as "added /a" and so on.
func (d *diary) since(at time.Time) (events []string, err error) {
	for e, err := range d.j.Events(d.Context(), d.st, at) {
		if err != nil {
			return events, err
		}
		what := [...]string{Added: "added", Changed: "changed", Removed: "removed"}[e.What]
		if !e.Since.IsZero() {
			what += " since added"
		}
		if e.Why != eligibility.None {
			what += " as " + e.Why.String()
		}
		events = append(events, what+" "+e.Location)
	}
	return events, nil
}

func (d *diary) wantSince(at time.Time, want string) {
	d.Helper()
	if got, err := d.since(at); err != nil || strings.Join(got, ", ") != want {
		d.Errorf("events are %q, %v; want %s", got, err, want)
	}
}

func TestChangelogKeepsTheLastEventOfEachPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		d.wantSince(time.Time{}, "")
		d.happens(Added, "/a", "/b", "/c")
		noon := time.Now()
		d.happens(Changed, "/b", "/a")
		d.happens(Removed, "/c")
		d.happens(Added, "/d")
		d.wantSince(time.Time{}, "changed since added /b, changed since added /a, removed as gone /c, added /d")
		d.happens(Changed, "/b")
		d.happens(Added, "/c")
		d.wantSince(noon, "changed since added /a, added /d, changed since added /b, added /c")
		d.wantSince(time.Now(), "")
		d.wantSince(time.Now().AddDate(30_000, 0, 0), "")
		d.wantSince(time.Now().Add(-time.Second), "added /c")
		d.write(func(tx txn.Records) { d.j.Erase(tx, d.last["/a"], "/a") })
		d.wantSince(noon, "added /d, changed since added /b, added /c")
	})
}

func TestChangelogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		d.happens(Added, "/old")
		time.Sleep(keptFor)
		began := time.Now()
		for i := range 10 {
			d.happens(Added, fmt.Sprint("/", i))
		}
		const each = len("s|log|18bcfe6eea0|/1") + 8
		prune := func(most int) {
			t.Helper()
			size, err := d.j.prune(t.Context(), d.st, time.Now().Add(-keptFor), most*each)
			if base.Check(t, err); size != min(most, 10)*each {
				t.Errorf("%d bytes are left, want %d events of %d", size, min(most, 10), each)
			}
		}
		prune(100)
		d.wantSince(began, "added /0, added /1, added /2, added /3, added /4, added /5, added /6, added /7, added /8, "+
			"added /9")
		if _, err := d.since(began.Add(-keptFor - 2*time.Second)); !errors.Is(err, ErrOlder) {
			t.Errorf("%v for a time that is forgotten", err)
		}
		prune(3)
		d.wantSince(began.Add(7*time.Second), "added /7, added /8, added /9")
		if got, err := d.since(began); !errors.Is(err, ErrOlder) || got != nil {
			t.Errorf("%v, %v for a time of which some is forgotten", got, err)
		}
		d.happens(Changed, "/0") // its event is gone
		d.wantSince(began.Add(9*time.Second), "added /9, changed /0")
	})
}

func TestDamagedEventsArePruned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		for half := range 2 {
			d.write(func(tx txn.Records) {
				for i := range pruneAtOnce + half {
					tx.Put(d.j.Keys.Log(time.Now().UnixMilli(), fmt.Sprintf("/old/%d/%d", half, i)), []byte("damaged"))
				}
			})
		}
		began := time.Now()
		time.Sleep(keptFor)
		d.happens(Added, "/a")
		d.write(func(tx txn.Records) { tx.Put(d.j.Keys.Log(time.Now().UnixMilli(), "/young"), []byte("damaged")) })
		_, err := d.j.Prune(t.Context(), d.st, time.Now())
		base.Check(t, err)
		left := 0
		for _, err := range d.st.Scan(t.Context(), d.j.Keys.Logs(), "") {
			if left++; err != nil {
				t.Fatal(err)
			}
		}
		base.Equal(t, left, 2, "events are left")
		d.wantSince(began.Add(time.Second), "added /a")
		if _, err := d.since(began); !errors.Is(err, ErrOlder) {
			t.Errorf("%v for a time whose events could not be read", err)
		}
	})
}

func TestChangelogWithADamagedBeginningReachesBackAWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		d.happens(Added, "/a")
		d.write(func(tx txn.Records) { tx.Put(d.j.Keys.Changelog(), []byte("damaged")) })
		if _, err := d.since(time.Now().Add(-keptFor - time.Millisecond)); !errors.Is(err, ErrOlder) {
			t.Errorf("%v for a time more than a week ago", err)
		}
		d.wantSince(time.Now().Add(-keptFor), "added /a")
	})
}

// An event that a fast clock noted counts only once its time comes, and then like any other.
func TestEventOfAClockThatWasAheadCountsOnceItsTimeComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		d.happens(Added, "/a", "/b")
		began := time.Now()
		note := func(what Happening, location string, ahead time.Duration) {
			before := d.last[location]
			d.write(func(tx txn.Records) {
				d.last[location] = d.j.Note(tx, before, location, what, eligibility.None, time.Now().Add(ahead).UnixMilli())
			})
		}
		note(Changed, "/a", 30*time.Second)
		d.wantSince(began, "")
		note(Changed, "/a", time.Hour)
		if _, err := d.j.Prune(t.Context(), d.st, time.Now()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		note(Changed, "/b", 0)
		d.wantSince(began, "changed since added /a, changed since added /b")

		note(Added, "/a", 10*365*24*time.Hour)
		note(Changed, "/a", 0)
		for e, err := range d.j.Events(t.Context(), d.st, began) {
			if err != nil || e.Since.After(time.Now()) {
				t.Errorf("%s was added after now: %v, %v", e.Location, e.Since, err)
			}
		}
	})
}

// put stores an event as Note does.
func put(t *testing.T, st store.Store, j Log, at time.Time, location string, what Happening) {
	t.Helper()
	err := st.Update(context.Background(), []string{j.Keys.Log(at.UnixMilli(), location)}, func(values [][]byte) error {
		values[0] = codec.Marshal(event{What: what})
		return nil
	})
	base.Check(t, err)
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
			{"before one of the same time", 7 * time.Hour, Event{At: now.Add(-time.Minute), Location: "/b"}, 100, "[/a /p01]"},
			{"before one long ago", 9 * 24 * time.Hour, Event{At: now.Add(-28 * 6 * time.Hour), Location: "/p28"}, 5, "[/p29]"},
			{"more of one time than are wanted", 7 * time.Hour, Event{At: now.Add(-time.Minute), Location: "/d"}, 1, "[/c]"},
			{"some of one time, and of earlier ones", 20 * time.Hour, Event{At: now.Add(-time.Minute), Location: "/b"}, 2,
				"[/a /p01]"},
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
	})
}

// countingStore counts its scans.
type countingStore struct {
	store.Store
	scans int
}

func (c *countingStore) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	c.scans++
	return c.Store.Scan(ctx, prefix, after)
}

// A scan from the beginning may have to pass over all that was just deleted.
func TestPruningScansTwiceHoweverMuchItDrops(t *testing.T) {
	j, st := Log{Keys: "s|"}, &countingStore{Store: new(memstore.Store)}
	began := time.Now().Add(-2 * keptFor)
	for n := range 5 * pruneAtOnce {
		put(t, st, j, began.Add(time.Duration(n)*time.Millisecond), "/", Changed)
	}
	size, err := j.Prune(t.Context(), st, time.Now())
	if base.Check(t, err); size != 0 || st.scans != 2 {
		t.Errorf("%d bytes are left after %d scans", size, st.scans)
	}
}
