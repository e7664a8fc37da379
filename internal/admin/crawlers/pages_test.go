package crawlers

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/store/memstore"
)

func TestPagesAreCountedByTheirLastFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(memstore.Store), trueBots())
		want := func(when string, day, week, never int) {
			t.Helper()
			if got := r.of(google); got.Day != day || got.Week != week || got.Never != never {
				t.Errorf("%s: %d in a day, %d in a week, %d never; want %d, %d, %d", when, got.Day, got.Week, got.Never, day, week, never)
			}
		}
		r.fetch(google, real1, 1, "", 0)
		r.fetch(google, real1, 1, "", 0)
		r.fetch(google, real1, 2, "", 0)
		r.fetch(google, real1, 10, "", 0) // not listed
		r.fetch(google, fake, 3, "", 0)
		r.fetch(duck, fake, 4, "", 0)
		want("at first", 2, 2, 7)
		time.Sleep(25 * time.Hour)
		r.fetch(google, real2, 2, "", 0)
		want("a day later", 1, 2, 7)
		time.Sleep(8 * 24 * time.Hour)
		want("a week later", 0, 0, 7)
	})
}

// The tracker follows only some pages of a large site.
func TestMemoryOfPagesIsBounded(t *testing.T) {
	p := pages{of: map[uint64][engines]uint32{}}
	const all = 5 * maxPages
	for i := range uint64(all) {
		p.fetch(google, i*0x9e3779b97f4a7c15>>20, time.Unix(1, 0)) // as evenly spread as hashes are
	}
	if len(p.of) > maxPages {
		t.Errorf("%d pages are kept, want at most %d", len(p.of), maxPages)
	}
	n := p.count(google, func(uint64) bool { return true }, time.Unix(0, 0))[0]
	if off := math.Abs(float64(n)/all - 1); off > 0.05 {
		t.Errorf("%d pages were fetched, and %d are told", all, n)
	}
}
