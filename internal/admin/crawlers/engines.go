// Package crawlers remembers what the crawlers of search engines and of AI services fetch: which of the
// sitemap's files and when, and how many of the listed pages. It takes fetches by clients that claim to
// be an engine's crawler. Whether that is true, the engine's published addresses tell, or in the
// background the DNS. It must never store or log a client's address, nor delay a request, nor let one
// network use up what it asks the DNS.
package crawlers

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Engine is a search engine or an AI service that has a crawler.
type Engine uint8

const engines = 20 // the length of table

// engine is what is known of an engine in advance.
type engine struct {
	name    string   // of the crawler; also part of the keys of stored records
	token   string   // in its User-Agent
	domains []string // the names of its addresses end in these; none if its owner documents no such names
	ai      bool     // it fetches for an AI service
}

// table has the engines. The order is that of reports.
var table = [engines]engine{
	{"Googlebot", "Googlebot", []string{".googlebot.com"}, false},
	{"bingbot", "bingbot", []string{".search.msn.com"}, false},
	{"YandexBot", "YandexBot", []string{".yandex.ru", ".yandex.net", ".yandex.com"}, false},
	{"Applebot", "Applebot", []string{".applebot.apple.com"}, false},
	{"DuckDuckBot", "DuckDuckBot", nil, false},
	{"Baiduspider", "Baiduspider", []string{".baidu.com", ".baidu.jp"}, false},
	{"SeznamBot", "SeznamBot", []string{".seznam.cz"}, false},
	{"Yeti", "Yeti/", []string{".naver.com", ".naver.jp"}, false},
	{"YepBot", "YepBot", nil, false},
	{"GPTBot", "GPTBot", nil, true},
	{"OAI-SearchBot", "OAI-SearchBot", nil, true},
	{"ChatGPT-User", "ChatGPT-User", nil, true},
	{"ClaudeBot", "ClaudeBot", nil, true},
	{"Claude-SearchBot", "Claude-SearchBot", nil, true},
	{"PerplexityBot", "PerplexityBot", nil, true},
	{"Amazonbot", "Amazonbot", []string{".crawl.amazonbot.amazon"}, true},
	{"CCBot", "CCBot/", []string{".crawl.commoncrawl.org"}, true},
	{"meta-externalagent", "meta-externalagent", nil, true},
	{"DuckAssistBot", "DuckAssistBot", nil, true},
	{"GoogleOther", "GoogleOther", []string{".googlebot.com"}, true},
}

// longestAgent is how many bytes of a User-Agent are read. Those of crawlers have less than
// half as many.
const longestAgent = 512

// Claimed returns the engine whose crawler a User-Agent claims to be. ok is false if it
// names none.
func Claimed(userAgent string) (e Engine, ok bool) {
	userAgent = userAgent[:min(len(userAgent), longestAgent)]
	for i := range table {
		if strings.Contains(userAgent, table[i].token) {
			return Engine(i), true
		}
	}
	return 0, false
}

// String returns the name of the engine's crawler.
func (e Engine) String() string { return table[e].name }

// AI reports whether the engine fetches for an AI service.
func (e Engine) AI() bool { return table[e].ai }

// owns reports whether a host name is below a domain of the engine's crawler.
func (e Engine) owns(name string) bool {
	return slices.ContainsFunc(table[e].domains, func(domain string) bool { return strings.HasSuffix(name, domain) })
}

// Resolver asks the DNS, as [net.Resolver] does.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// verdict says whether an address is an engine's.
type verdict uint8

const (
	unknown   verdict = iota // the DNS did not answer
	confirmed                // the address has a name of the engine's, and that name has the address
	refuted                  // the address has no such name
)

const (
	lookupPatience = 2 * time.Second // for all questions about one address
	maxNames       = 2               // looked up for one address at most
)

// verify asks the DNS whether an address is the engine's. Anybody can name his address like
// somebody else's host, so the name must lead back to the address.
func verify(ctx context.Context, dns Resolver, e Engine, addr netip.Addr) verdict {
	ctx, cancel := context.WithTimeout(ctx, lookupPatience)
	defer cancel()
	names, err := dns.LookupAddr(ctx, addr.String())
	silent := len(names) == 0 && !answered(err)
	asked, network := 0, "ip4"
	if addr.Is6() {
		network = "ip6"
	}
	for _, name := range names {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if !e.owns(name) || asked == maxNames {
			continue
		}
		asked++
		addrs, err := dns.LookupNetIP(ctx, network, name)
		if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return a.Unmap() == addr }) {
			return confirmed
		}
		silent = silent || !answered(err)
	}
	if silent {
		return unknown
	}
	return refuted
}

// answered reports whether the DNS answered, if only that there is no such name.
func answered(err error) bool {
	var dns *net.DNSError
	return err == nil || errors.As(err, &dns) && dns.IsNotFound
}
