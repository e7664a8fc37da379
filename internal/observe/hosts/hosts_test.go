package hosts

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// site counts what happens to it.
type site struct{ opened, rested, closed int }

// rests is how long a site is open after its last request, and until it is surely closed.
const rests = (restAfter+1)*round + time.Second

// harness has a site for each host but "other".
type harness struct {
	*Table[*site]
	sites map[string]*site
	fails atomic.Bool // Rest does
	mends time.Time   // when the host "mended" can be opened
	gone  atomic.Bool // the host "a" has no site any more
	full  int         // calls of Full
	takes time.Duration
}

func newHarness() *harness {
	h := &harness{sites: map[string]*site{}}
	h.Table = New(Config[*site]{
		Find: func(_ context.Context, host string) func() (*site, error) {
			if host == "other" {
				return nil
			}
			if host == "a" && h.gone.Load() {
				time.Sleep(time.Second)
				return nil
			}
			return func() (*site, error) {
				if host == "broken" || host == "mended" && time.Now().Before(h.mends) {
					return nil, errors.New("cannot be opened")
				}
				if h.sites[host] == nil {
					h.sites[host] = new(site)
				}
				h.sites[host].opened++
				return h.sites[host], nil
			}
		},
		Most: 10, Full: func() { h.full++ },
		Rest: func(ctx context.Context, s *site) error {
			select {
			case <-time.After(h.takes):
			case <-ctx.Done():
				return ctx.Err()
			}
			s.rested++
			if h.fails.Load() {
				return errors.New("no disk")
			}
			return nil
		},
		Close: func(_ context.Context, s *site) error { s.closed++; return nil },
	})
	return h
}

