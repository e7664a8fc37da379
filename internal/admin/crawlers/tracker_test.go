package crawlers

import (
	"context"
	"fmt"
	"math"
	"net/netip"
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

// running is a tracker that runs in virtual time.
type running struct {
	*Tracker
	stop func()
}

func start(t *testing.T, st store.Store, d Resolver) *running {
	r := &running{Tracker: New(st, "https://example.com|", d, Ranges{gpt: {netip.MustParsePrefix("203.0.113.0/29")}})}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	r.stop = func() { cancel(); <-done }
	t.Cleanup(r.stop)
	synctest.Wait()
	return r
}

// fetch is a client's fetch of a page or a file.
func (r *running) fetch(e Engine, addr string, file string, status int) {
	client, _ := netip.ParseAddr(addr)
	r.Saw(Fetch{Engine: e, Client: client, File: file, Status: status})
	synctest.Wait()
}

// of returns the report of an engine, nil if there is none.
func (r *running) of(e Engine) *Report {
	synctest.Wait()
	for _, one := range r.Report() {
		if one.Engine == e {
			return &one
		}
	}
	return nil
}

func (r *Record) day(at time.Time) Day { return r.Days[moment.Of(at).Day()] }

func TestFetchesAreCountedByFileAndDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(memstore.Store), trueBots())
		began := time.Now()
		r.fetch(google, real1, "sitemap.xml", 200)
		r.fetch(google, real1, "sitemap-1.xml", 200)
		time.Sleep(24 * time.Hour)
		r.fetch(google, real2, "sitemap.xml", 304)
		r.fetch(google, fake, "sitemap.xml", 503)
		later := time.Now()
		want := Record{
			map[int64]Day{moment.Of(began).Day(): {2, 2}, moment.Of(later).Day(): {2, 1}},
			map[string]File{"sitemap.xml": {moment.Of(later), 304}, "sitemap-1.xml": {moment.Of(began), 200}},
		}
		if got := r.of(google).Record; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// The stored record has no address. The next process and other processes can read it.
func TestStoredCountsHaveNoAddressAndAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(memstore.Store)
		first, second := start(t, st, trueBots()), start(t, st, trueBots())
		first.fetch(google, real1, "sitemap.xml", 200)
		time.Sleep(time.Second)
		second.fetch(google, real2, "sitemap.xml", 304)
		second.fetch(google, fake, "sitemap.xml", 200)
		time.Sleep(2 * saveEvery)
		for name, r := range map[string]*running{"one": first, "the other": second} {
			if got := r.of(google); got == nil || got.day(time.Now()) != (Day{3, 2}) {
				t.Errorf("%s reports %+v", name, got)
			}
		}
		first.fetch(google, real1, "sitemap-1.xml", 200)
		first.stop()
		second.stop()
		for r, err := range st.Scan(t.Context(), "", "") {
			if err != nil || strings.Contains(string(r.Value), "66.249") || strings.Contains(string(r.Value), "\x42\xf9\x42") {
				t.Errorf("%s holds %q, %v", r.Key, r.Value, err)
			}
		}
		got := start(t, st, trueBots()).of(google)
		if got == nil || got.day(time.Now()) != (Day{4, 3}) || len(got.Files) != 2 || got.Files["sitemap.xml"].Status != 304 {
			t.Errorf("the next process reports %+v", got)
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
				r.fetch(google, real1, "sitemap.xml", 200)
				time.Sleep(3 * saveEvery)
				r.fetch(google, real1, "sitemap.xml", 200)
				if err := r.Flush(t.Context()); err == nil {
					t.Error("flushing into a store that fails succeeds")
				}
				if got := r.of(google); got == nil || got.day(time.Now()) != (Day{2, 2}) {
					t.Errorf("meanwhile the report is %+v", got)
				}
				st.Mend()
				base.Check(t, r.Flush(t.Context()))
				r.stop()
				if got := start(t, st, trueBots()).of(google); got == nil || got.day(time.Now()) != (Day{2, 2}) {
					t.Errorf("the next process reports %+v", got)
				}
			})
		})
	}
}

func TestWhatAWrongClockHasNotedForLaterIsDropped(t *testing.T) {
	now := moment.Of(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	later := now.Add(10 * 365 * 24 * time.Hour)
	stored := Record{map[int64]Day{now.Day(): {2, 1}, later.Day(): {2, 1}},
		map[string]File{"a.xml": {later, 200}, "b.xml": {now - 1, 304}}}
	want := Record{map[int64]Day{now.Day(): {2, 1}}, map[string]File{"b.xml": {now - 1, 304}}}
	if got := readRecord(codec.Marshal(stored), now); !reflect.DeepEqual(got, want) {
		t.Errorf("it is read as %+v, want %+v", got, want)
	}
}

func TestRecordIsBounded(t *testing.T) {
	var r Record
	for i := range 2 * maxFiles {
		name := fmt.Sprintf("%s-%d.xml", strings.Repeat("n", 64), i)
		r.add(Record{map[int64]Day{int64(20_000 + i): {1 << 30, 1 << 30}}, map[string]File{
			name: {moment.Time(1_800_000_000_000 + i), 200}}})
	}
	b := codec.Marshal(r)
	if len(b) > store.MaxValue || len(r.Days) != maxDays || r.Days[20_000+2*maxFiles-1].Claimed == 0 ||
		len(r.Files) != maxFiles {
		t.Errorf("%d bytes, %d days and %d files", len(b), len(r.Days), len(r.Files))
	}
	if again := readRecord(b, math.MaxInt64); !reflect.DeepEqual(again, r) {
		t.Error("it is read as another record than was written")
	}
	if damaged := readRecord(b[:len(b)-1], math.MaxInt64); len(damaged.Days) != 0 || len(damaged.Files) != 0 {
		t.Errorf("a damaged record is read as %+v", damaged)
	}
}
