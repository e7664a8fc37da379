package indexer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/testkit/base"
)

// counting returns a store that counts the records that are written.
func counting() (st *base.Store, writes *atomic.Int64) {
	st, writes = base.NewStore(), new(atomic.Int64)
	st.OnUpdate(func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		return st.Store.Update(ctx, keys, func(values [][]byte) error {
			before := slices.Clone(values)
			err := fn(values)
			for i := range values {
				if !bytes.Equal(before[i], values[i]) {
					writes.Add(1)
				}
			}
			return err
		})
	})
	return st, writes
}

// stays visits pages that stay as they are, each once a minute.
func (r *rig) stays(d time.Duration, pages ...string) (visits int) {
	r.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Minute) {
		for _, p := range pages {
			r.offer(seen(p, html(p[1:])))
			visits++
		}
	}
	return visits
}

// storedPage returns the record of a page as the store has it.
func (r *rig) storedPage(location string) *pagerecord.Page {
	r.Helper()
	p, err := pagerecord.Decode([]byte(base.Get(r, r.st, r.indexer.site.Keys.Page(location))))
	r.check(err)
	return p
}

func TestUnchangedPagesCostHardlyAnyWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and the race detector finds nothing in it that it does not find elsewhere")
	}
	st, writes := counting()
	inBubble(t, Config{Store: st}, func(r *rig) {
		pages := []string{"/a", "/b", "/c", "/d", "/e", "/f", "/g"}
		r.crawl(pages...)
		r.wait(24 * time.Hour)
		r.stays(time.Minute, pages...) // the second observation gives each its changefreq
		writes.Store(0)
		visits := r.stays(24*time.Hour, pages...)
		t.Logf("%d visits of unchanged pages wrote %d records", visits, writes.Load())
		if visits < 10_000 || writes.Load() > int64(visits/50) {
			t.Errorf("%d visits of unchanged pages wrote %d records, want one of 50 at most", visits, writes.Load())
		}
		last := moment.Of(time.Now().Add(-time.Minute)) // the last visit
		for _, p := range pages {
			want := uint64(visits/len(pages) + 2)
			if known := r.page(p); known.LastSeen != last || known.Observations != want {
				t.Errorf("%s was seen %d times, last at %v; want %d and %v", p, known.Observations, known.LastSeen.Time(), want,
					last.Time())
			}
			if ago := last.Sub(r.storedPage(p).LastSeen); ago > time.Hour+time.Minute {
				t.Errorf("%s was stored %v before its last visit", p, ago)
			}
		}
	})
}

// A page that changes is as if each visit had been stored.
func TestChangeKnowsTheVisitsBefore(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		visits := r.stays(30*time.Minute, "/a") + 1
		before := r.page("/a")
		r.sight("/a", html("a new text that is long enough to tell this page apart from what it was before"))
		stored, at := r.storedPage("/a"), before.LastSeen.Time()
		want := rate.Estimate{}.Saw(before.FirstSeen.Seconds(), false)
		for i := range visits - 1 {
			want = want.Saw(at.Add(time.Duration(i-visits+2)*time.Minute).Unix(), false)
		}
		base.Equal(t, before.Rate, want, "after %d visits the estimate is", visits)
		if stored.Observations != uint64(visits+1) || stored.Loaded.Change == 0 || stored.Rate == before.Rate {
			t.Errorf("the change after %d visits is stored as %+v", visits, stored.Presence)
		}
	})
}

func TestSightsAreStoredInTheEnd(t *testing.T) {
	for _, dies := range []bool{false, true} {
		runInBubble(t, fmt.Sprintf("dies: %t", dies), Config{}, func(r *rig) {
			r.crawl("/a", "/b")
			r.stays(150*time.Minute, "/a", "/b")
			before := r.page("/a")
			if !dies {
				r.flush()
			}
			r.stop()
			r.start()
			after := r.page("/a")
			if lost := before.LastSeen.Sub(after.LastSeen); lost > time.Hour+time.Minute ||
				!dies && (lost != 0 || after.Rate != before.Rate) {
				t.Errorf("the last %v are lost", lost)
			}
			r.flush()
			r.wantListed("/", "/a", "/b")
			base.Equal(t, after.Dates, before.Dates, "the dates after a visit")
		})
	}
}

// What another process has stored meanwhile counts.
func TestSightOfAnOlderRecordDoesNotCount(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		r.stays(10*time.Minute, "/a")
		other := r.storedPage("/a")
		other.Until, other.Observations = moment.Of(time.Now().Add(time.Hour)), 1000
		r.put(r.indexer.site.Keys.Page("/a"), other.Encode())
		if p := r.page("/a"); p.Until != other.Until || p.Observations != 1000 {
			t.Errorf("/a has %d observations and ends at %v, want those of the other process", p.Observations, p.Until)
		}
		r.stays(time.Minute, "/a")
		if p := r.page("/a"); p.Observations != 1001 {
			t.Errorf("/a has %d observations, want 1,001", p.Observations)
		}
		r.flush()
		if p := r.storedPage("/a"); p.Until == 0 && p.Observations != 1001 {
			t.Errorf("/a is stored with %d observations, want 1,001", p.Observations)
		}
	})
}

// A forgotten page has no sight that could bring anything back.
func TestForgottenPageHasNoSight(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/gone-for-good")
		r.stays(10*time.Minute, "/gone-for-good")
		r.forget("/gone-for-good")
		r.wait(2 * time.Hour)
		r.wantListed("/", "/a")
		r.wantNoTrace("gone-for-good")
		if due := r.indexer.sights.Due(time.Now()); !due.IsZero() {
			t.Errorf("a sight is left, to be stored at %v", due)
		}
	})
}