func TestSiteIsOpenWhileRequestsCome(t *testing.T) {
	ask := func(h *harness, host string) { h.Get(context.Background(), host) }
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, h *harness)
		want site
		open int // entries
	}{
		{"one request", func(_ *testing.T, h *harness) { ask(h, "a") }, site{opened: 1}, 1},
		{"many at once", func(_ *testing.T, h *harness) {
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { ask(h, "a") })
			}
			all.Wait()
		}, site{opened: 1}, 1},
		{"one every four minutes", func(_ *testing.T, h *harness) {
			for range 20 {
				ask(h, "a")
				time.Sleep(4 * time.Minute)
			}
		}, site{opened: 1}, 1},
		{"none for five minutes", func(_ *testing.T, h *harness) { ask(h, "a"); time.Sleep(rests) },
			site{opened: 1, rested: 1}, 0},
		{"one after a rest", func(_ *testing.T, h *harness) { ask(h, "a"); time.Sleep(time.Hour); ask(h, "a") },
			site{opened: 2, rested: 1}, 1},
		{"one while it ends", func(_ *testing.T, h *harness) {
			h.takes = 10 * time.Second
			ask(h, "a")
			time.Sleep(rests)
			ask(h, "a")
			time.Sleep(time.Minute)
		}, site{opened: 1, rested: 1}, 0},
		{"the store does not take what it learned", func(_ *testing.T, h *harness) {
			h.fails.Store(true)
			ask(h, "a")
			time.Sleep(rests)
		}, site{opened: 1, rested: 1}, 1},
		{"the store takes it later", func(_ *testing.T, h *harness) {
			h.fails.Store(true)
			ask(h, "a")
			time.Sleep(rests)
			h.fails.Store(false)
			time.Sleep(round)
		}, site{opened: 1, rested: 2}, 0},
		{"requests for a host that has left", func(_ *testing.T, h *harness) {
			for range 700 {
				ask(h, "a")
				time.Sleep(600 * time.Millisecond)
				h.gone.Store(true)
			}
		}, site{opened: 1, rested: 1}, 0},
		{"the owner holds the site of a host that has left", func(t *testing.T, h *harness) {
			if _, _, err := h.Hold(context.Background(), "a"); err != nil {
				t.Fatal(err)
			}
			h.gone.Store(true)
			time.Sleep(time.Hour)
		}, site{opened: 1}, 1},
		{"one a second while other hosts use up the room", func(_ *testing.T, h *harness) {
			for i := range 2000 {
				ask(h, "a")
				ask(h, fmt.Sprint(i))
				time.Sleep(time.Second)
			}
			time.Sleep(time.Second)
		}, site{opened: 1}, 10},
		{"closed while it ends", func(t *testing.T, h *harness) {
			h.takes = time.Hour
			ask(h, "a")
			time.Sleep(rests)
			begun := time.Now()
			if err := h.Close(context.Background()); err != nil || time.Since(begun) > 0 {
				t.Errorf("Close took %v: %v", time.Since(begun), err)
			}
		}, site{opened: 1, closed: 1}, 1},
		{"the owner holds it", func(t *testing.T, h *harness) {
			_, release, err := h.Hold(context.Background(), "a")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(58 * time.Minute)
			release()
		}, site{opened: 1}, 1},
		{"the owner held it", func(t *testing.T, h *harness) {
			_, release, err := h.Hold(context.Background(), "a")
			if err != nil {
				t.Fatal(err)
			}
			release()
			time.Sleep(rests)
		}, site{opened: 1, rested: 1}, 0},
		{"the owner holds it while it ends", func(t *testing.T, h *harness) {
			h.takes = 10 * time.Second
			ask(h, "a")
			time.Sleep(rests)
			if _, _, err := h.Hold(context.Background(), "a"); err != nil {
				t.Fatal(err)
			}
		}, site{opened: 2, rested: 1}, 1},
		{"closed", func(_ *testing.T, h *harness) {
			ask(h, "a")
			_ = h.Close(context.Background())
			ask(h, "a")
			ask(h, "b")
			time.Sleep(time.Hour)
		}, site{opened: 1, closed: 1}, 1},
		{"requests while it cannot be opened", func(t *testing.T, h *harness) {
			ask(h, "a")
			h.mends = time.Now().Add(time.Minute)
			for range 20 {
				ask(h, "mended")
				time.Sleep(time.Minute)
			}
			if _, ok := h.Get(context.Background(), "mended"); !ok {
				t.Error("it is not tried again while requests come")
			}
		}, site{opened: 1, rested: 1}, 1},
		{"hosts without a site", func(t *testing.T, h *harness) {
			ask(h, "a")
			for _, host := range []string{"other", "broken"} {
				if _, ok := h.Get(context.Background(), host); ok {
					t.Errorf("there is a site of %s", host)
				}
				if _, _, err := h.Hold(context.Background(), host); err == nil {
					t.Errorf("a site of %s is held", host)
				}
			}
			time.Sleep(rests)
		}, site{opened: 1, rested: 1}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness()
				defer h.Close(context.Background())
				tt.do(t, h)
				synctest.Wait()
				if got := *h.sites["a"]; got != tt.want || len(h.open) != tt.open {
					t.Errorf("its life is %+v, want %+v; %d are open, want %d", got, tt.want, len(h.open), tt.open)
				}
			})
		})
	}
}

// While little room is left, those without a request for the longest time make it, but for one that the owner holds. No
// host waits for it, but one that the owner holds has a site in any case.
func TestLongestIdleMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness()
		defer h.Close(context.Background())
		ctx := context.Background()
		_, _, err := h.Hold(ctx, "0")
		time.Sleep(time.Second) // between two sweeps
		for i := range 10 {
			h.Get(ctx, fmt.Sprint(i))
			time.Sleep(round)
		}
		time.Sleep(time.Minute)
		h.Get(ctx, "eleventh")
		if _, ok := h.Get(ctx, "above"); ok {
			t.Error("a twelfth is open")
		}
		if _, _, late := h.Hold(ctx, "held"); err != nil || late != nil {
			t.Errorf("the owner does not get it: %v, %v", err, late)
		}
		time.Sleep(round)
		synctest.Wait()
		for i := range 10 {
			if rested := h.sites[fmt.Sprint(i)].rested; (rested == 1) != (i == 1 || i == 2) {
				t.Errorf("site %d rested %d times", i, rested)
			}
		}
		if _, ok := h.Get(ctx, "above"); !ok || h.full != 1 {
			t.Errorf("there is room: %v; the owner was told %d times", ok, h.full)
		}
	})
}

func TestNameIsThatOfTheHostAlone(t *testing.T) {
	for given, want := range map[string]string{
		"a.example": "a.example", "A.Example:443": "a.example", "a.example:80": "a.example",
		"a.example:8080": "a.example:8080",
	} {
		if got := Name(given); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}
