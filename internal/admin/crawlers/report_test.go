package crawlers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/keys"
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
		wantFiles := []File{{"sitemap.xml", later, 304}, {"sitemap-1.xml", began.UTC(), 200}}
		wantDays := []Day{{later.Truncate(24 * time.Hour), 2, 1, 1}, {began.UTC().Truncate(24 * time.Hour), 2, 2, 0}}
		if !reflect.DeepEqual(got.Files, wantFiles) || !reflect.DeepEqual(got.Days, wantDays) {
			t.Errorf("%+v\n%+v, want\n%+v\n%+v", got.Files, got.Days, wantFiles, wantDays)
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
		for name, r := range map[string]*rig{"one": first, "the other": second} {
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
		if got == nil || len(got.Days) != 1 || got.Days[0].Claimed != 4 || got.Days[0].Confirmed != 3 || got.Days[0].Refuted != 1 {
			t.Fatalf("the next process reports %+v", got)
		}
		if len(got.Files) != 2 || got.Files[0].Name != "sitemap-1.xml" || got.Files[1].Status != 304 {
			t.Errorf("the files are %+v", got.Files)
		}
		if got.Day != 0 || got.Never != 9 {
			t.Errorf("pages are told that this process knows nothing of: %+v", got)
		}
	})
}

// broken is a store that fails, or hangs, while these are set.
type broken struct {
	store.Store
	fails, hangs atomic.Bool
}

func (b *broken) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if b.hangs.Load() {
		<-ctx.Done()
	}
	if b.fails.Load() || ctx.Err() != nil {
		return store.ErrUnavailable
	}
	return b.Store.Update(ctx, keys, fn)
}

func TestCountsOutliveAStoreThatFails(t *testing.T) {
	for name, trouble := range map[string]func(*broken) *atomic.Bool{
		"fails": func(b *broken) *atomic.Bool { return &b.fails },
		"hangs": func(b *broken) *atomic.Bool { return &b.hangs },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &broken{Store: new(memstore.Store)}
				r := start(t, st, trueBots())
				trouble(st).Store(true)
				r.fetch(google, real1, 0, "sitemap.xml", 200)
				time.Sleep(3 * saveEvery)
				r.fetch(google, real1, 0, "sitemap.xml", 200)
				trouble(st).Store(false)
				time.Sleep(saveEvery)
				r.stop()
				if got := start(t, st, trueBots()).of(google); got == nil || len(got.Days) != 1 || got.Days[0].Confirmed != 2 {
					t.Errorf("the next process reports %+v", got)
				}
			})
		})
	}
}

func TestFlushStoresWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &broken{Store: new(memstore.Store)}
		r := start(t, st, trueBots())
		for range maxQueued {
			r.Saw(Fetch{Engine: duck, At: time.Now()})
		}
		if err := r.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		other := start(t, st, trueBots())
		if err := other.Flush(t.Context()); err != nil || other.of(duck) == nil || other.of(duck).Days[0].Claimed != maxQueued {
			t.Errorf("another process reports %+v, %v", other.of(duck), err)
		}
		r.fetch(duck, "", 0, "", 0)
		st.fails.Store(true)
		if err := r.Flush(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("flushing into a store that fails: %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Flush(ended); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("flushing for nobody: %v", err)
		}
		r.stop()
		if err := r.Flush(t.Context()); err != nil {
			t.Errorf("flushing after the end: %v", err)
		}
	})
}

func TestAccountIsBounded(t *testing.T) {
	a := newAccount()
	for i := range 2 * maxFiles {
		a.fetch(fmt.Sprintf("%s-%d.xml", strings.Repeat("n", 64), i), fetched{moment.Time(1_800_000_000_000 + i), 200})
		a.count(int64(20_000+i), counts{math.MaxUint32, math.MaxUint32, math.MaxUint32})
	}
	if n := len(a.encode()); n > store.MaxValue {
		t.Errorf("the record has %d bytes, and a value may have %d", n, store.MaxValue)
	}
	days, files := a.report()
	if len(days) != maxDays || len(files) != maxFiles || files[0].At.Before(files[1].At) || days[0].Start.Before(days[1].Start) {
		t.Errorf("%d days and %d files, from %v and %v on", len(days), len(files), days[0], files[0])
	}
	again := readAccount(a.encode())
	if !reflect.DeepEqual(again, a) {
		t.Error("it is read as another account than was written")
	}
}

// Keys of engines are distinct, and stores take them.
func TestKeysOfEnginesAreDistinctAndValid(t *testing.T) {
	var names []string
	for i := range engines {
		names = append(names, keys.Keys("https://example.com|").Crawler(table[i].name))
	}
	if err := store.CheckKeys(names); err != nil {
		t.Error(err)
	}
}

func FuzzReadAccount(f *testing.F) {
	a := newAccount()
	a.count(20_000, counts{3, 2, 1})
	a.fetch("sitemap.xml", fetched{1_800_000_000_000, 200})
	f.Add(recordtest.FieldsOf(a.encode()))
	f.Fuzz(func(t *testing.T, fields []byte) {
		a := readAccount(recordtest.Sealed(fields))
		if again := readAccount(a.encode()); !reflect.DeepEqual(again.Days, a.Days) || !reflect.DeepEqual(again.Files, a.Files) {
			t.Errorf("%+v is read again as %+v", a, again)
		}
		a.report()
	})
}
