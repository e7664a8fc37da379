package crawlers

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// named returns the engine with a name.
func named(name string) Engine {
	e, _ := Claimed(name)
	return e
}

var google, bing, duck, gpt = named("Googlebot"), named("bingbot"), named("DuckDuckBot"), named("GPTBot")

// dns answers from maps. A name or address that they lack does not exist.
type dns struct {
	names map[string][]string // by address
	addrs map[string][]string // by name
	dead  string              // names and addresses that begin so get no answer
	asked atomic.Int64
}

func (d *dns) answer(ctx context.Context, what string, of map[string][]string) ([]string, error) {
	d.asked.Add(1)
	if d.dead != "" && strings.HasPrefix(what, d.dead) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if found := of[what]; found != nil {
		return found, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: what, IsNotFound: true}
}

func (d *dns) LookupAddr(ctx context.Context, addr string) ([]string, error) {
	return d.answer(ctx, addr, d.names)
}

func (d *dns) LookupNetIP(ctx context.Context, _, host string) (addrs []netip.Addr, err error) {
	texts, err := d.answer(ctx, host, d.addrs)
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, err
}

// trueBots is a DNS in which each address of 66.249.66.0/24 is Googlebot's.
func trueBots() *dns {
	d := &dns{names: map[string][]string{}, addrs: map[string][]string{}}
	for i := range 256 {
		addr, name := fmt.Sprintf("66.249.66.%d", i), fmt.Sprintf("crawl-%d.googlebot.com", i)
		d.names[addr], d.addrs[name] = []string{name + "."}, []string{addr}
	}
	return d
}

const real1, real2, fake = "66.249.66.1", "66.249.66.2", "203.0.113.9"

func TestClaimedNamesTheEngineOfAUserAgent(t *testing.T) {
	for _, tt := range []struct{ agent, want string }{
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) " +
			"Chrome/116.0.1938.76 Safari/537.36", "bingbot"},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot"},
		{"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot"},
		{"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", "Baiduspider"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)", "GPTBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
			"ClaudeBot"},
		{"Mozilla/5.0 (compatible; GoogleOther)", "GoogleOther"},
		{"CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"},
		{"meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)", "meta-externalagent"},
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

func TestDNSIsAskedInBothDirections(t *testing.T) {
	const addr, name = "66.249.66.1", "crawl-66-249-66-1.googlebot.com"
	var many []string
	for i := range 50 {
		many = append(many, fmt.Sprintf("crawl-%d.googlebot.com.", i))
	}
	one := func(key string, values ...string) map[string][]string { return map[string][]string{key: values} }
	for _, tt := range []struct {
		name   string
		engine Engine
		dns    *dns
		want   bool
		asks   int64
	}{
		{"the engine's", google, &dns{names: one(addr, name+"."), addrs: one(name, addr)}, true, 2},
		{"an answer that is mapped to IPv6", google, &dns{names: one(addr, name), addrs: one(name, "::ffff:"+addr)}, true, 2},
		{"a name that is the engine's and does not exist", google, &dns{names: one(addr, name)}, false, 2},
		{"a name that is the engine's and has another address", google, &dns{names: one(addr, name), addrs: one(name, fake)},
			false, 2},
		{"another engine's", bing, &dns{names: one(addr, name), addrs: one(name, addr)}, false, 1},
		{"a name that goes on", google, &dns{names: one(addr, "googlebot.com.evil.example."),
			addrs: one("googlebot.com.evil.example", addr)}, false, 1},
		{"a name that ends alike", google, &dns{names: one(addr, "evilgooglebot.com."),
			addrs: one("evilgooglebot.com", addr)}, false, 1},
		{"a proxy of the engine's, which anybody can use", google,
			&dns{names: one(addr, "google-proxy-66-249-66-1.google.com.")}, false, 1},
		{"no name", google, &dns{}, false, 1},
		{"50 names of the engine's", google, &dns{names: one(addr, many...)}, false, 1 + maxNames},
		{"one of two names", google, &dns{names: one(addr, "a.googlebot.com", name), addrs: one(name, addr)}, true, 3},
		{"no answer", google, &dns{dead: "66."}, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				base.Equal(t, lookup(t.Context(), tt.dns, tt.engine, netip.MustParseAddr(addr)), tt.want, "it is confirmed")
				if asked := tt.dns.asked.Load(); asked != tt.asks || time.Since(began) > lookupPatience {
					t.Errorf("the DNS was asked %d times in %v, want %d", asked, time.Since(began), tt.asks)
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
		dead   string
		day    Day
		counts bool
	}{
		{"confirmed", google, real1, "", Day{1, 1}, true},
		{"confirmed, mapped to IPv6", google, "::ffff:" + real1, "", Day{1, 1}, true},
		{"not the engine's", google, fake, "", Day{1, 0}, false},
		{"an engine that others are", bing, real1, "", Day{1, 0}, false},
		{"no answer", google, real1, "66.", Day{1, 0}, false},
		{"no address", google, "", "", Day{1, 0}, false},
		{"a private address", google, "10.0.0.1", "", Day{1, 0}, false},
		{"this machine", google, "::1", "", Day{1, 0}, false},
		{"an engine without names in the DNS", duck, fake, "", Day{1, 0}, true},
		{"an address that the engine has published", gpt, "203.0.113.7", "", Day{1, 1}, true},
		{"another address", gpt, real1, "", Day{1, 0}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := trueBots()
				d.dead = tt.dead
				r := start(t, new(memstore.Store), d)
				r.fetch(tt.engine, tt.addr, "sitemap.xml", 200)
				time.Sleep(lookupPatience)
				got := r.of(tt.engine)
				if got == nil || got.day(time.Now()) != tt.day || (len(got.Files) == 1) != tt.counts {
					t.Errorf("the report is %+v, want %+v, and a file: %t", got, tt.day, tt.counts)
				}
				if r.of(named("YandexBot")) != nil {
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
					r.fetch(google, fmt.Sprintf(row.addrs, i%250+1), "", 0)
					r.fetch(google, fmt.Sprintf("66.249.66.%d", i*real/often), "", 0)
					time.Sleep(time.Second / 3)
				}
				if asked := d.asked.Load() - 2*real; asked < 1 || asked > maxAsked {
					t.Errorf("the DNS was asked %d times about the stranger, want at most %d", asked, maxAsked)
				}
				if n := r.of(google).day(time.Now()).Confirmed; n < often*9/10 {
					t.Errorf("%d of %d fetches of the real one are confirmed", n, often)
				}
			})
		})
	}
}

