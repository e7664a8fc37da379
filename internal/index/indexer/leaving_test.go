package indexer

import (
	"context"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// Storing that a page is gone may fail for a long time, for example if other processes keep
// writing the same records. It is tried again when the suspects are next read.
func TestSuspectThatCannotBeStoredAsGoneLeavesLater(t *testing.T) {
	st := base.NewStore()
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.crawl("/a")
		r.answer("/a", http.StatusNotFound)
		st.OnUpdateOf("|page|/a", func(context.Context, []string, func([][]byte) error) error { return store.ErrInvalid })
		time.Sleep(pagerecord.ConfirmAfter + 5*time.Second)
		r.wantListed("/", "/a")
		st.Mend()
		r.restart()
		r.flush() // the first flush ended with the review, which found the page
		r.wantListed("/")
		r.wantNoSuspects()
	})
}

// While one page is stored as gone, which may take long, the minute of another one ends. That is confirmed then.
func TestSuspectWhoseMinuteEndsWhileAnotherIsStoredIsStoredToo(t *testing.T) {
	st := base.NewStore()
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.crawl("/a", "/b")
		r.answer("/a", http.StatusNotFound)
		time.Sleep(5 * time.Second)
		r.answer("/b", http.StatusNotFound)
		st.OnUpdateOf("|page|/a", func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			time.Sleep(10 * time.Second)
			return st.Store.Update(ctx, keys, fn)
		})
		time.Sleep(2 * pagerecord.ConfirmAfter)
		r.wantVerdict("/a", eligibility.Gone, eligibility.NotFound)
		r.wantVerdict("/b", eligibility.Gone, eligibility.NotFound)
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
		known       map[string]time.Time
		noted, want time.Time
	}{
		{"not known", nil, before, before},
		{"not known, noted by a clock that is ahead", nil, later, now},
		{"the same", map[string]time.Time{"/a": before}, before, before},
		{"the same, noted by a clock that is ahead", map[string]time.Time{"/a": before}, later, before},
		{"noted anew", map[string]time.Time{"/a": before}, before.Add(time.Second), before.Add(time.Second)},
	} {
		p := removals{since: map[string]time.Time{}}
		maps.Copy(p.since, tt.known)
		if p.note("/a", tt.noted, now); !p.since["/a"].Equal(tt.want) {
			t.Errorf("%s: its minute begins at %v, want %v", tt.name, p.since["/a"], tt.want)
		}
	}
}

func TestSuspectWithoutARecordIsDropped(t *testing.T) {
	for name, record := range map[string][]byte{"removed": nil, "damaged": []byte("?")} {
		runWithPage(t, name, func(r *rig) {
			r.answer("/a", http.StatusNotFound)
			r.put(r.indexer.site.Keys.Page("/a"), record)
			r.wait(2 * pagerecord.ConfirmAfter)
			r.wantNoSuspects()
		})
	}
}
