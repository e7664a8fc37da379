package crawlers

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/store/memstore"
)

func TestOnlyConfirmedFetchesCount(t *testing.T) {
	for _, tt := range []struct {
		name   string
		engine Engine
		addr   string
		dns    *dns
		day    Day
		counts bool
	}{
		{"confirmed", google, real1, trueBots(), Day{1, 1, 0}, true},
		{"confirmed, mapped to IPv6", google, "::ffff:" + real1, trueBots(), Day{1, 1, 0}, true},
		{"refuted", google, fake, trueBots(), Day{1, 0, 1}, false},
		{"an engine that others are", bing, real1, trueBots(), Day{1, 0, 1}, false},
		{"no answer", google, real1, &dns{hang: map[string]bool{real1: true}}, Day{1, 0, 0}, false},
		{"no address", google, "", trueBots(), Day{1, 0, 0}, false},
		{"a private address", google, "10.0.0.1", trueBots(), Day{1, 0, 0}, false},
		{"this machine", google, "::1", trueBots(), Day{1, 0, 0}, false},
		{"an engine without names in the DNS", duck, fake, trueBots(), Day{1, 0, 0}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, new(memstore.Store), tt.dns)
				r.fetch(tt.engine, tt.addr, 0, "sitemap.xml", 200)
				time.Sleep(lookupPatience)
				got := r.of(tt.engine)
				if got == nil || len(got.record.Days) != 1 {
					t.Fatalf("the report is %+v, want one day", got)
				}
				if d := got.days()[0]; d.Claimed != int(tt.day.Claimed) || d.Confirmed != int(tt.day.Confirmed) || d.Refuted != int(tt.day.Refuted) {
					t.Errorf("the day is %+v, want %+v", d, tt.day)
				}
				if (len(got.record.Files) == 1) != tt.counts {
					t.Errorf("the files are %+v, want one: %t", got.record.Files, tt.counts)
				}
				if r.of((tt.engine+1)%engines) != nil {
					t.Error("there is a report of an engine that nobody claimed to be of")
				}
			})
		})
	}
}

func TestFloodOfClaimsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := trueBots()
		d.hang = map[string]bool{}
		flood := func(i int) string { return fmt.Sprintf("198.18.%d.%d", i/256, i%256) }
		for i := range 3 * maxHeld {
			d.hang[flood(i)] = true
		}
		r := start(t, new(memstore.Store), d)
		r.fetch(google, real1, 1, "", 0) // confirmed before the flood
		for i := range 3 * maxHeld {
			r.Saw(Fetch{Engine: google, Client: netip.MustParseAddr(flood(i)), At: time.Now()})
			if i%maxQueued == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if asked := d.asked.Load(); r.clients.holding > maxHeld || len(r.clients.held) > maxHeld || asked > 2+maxLookups {
			t.Errorf("%d fetches of %d clients wait, %d were looked up at once", r.clients.holding, len(r.clients.held), asked)
		}
		r.fetch(google, real1, 2, "", 0)
		if got := r.of(google); got.Day != 2 {
			t.Errorf("%d pages were fetched by a crawler that is known, want 2", got.Day)
		}
		time.Sleep(time.Duration(maxHeld/maxLookups+1) * lookupPatience)
		synctest.Wait()
		if r.clients.holding != 0 || len(r.clients.held) != 0 || len(r.clients.known) > maxKnown {
			t.Errorf("%d fetches wait, %d clients are known", r.clients.holding, len(r.clients.known))
		}
	})
}

func TestVerdictsAreRememberedAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := trueBots()
		r := start(t, new(memstore.Store), d)
		asks := func(when string, addr string, want int64) {
			t.Helper()
			before := d.asked.Load()
			r.fetch(google, addr, 1, "", 0)
			if got := d.asked.Load() - before; got != want {
				t.Errorf("%s: the DNS was asked %d times, want %d", when, got, want)
			}
		}
		asks("first", real1, 2)
		asks("again", real1, 0)
		asks("another address", fake, 1)
		d.fail = map[string]error{real2: errors.New("no route")}
		asks("no answer", real2, 1)
		asks("no answer yet", real2, 0)
		d.fail = nil
		time.Sleep(retryAfter)
		asks("tried again", real2, 2)
		asks("still known", real1, 0)
		time.Sleep(knownFor)
		asks("a day later", real1, 2)
		for i := range 2 * maxKnown {
			r.clients.learn(answer{uint64(i), refuted}, time.Now())
		}
		if len(r.clients.known) > maxKnown {
			t.Errorf("%d clients are known, want at most %d", len(r.clients.known), maxKnown)
		}
	})
}