func TestAnswersOfTheDNSAreRememberedAndForgotten(t *testing.T) {
	base.OneByOne(t)
	synctest.Test(t, func(t *testing.T) {
		d := trueBots()
		r := start(t, new(memstore.Store), d)
		asks := func(when string, addr string, want int64) {
			t.Helper()
			before := d.asked.Load()
			r.fetch(google, addr, "", 0)
			if got := d.asked.Load() - before; got != want {
				t.Errorf("%s: the DNS was asked %d times, want %d", when, got, want)
			}
		}
		asks("first", real1, 2)
		asks("again", real1, 0)
		asks("another address", fake, 1)
		asks("another address again", fake, 0)
		time.Sleep(rememberFor)
		asks("an hour later", real1, 2)
		for i := range 2 * maxClients {
			r.fetch(google, fmt.Sprintf("198.%d.%d.1", i/256, i%256), "", 0)
		}
		base.Equal(t, len(r.clients.known), maxClients, "clients are known")
	})
}

func TestRangesAreReadAsEnginesPublishThem(t *testing.T) {
	const list = `{"creationTime": "2026-11-01T00:00:00", "prefixes": [{"ipv4Prefix": "192.0.2.0/28"}, {"ipv6Prefix": "2001:db8::/48"}]}`
	for _, row := range []struct{ name, file, content, fails string }{
		{"a list", "GPTBot.json", list, ""},
		{"a crawler that is not followed", "MyBot.json", list, "no crawler that is followed"},
		{"more than a name", "My-GPTBot.json", list, "no crawler that is followed"},
		{"no JSON", "GPTBot.json", "<html>", "no list of an engine's addresses"},
		{"an empty list", "GPTBot.json", `{"prefixes": []}`, "no ipv4Prefix"},
		{"a range that is none", "GPTBot.json", `{"prefixes": [{"ipv4Prefix": "192.0.2.0/99"}]}`,
			"no list of an engine's addresses"},
		{"no list in the folder", "GPTBot.txt", list, "has no list"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			base.Check(t, os.WriteFile(filepath.Join(dir, row.file), []byte(row.content), 0o600))
			ranges, err := ReadRanges(dir)
			if row.fails != "" {
				if err == nil || !strings.Contains(err.Error(), row.fails) {
					t.Fatalf("the error is %v, want %q in it", err, row.fails)
				}
				return
			}
			base.Check(t, err)
			base.Equal(t, fmt.Sprint(ranges[gpt]), "[192.0.2.0/28 2001:db8::/48]", "the ranges are")
		})
	}
}
