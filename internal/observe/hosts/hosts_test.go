package hosts

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// site counts what happens to it.
type site struct{ opened, rested, closed int }

// harness has a site for each host but "other".
type harness struct {
	*Table[*site]
	sites  map[string]*site
	fails  error // of Rest
	broken bool  // no site can be opened
	takes  time.Duration
}

func newHarness() *harness {
	h := &harness{sites: map[string]*site{"a": new(site)}}
	h.Table = New(Config[*site]{
		Find: func(_ context.Context, host string) func() (*site, error) {
			if host == "other" {
				return nil
			}
			return func() (*site, error) {
				if h.broken || host == "broken" {
					return nil, errors.New("cannot be opened")
				}
				if h.sites[host] == nil {
					h.sites[host] = new(site)
				}
				h.sites[host].opened++
				return h.sites[host], nil
			}
		},
		Rest:  func(s *site) error { time.Sleep(h.takes); s.rested++; return h.fails },
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
		{"one every minute, of which the first cannot open it", func(_ *testing.T, h *harness) {
			h.broken = true
			for range 30 {
				ask(h, "a")
				time.Sleep(time.Minute)
				h.broken = false
			}
		}, site{opened: 1}, 1},
		{"none for ten minutes", func(_ *testing.T, h *harness) { ask(h, "a"); time.Sleep(2*restAfter + 1) }, site{opened: 1, rested: 1}, 0},
		{"one after a rest", func(_ *testing.T, h *harness) { ask(h, "a"); time.Sleep(time.Hour); ask(h, "a") }, site{opened: 2, rested: 1}, 1},
		{"one while it ends", func(_ *testing.T, h *harness) {
			h.takes = 10 * time.Second
			ask(h, "a")
			time.Sleep(2*restAfter + time.Second)
			ask(h, "a")
			time.Sleep(time.Minute)
		}, site{opened: 1, rested: 1}, 0},
		{"the store does not take what it learned", func(_ *testing.T, h *harness) {
			h.fails = errors.New("no disk")
			ask(h, "a")
			time.Sleep(2*restAfter + 1)
		}, site{opened: 1, rested: 1}, 1},
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
			time.Sleep(2*restAfter + 1)
		}, site{opened: 1, rested: 1}, 0},
		{"the owner holds it while it ends", func(t *testing.T, h *harness) {
			h.takes = 10 * time.Second
			ask(h, "a")
			time.Sleep(2*restAfter + time.Second)
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
			time.Sleep(2*restAfter + 1)
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

func TestNameIsThatOfTheHostAlone(t *testing.T) {
	for given, want := range map[string]string{
		"a.example": "a.example", "A.Example:443": "a.example", "a.example:80": "a.example", "a.example:8080": "a.example:8080",
	} {
		if got := Name(given); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}
