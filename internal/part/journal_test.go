package part

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// diary is a journal of a shelf that remembers, for each page, what a ledger
// does: when its last event was, and in which part it is.
type diary struct {
	*shelf
	j    Journal
	last map[string]int64
	part map[string]int
}

func newDiary(t *testing.T, change ...func(*Config)) *diary {
	d := &diary{shelf: newShelf(t, change...), last: map[string]int64{}, part: map[string]int{}}
	d.j = Journal{Keys: d.book.Keys}
	if err := d.j.Begin(t.Context(), d.st, time.Now(), true); err != nil {
		t.Fatal(err)
	}
	return d
}

// happens has something happen to pages now, a second apart.
func (d *diary) happens(what Happening, locations ...string) {
	d.Helper()
	for _, l := range locations {
		d.write(func(tx Tx) {
			switch what {
			case Added:
				d.part[l] = d.book.Add(tx, d.part[l], l, Entry{})
			case Changed:
				d.book.Set(tx, d.part[l], l, changedAt(time.Now().Unix()))
			case Removed:
				d.book.Remove(tx, d.part[l], l)
			}
			d.last[l] = d.j.Note(tx, d.last[l], l, what, time.Now().UnixMilli(), d.part[l])
		})
		d.files.Changed(d.part[l])
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

func TestTheJournalKeepsTheLastEventOfEachPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		d.wantSince(time.Time{}, "")
		d.happens(Added, "/a", "/b", "/c")
		noon := time.Now()
		d.happens(Changed, "/b", "/a")
		d.happens(Removed, "/c")
		d.happens(Added, "/d")
		d.wantSince(time.Time{}, "changed since added /b, changed since added /a, removed /c, added /d")
		d.happens(Changed, "/b")
		d.happens(Added, "/c")
		d.wantSince(noon, "changed since added /a, added /d, changed since added /b, added /c")
		d.wantSince(time.Now(), "")
		d.wantSince(time.Now().Add(-time.Second), "added /c")
		d.write(func(tx Tx) { d.j.Erase(tx, d.last["/a"], "/a") })
		d.wantSince(noon, "added /d, changed since added /b, added /c")
	})
}

// What a clock noted that was ahead is no event before its time comes, and then one
// as any other.
func TestAnEventOfAClockThatWasAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t, func(c *Config) { c.Recent = 2 * time.Hour })
		d.happens(Added, "/a", "/b")
		began := time.Now()
		note := func(what Happening, location string, ahead time.Duration) {
			d.write(func(tx Tx) {
				d.last[location] = d.j.Note(tx, d.last[location], location, what, time.Now().Add(ahead).UnixMilli(), 1)
			})
			d.files.ChangedAll()
			d.render()
		}
		note(Changed, "/a", 30*time.Second)
		d.wantSince(began, "")
		d.want("sitemap-recent.xml", "/a", "/b")
		note(Changed, "/a", time.Hour)
		d.want("sitemap-recent.xml", "/b")
		if err := d.j.Prune(t.Context(), d.st, time.Now()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		note(Changed, "/b", 0)
		d.wantSince(began, "changed since added /a, changed since added /b")
		d.want("sitemap-recent.xml", "/b", "/a")

		note(Added, "/a", 10*365*24*time.Hour)
		note(Changed, "/a", 0)
		for e, err := range d.j.Events(t.Context(), d.st, began) {
			if err != nil || e.Since.After(time.Now()) {
				t.Errorf("%s was added after now: %v, %v", e.Location, e.Since, err)
			}
		}
	})
}

func TestTheJournalIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		d.happens(Added, "/old")
		time.Sleep(journalFor)
		began := time.Now()
		for i := range 10 {
			d.happens(Added, fmt.Sprint("/", i))
		}
		prune := func(most int) {
			t.Helper()
			if err := d.j.prune(t.Context(), d.st, time.Now().Add(-journalFor), most); err != nil {
				t.Fatal(err)
			}
		}
		prune(100)
		d.wantSince(began, "added /0, added /1, added /2, added /3, added /4, added /5, added /6, added /7, added /8, added /9")
		if _, err := d.since(began.Add(-journalFor - 2*time.Second)); !errors.Is(err, ErrOlder) {
			t.Errorf("%v for a time that is forgotten", err)
		}
		prune(3)
		d.wantSince(began.Add(7*time.Second), "added /7, added /8, added /9")
		if got, err := d.since(began); !errors.Is(err, ErrOlder) || got != nil {
			t.Errorf("%v, %v for a time of which some is forgotten", got, err)
		}
		d.happens(Changed, "/0") // whose event is gone
		d.wantSince(began.Add(9*time.Second), "added /9, changed /0")
	})
}

func TestAJournalThatBeganLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		j := Journal{Keys: s.book.Keys, Started: time.Now()}
		ask := func(since time.Time) (err error) {
			for _, err = range j.Events(t.Context(), s.st, since) {
			}
			return err
		}
		began := time.Now()
		for _, isNew := range []bool{false, true} { // the second time changes nothing
			if err := j.Begin(t.Context(), s.st, time.Now(), isNew); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		if err := ask(began.Add(-time.Millisecond)); !errors.Is(err, ErrOlder) {
			t.Errorf("%v for a time before it began", err)
		}
		if err := ask(began); err != nil {
			t.Error(err)
		}
	})
}

// TestAJournalThatNobodyBegan asks before the worker has come to begin it.
func TestAJournalThatNobodyBegan(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name   string
		listed bool
		since  time.Time
		older  bool
	}{
		{"a new site, since ever", false, time.Time{}, false},
		{"a new site, since now", false, now, false},
		{"pages of before, since ever", true, time.Time{}, true},
		{"pages of before, since before the start", true, now.Add(-time.Second), true},
		{"pages of before, since the start", true, now, false},
		{"pages of before, since a time to come", true, now.Add(time.Hour), false},
		{"pages of before, since a time that no key can tell", true, now.AddDate(30_000, 0, 0), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t)
			if tt.listed {
				s.list(Entry{}, "/a")
			}
			j := Journal{Keys: s.book.Keys, Started: now}
			n, err := 0, error(nil)
			for _, err = range j.Events(t.Context(), s.st, tt.since) {
				n++
			}
			if older := errors.Is(err, ErrOlder); older != tt.older || !older && n > 0 {
				t.Errorf("%d events, %v", n, err)
			}
		})
	}
}

func TestNothingHappenedSinceATimeToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		d.happens(Added, "/a")
		d.wantSince(time.Now().AddDate(30_000, 0, 0), "")
	})
}

// TestWhatCannotBeReadLeavesTheJournal has events that are damaged and keys that
// are none, among others that stay.
func TestWhatCannotBeReadLeavesTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t)
		put := func(key string) { d.write(func(tx Tx) { tx.Put(key, []byte("damaged")) }) }
		for i := range 2 * pruneAtOnce {
			put(d.book.Keys.log(time.Now().UnixMilli(), fmt.Sprint("/old/", i)))
		}
		put(d.book.Keys.logs())
		put(d.book.Keys.logs() + "soon|/a")
		put(d.book.Keys.logs() + "zz")
		began := time.Now()
		time.Sleep(journalFor)
		d.happens(Added, "/a")
		put(d.book.Keys.log(time.Now().UnixMilli(), "/young"))
		if err := d.j.Prune(t.Context(), d.st, time.Now()); err != nil {
			t.Fatal(err)
		}
		var left []string
		for r, err := range d.st.Scan(t.Context(), d.book.Keys.logs(), "") {
			if err != nil {
				t.Fatal(err)
			}
			_, location, _ := strings.Cut(strings.TrimPrefix(r.Key, d.book.Keys.logs()), "|")
			left = append(left, location)
		}
		if got := strings.Join(left, " "); got != "/a /young" {
			t.Errorf("the journal keeps %s", got)
		}
		d.wantSince(began.Add(time.Second), "added /a")
		if _, err := d.since(began); !errors.Is(err, ErrOlder) {
			t.Errorf("%v for a time whose events could not be read", err)
		}
	})
}

