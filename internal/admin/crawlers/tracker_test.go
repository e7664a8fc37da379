package crawlers

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

func TestFetchesAreCountedByFileAndDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(memstore.Store), trueBots())
		began := time.Now()
		r.fetch(google, real1, 0, "sitemap.xml", 200)
		r.fetch(google, real1, 0, "sitemap-1.xml", 200)
		time.Sleep(24 * time.Hour)
		r.fetch(google, real2, 0, "sitemap.xml", 304)
		r.fetch(google, fake, 0, "sitemap.xml", 503)
		got := r.of(google)
		later := began.Add(24 * time.Hour).UTC()
		want := fmt.Sprint("sitemap.xml ", File{moment.Of(later), 304}, " sitemap-1.xml ", File{moment.Of(began), 200}, " ", later.Truncate(24*time.Hour), Day{2, 1, 1}, " ", began.UTC().Truncate(24*time.Hour), Day{2, 2, 0}, " ")
		text := ""
		for name, f := range got.EachFile {
			text += fmt.Sprint(name, " ", f, " ")
		}
		for day, n := range got.EachDay {
			text += fmt.Sprint(day, n, " ")
		}
		if text != want {
			t.Errorf("%s, want %s", text, want)
		}
	})
}

// The stored record has no address. The next process and other processes can read it.
func TestStoredCountsHaveNoAddressAndAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(memstore.Store)
		first, second := start(t, st, trueBots()), start(t, st, trueBots())
		first.fetch(google, real1, 1, "sitemap.xml", 200)
		time.Sleep(time.Second)
		second.fetch(google, real2, 1, "sitemap.xml", 304)
		second.fetch(google, fake, 1, "sitemap.xml", 200)
		time.Sleep(saveEvery + time.Second)
		for name, r := range map[string]*running{"one": first, "the other": second} {
			if r.of(google) == nil {
				t.Errorf("%s has no report", name)
			}
		}
		first.fetch(google, real1, 0, "sitemap-1.xml", 200)
		first.stop()
		second.stop()
		for r, err := range st.Scan(t.Context(), "", "") {
			if err != nil || strings.Contains(string(r.Value), "66.249") || strings.Contains(string(r.Value), "\x42\xf9\x42") {
				t.Errorf("%s holds %q, %v", r.Key, r.Value, err)
			}
		}
		got := start(t, st, trueBots()).of(google)
		if got == nil || !reflect.DeepEqual(got.days(), []Day{{4, 3, 1}}) {
			t.Fatalf("the next process reports %+v", got)
		}
		if names := got.record.latest(); len(names) != 2 || names[0] != "sitemap-1.xml" || got.record.Files["sitemap.xml"].Status != 304 {
			t.Errorf("the files are %+v", got.record.Files)
		}
		if got.Day != 0 || got.Never != 9 {
			t.Errorf("pages are told that this process knows nothing of: %+v", got)
		}
	})
}

func TestCountsOutliveAStoreThatFails(t *testing.T) {
	for name, trouble := range map[string]base.Update{
		"fails": func(context.Context, []string, func([][]byte) error) error { return store.ErrUnavailable },
		"hangs": func(ctx context.Context, _ []string, _ func([][]byte) error) error {
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := base.NewStore()
				r := start(t, st, trueBots())
				st.OnUpdate(trouble)
				r.fetch(google, real1, 0, "sitemap.xml", 200)
				time.Sleep(3 * saveEvery)
				r.fetch(google, real1, 0, "sitemap.xml", 200)
				if err := r.Flush(t.Context()); err == nil {
					t.Error("flushing into a store that fails succeeds")
				}
				st.Mend()
				base.Check(t, r.Flush(t.Context()))
				r.stop()
				base.Check(t, r.Flush(t.Context())) // it does nothing
				if got := start(t, st, trueBots()).of(google); got == nil || !reflect.DeepEqual(got.days(), []Day{{2, 2, 0}}) {
					t.Errorf("the next process reports %+v", got)
				}
			})
		})
	}
}

func TestStoredTimesLaterThanNowCountAsNow(t *testing.T) {
	now := moment.Of(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	later := now.Add(10 * 365 * 24 * time.Hour)
	day := Day{Claimed: 2, Confirmed: 1}
	stored := record{map[int64]Day{now.Day(): day, later.Day(): day}, map[string]File{"a.xml": {later, 200}, "b.xml": {now - 1, 304}}}
	want := record{map[int64]Day{now.Day(): {Claimed: 4, Confirmed: 2}}, map[string]File{"a.xml": {now, 200}, "b.xml": {now - 1, 304}}}
	if got := readRecord(codec.Marshal(stored), now); !reflect.DeepEqual(got, want) {
		t.Errorf("it is read as %+v, want %+v", got, want)
	}
}

func TestRecordIsBounded(t *testing.T) {
	var r record
	for i := range 2 * maxFiles {
		name := fmt.Sprintf("%s-%d.xml", strings.Repeat("n", 64), i)
		r.add(record{map[int64]Day{int64(20_000 + i): {1 << 30, 1 << 30, 1 << 30}}, map[string]File{name: {moment.Time(1_800_000_000_000 + i), 200}}})
	}
	b := codec.Marshal(r)
	if len(b) > store.MaxValue || len(r.Days) != maxDays || len(r.Files) != maxFiles || r.Files[r.latest()[0]].At != moment.Time(1_800_000_000_000+2*maxFiles-1) {
		t.Errorf("%d bytes, %d days and %d files, the latest %v", len(b), len(r.Days), len(r.Files), r.Files[r.latest()[0]])
	}
	if again := readRecord(b, math.MaxInt64); !reflect.DeepEqual(again, r) {
		t.Error("it is read as another record than was written")
	}
	if damaged := readRecord(b[:len(b)-1], math.MaxInt64); len(damaged.Days) != 0 || len(damaged.Files) != 0 {
		t.Errorf("a damaged record is read as %+v", damaged)
	}
}
