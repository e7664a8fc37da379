package crawlers

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestClaimedNamesTheEngineOfAUserAgent(t *testing.T) {
	for _, tt := range []struct{ agent, want string }{
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36", "bingbot"},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot"},
		{"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot"},
		{"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", "Baiduspider"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)", "GPTBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ClaudeBot"},
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
		{"an answer that is mapped to IPv6", google, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {"::ffff:" + addr}}}, confirmed, 2},
		{"a name that is the engine's and does not exist", google, addr, &dns{names: map[string][]string{addr: {name}}}, refuted, 2},
		{"another engine's", bing, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {addr}}}, refuted, 1},
		{"a name that goes on", google, addr, &dns{names: map[string][]string{addr: {"googlebot.com.evil.example."}}, addrs: map[string][]string{"googlebot.com.evil.example": {addr}}}, refuted, 1},
		{"a name that ends alike", google, addr, &dns{names: map[string][]string{addr: {"evilgooglebot.com."}}, addrs: map[string][]string{"evilgooglebot.com": {addr}}}, refuted, 1},
		{"a proxy of the engine's, which anybody can use", google, addr, &dns{names: map[string][]string{addr: {"google-proxy-66-249-66-1.google.com."}}}, refuted, 1},
		{"no name", google, addr, &dns{}, refuted, 1},
		{"50 names of the engine's", google, addr, &dns{names: map[string][]string{addr: many(49, name)}, addrs: map[string][]string{name: {addr}}}, refuted, 1 + maxNames},
		{"no answer for the address", google, addr, &dns{hang: map[string]bool{addr: true}}, unknown, 1},
		{"no answer for the name", google, addr, &dns{names: map[string][]string{addr: {name}}, hang: map[string]bool{name: true}}, unknown, 2},
		{"a failure for the address", google, addr, &dns{fail: map[string]error{addr: broken}}, unknown, 1},
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