func TestJournalEncoding(t *testing.T) {
	tx, j := mapTx{}, Journal{Keys: "s|"}
	at := j.Note(tx, 0, "/a|b", Added, 1_700_000_000_123, 7)
	j.Note(tx, at, "/a|b", Changed, 1_700_000_100_000, 7)
	if len(tx) != 1 {
		t.Fatalf("%d records, want 1", len(tx))
	}
	const key, golden = "s|log|18bcfe6eea0|/a|b", "01080210f6a1abfef962" + "1807"
	b := tx[key]
	if b == nil || hex.EncodeToString(b[:len(b)-4]) != golden {
		t.Errorf("stored is %x, want %s at %s", tx, golden, key)
	}
	for _, clock := range []int64{-5, 1 << 60} { // a senseless clock makes no key that is out of order
		if at := j.Note(tx, 0, "/", Added, clock, 1); at < 0 || len(j.Keys.log(at, "")) != len("s|log||")+logDigits {
			t.Errorf("a clock at %d makes the key %s", clock, j.Keys.log(at, ""))
		}
	}
}

func TestRecentPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t, func(c *Config) { c.Recent = 24 * time.Hour })
		if d.render(); d.get("sitemap-recent.xml").Code != 503 {
			t.Error("a file of recent pages before anything is listed")
		}
		d.happens(Added, "/a", "/b", "/c", "/d")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go d.files.Run(ctx)
		go d.files.RunWithdrawals(ctx)
		time.Sleep(2 * time.Minute)
		d.want("sitemap-recent.xml", "/d", "/c", "/b", "/a")
		d.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml")
		tag := d.get("sitemap-recent.xml").Header().Get("Etag")
		if w := d.get("sitemap-recent.xml.gz", with("If-None-Match", tag[:len(tag)-1]+`-gzip"`)); w.Code != 304 {
			t.Errorf("status %d for the tag of the same file", w.Code)
		}

		time.Sleep(12 * time.Hour)
		d.happens(Changed, "/b")
		d.happens(Removed, "/c")
		time.Sleep(2 * time.Minute)
		d.want("sitemap-recent.xml", "/b", "/d", "/a")

		broken := errors.New("it does not answer")
		d.st.err.Store(&broken)
		d.files.Withdraw("/d", time.Now())
		synctest.Wait()
		d.want("sitemap-recent.xml", "/b", "/a")
		d.st.err.Store(nil)

		time.Sleep(13 * time.Hour)
		d.want("sitemap-recent.xml", "/b")
		time.Sleep(13 * time.Hour)
		if w := d.get("sitemap-recent.xml"); w.Code != 404 {
			t.Errorf("status %d although nothing is recent", w.Code)
		}
		if got := strings.Join(d.files.Tops(), " "); got != "sitemap.xml sitemap-recent.xml" {
			t.Errorf("crawlers are told of %s", got)
		}
	})
}

func TestRecentPagesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t, func(c *Config) { c.Recent = 24 * time.Hour })
		d.book.MaxURLs = 500
		for i := range recentMost + 50 {
			d.happens(Added, fmt.Sprintf("/%04d", i))
		}
		d.render()
		urls := locs(t, d.get("sitemap-recent.xml").Body.Bytes())
		if len(urls) != recentMost || urls[0] != "/1049" || urls[recentMost-1] != "/0050" {
			t.Errorf("%d pages from %s to %s", len(urls), urls[0], urls[len(urls)-1])
		}
	})
}

func TestWithoutTheOptionThereIsNoRecentFile(t *testing.T) {
	s := newShelf(t)
	s.list(Entry{}, "/a")
	s.render()
	if s.files.Owns("sitemap-recent.xml") || s.get("sitemap-recent.xml").Code != 404 {
		t.Error("there is one")
	}
}
