package crawlers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/store/memstore"
)

func TestClaimedNamesTheEngineOfAUserAgent(t *testing.T) {
	for _, tt := range []struct{ agent, want string }{
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Googlebot-Image/1.0", "Googlebot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36", "bingbot"},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)", "Applebot"},
		{"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot"},
		{"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", "Baiduspider"},
		{"Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)", "SeznamBot"},
		{"Mozilla/5.0 (compatible; Yeti/1.1; +http://naver.me/spd)", "Yeti"},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36", ""},
		{"curl/8.5.0", ""},
		{"", ""},
		{strings.Repeat("x", longestAgent) + "Googlebot", ""},
	} {
		e, ok := Claimed(tt.agent)
		if ok != (tt.want != "") || ok && e.String() != tt.want {
			t.Errorf("%q is read as %t %s, want %q", tt.agent, ok, e, tt.want)
		}
	}
}

func TestVerifyAsksTheDNSInBothDirections(t *testing.T) {
	const addr, name = "66.249.66.1", "crawl-66-249-66-1.googlebot.com"
	many := func(n int, last string) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf("crawl-%d.googlebot.com.", i))
		}
		return append(names, last)
	}
	broken := &net.DNSError{Err: "server misbehaving", IsTemporary: true}
	for _, tt := range []struct {
		name   string
		engine Engine
		addr   string
		dns    *dns
		want   verdict
		asks   int64
	}{
		{"the engine's", google, addr, &dns{names: map[string][]string{addr: {name + "."}}, addrs: map[string][]string{name: {addr}}}, confirmed, 2},
		{"the engine's, in capitals", google, addr, &dns{names: map[string][]string{addr: {"Crawl-66-249-66-1.GoogleBot.com."}}, addrs: map[string][]string{name: {addr}}}, confirmed, 2},
		{"IPv6", google, "2001:4860:4801:10::1", &dns{names: map[string][]string{"2001:4860:4801:10::1": {name}}, addrs: map[string][]string{name: {addr, "2001:4860:4801:10::1"}}}, confirmed, 2},
		{"an answer that is mapped to IPv6", google, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {"::ffff:" + addr}}}, confirmed, 2},
		{"the second of two names", bing, addr, &dns{names: map[string][]string{addr: {"a.example.", "b.search.msn.com."}}, addrs: map[string][]string{"b.search.msn.com": {addr}}}, confirmed, 2},
		{"a name that is the engine's and does not exist", google, addr, &dns{names: map[string][]string{addr: {name}}}, refuted, 2},
		{"a name of another address", google, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {"66.249.66.2"}}}, refuted, 2},
		{"another engine's", bing, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {addr}}}, refuted, 1},
		{"a name that goes on", google, addr, &dns{names: map[string][]string{addr: {"googlebot.com.evil.example."}}, addrs: map[string][]string{"googlebot.com.evil.example": {addr}}}, refuted, 1},
		{"a name that ends alike", google, addr, &dns{names: map[string][]string{addr: {"evilgooglebot.com."}}, addrs: map[string][]string{"evilgooglebot.com": {addr}}}, refuted, 1},
		{"a proxy of the engine's, which anybody can use", google, addr, &dns{names: map[string][]string{addr: {"google-proxy-66-249-66-1.google.com."}}}, refuted, 1},
		{"no name", google, addr, &dns{}, refuted, 1},
		{"50 names of the engine's", google, addr, &dns{names: map[string][]string{addr: many(49, name)}, addrs: map[string][]string{name: {addr}}}, refuted, 1 + maxNames},
		{"50 names of others, and one of the engine's", google, addr, &dns{names: map[string][]string{addr: append(slices.Repeat([]string{"x.example."}, 50), name)}, addrs: map[string][]string{name: {addr}}}, confirmed, 2},
		{"no answer for the address", google, addr, &dns{hang: map[string]bool{addr: true}}, unknown, 1},
		{"no answer for the name", google, addr, &dns{names: map[string][]string{addr: {name}}, hang: map[string]bool{name: true}}, unknown, 2},
		{"a failure for the address", google, addr, &dns{fail: map[string]error{addr: broken}}, unknown, 1},
		{"a failure for the name", google, addr, &dns{names: map[string][]string{addr: {name}}, fail: map[string]error{name: broken}}, unknown, 2},
		{"a failure for one of two names", google, addr, &dns{names: map[string][]string{addr: {"a.googlebot.com", name}}, fail: map[string]error{"a.googlebot.com": broken},
			addrs: map[string][]string{name: {addr}}}, confirmed, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if got := verify(t.Context(), tt.dns, tt.engine, netip.MustParseAddr(tt.addr)); got != tt.want {
					t.Errorf("the verdict is %d, want %d", got, tt.want)
				}
				if asked := tt.dns.asked.Load(); asked != tt.asks {
					t.Errorf("the DNS was asked %d times, want %d", asked, tt.asks)
				}
				if took := time.Since(began); took > lookupPatience {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func TestOnlyConfirmedFetchesCount(t *testing.T) {
	for _, tt := range []struct {
		name   string
		engine Engine
		addr   string
		dns    *dns
		day    counts
		counts bool
	}{
		{"confirmed", google, real1, trueBots(), counts{1, 1, 0}, true},
		{"confirmed, mapped to IPv6", google, "::ffff:" + real1, trueBots(), counts{1, 1, 0}, true},
		{"refuted", google, fake, trueBots(), counts{1, 0, 1}, false},
		{"an engine that others are", bing, real1, trueBots(), counts{1, 0, 1}, false},
		{"no answer", google, real1, &dns{hang: map[string]bool{real1: true}}, counts{1, 0, 0}, false},
		{"no address", google, "", trueBots(), counts{1, 0, 0}, false},
		{"a private address", google, "10.0.0.1", trueBots(), counts{1, 0, 0}, false},
		{"this machine", google, "::1", trueBots(), counts{1, 0, 0}, false},
		{"an engine without names in the DNS", duck, fake, trueBots(), counts{1, 0, 0}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, new(memstore.Store), tt.dns)
				r.fetch(tt.engine, tt.addr, 0, "sitemap.xml", 200)
				time.Sleep(lookupPatience)
				got := r.of(tt.engine)
				if got == nil || len(got.Days) != 1 {
					t.Fatalf("the report is %+v, want one day", got)
				}
				if d := got.Days[0]; d.Claimed != int(tt.day.Claimed) || d.Confirmed != int(tt.day.Confirmed) || d.Refuted != int(tt.day.Refuted) {
					t.Errorf("the day is %+v, want %+v", d, tt.day)
				}
				if (len(got.Files) == 1) != tt.counts {
					t.Errorf("the files are %+v, want one: %t", got.Files, tt.counts)
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
		if asked := d.asked.Load(); r.holding > maxHeld || len(r.held) > maxHeld || asked > 2+maxLookups {
			t.Errorf("%d fetches of %d clients wait, %d were looked up at once", r.holding, len(r.held), asked)
		}
		r.fetch(google, real1, 2, "", 0)
		if got := r.of(google); got.Day != 2 {
			t.Errorf("%d pages were fetched by a crawler that is known, want 2", got.Day)
		}
		time.Sleep(time.Duration(maxHeld/maxLookups+1) * lookupPatience)
		synctest.Wait()
		if r.holding != 0 || len(r.held) != 0 || len(r.known) > maxKnown {
			t.Errorf("%d fetches wait, %d clients are known", r.holding, len(r.known))
		}
	})
}

// lingering is a DNS whose answers take a second longer than anybody waits.
type lingering struct {
	*dns
	answered atomic.Int64
}

func (l *lingering) LookupAddr(ctx context.Context, _ string) ([]string, error) {
	l.asked.Add(1)
	<-ctx.Done()
	time.Sleep(time.Second)
	l.answered.Add(1)
	return nil, ctx.Err()
}

func TestRunEndsWithItsLookupsAndBeginsNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &lingering{dns: new(dns)}
		r := start(t, new(memstore.Store), d)
		for i := range 100 {
			r.fetch(google, fmt.Sprintf("66.249.66.%d", i), 0, "", 0)
		}
		r.stop()
		if asked, answered := d.asked.Load(), d.answered.Load(); asked != maxLookups || answered != asked {
			t.Errorf("the DNS was asked %d times, want %d; at the end of Run %d were answered", asked, maxLookups, answered)
		}
	})
}

// One client that waits for the DNS leaves room for others.
func TestClientThatWaitsLeavesRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := trueBots()
		d.hang = map[string]bool{fake: true}
		r := start(t, new(memstore.Store), d)
		for range maxHeld {
			r.Saw(Fetch{Engine: google, Client: netip.MustParseAddr(fake), At: time.Now()})
		}
		synctest.Wait()
		r.fetch(google, real1, 1, "", 0)
		if got := r.of(google); got.Day != 1 {
			t.Errorf("%d pages were fetched by the crawler, want 1", got.Day)
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
			r.remember(answer{uint64(i), refuted}, time.Now())
		}
		if len(r.known) > maxKnown {
			t.Errorf("%d clients are known, want at most %d", len(r.known), maxKnown)
		}
	})
}
