package crawlers

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
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
		{"an address that the engine has published", gpt, "203.0.113.7", trueBots(), Day{1, 1, 0}, true},
		{"another address", gpt, real1, trueBots(), Day{1, 0, 1}, false},
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

// A stranger with a network of his own has a name server that does not answer.
func TestStrangersNetworkKeepsNoCrawlerUnconfirmed(t *testing.T) {
	for _, row := range []struct {
		name, addrs, dead string
	}{
		{"a /24 of IPv4", "198.18.0.%d", "198.18.0."},
		{"a /64 of IPv6", "2001:db8::%x", "2001:db8:"},
		{"a /32 of IPv6", "2001:db8:%x::1", "2001:db8:"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := trueBots()
				d.dead = row.dead
				r := start(t, new(memstore.Store), d)
				const often, real = 1800, 60
				for i := range often { // three requests a second
					r.fetch(google, fmt.Sprintf(row.addrs, i%250+1), 0, "", 0)
					r.fetch(google, fmt.Sprintf("66.249.66.%d", i*real/often), 1, "", 0)
					time.Sleep(time.Second / 3)
				}
				if len(r.clients.asked) > maxAsked || len(r.clients.known) > maxKnown {
					t.Errorf("%d clients wait, %d are known", len(r.clients.asked), len(r.clients.known))
				}
				if asked := d.asked.Load() - 2*real; asked < 1 || asked > maxFailed {
					t.Errorf("the DNS was asked %d times about the stranger, want at most %d", asked, maxFailed)
				}
				if n := r.of(google).days()[0].Confirmed; n < often*9/10 {
					t.Errorf("%d of %d fetches of the real one are confirmed", n, often)
				}
			})
		})
	}
}

func TestVerdictsAreRememberedAndForgotten(t *testing.T) {
	base.OneByOne(t)
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
			r.clients.learn(&ask{id: uint64(i), verdict: refuted}, time.Now())
		}
		if len(r.clients.known) > maxKnown {
			t.Errorf("%d clients are known, want at most %d", len(r.clients.known), maxKnown)
		}
	})
}
