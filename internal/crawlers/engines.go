// Package crawlers remembers what search engines fetch: which of the sitemap's files
// when, how many of the listed pages, and how soon after a change. It takes fetches by
// clients that say they are an engine's crawler, and asks the DNS in the background
// whether that is so. It must never store or log a client's address, nor let a request
// wait.
package crawlers

import (
	"slices"
	"strings"
)

// Engine is a search engine that has a crawler.
type Engine uint8

const engines = 8 // the length of table

// table has the engines. The order is that of reports.
var table = [engines]struct {
	name    string   // of the crawler; also part of the keys of stored records
	token   string   // in its User-Agent
	domains []string // that the names of its addresses end in; none if they have no such names
}{
	{"Googlebot", "Googlebot", []string{".googlebot.com"}},
	{"bingbot", "bingbot", []string{".search.msn.com"}},
	{"YandexBot", "YandexBot", []string{".yandex.ru", ".yandex.net", ".yandex.com"}},
	{"Applebot", "Applebot", []string{".applebot.apple.com"}},
	{"DuckDuckBot", "DuckDuckBot", nil},
	{"Baiduspider", "Baiduspider", []string{".baidu.com", ".baidu.jp"}},
	{"SeznamBot", "SeznamBot", []string{".seznam.cz"}},
	{"Yeti", "Yeti/", []string{".naver.com", ".naver.jp"}},
}

// longestAgent is how much of a User-Agent is read. Those of crawlers have less than
// half of it.
const longestAgent = 512

// Claimed returns the engine whose crawler a User-Agent says it is. ok is false if it
// names none.
func Claimed(userAgent string) (e Engine, ok bool) {
	userAgent = userAgent[:min(len(userAgent), longestAgent)]
	if !strings.Contains(userAgent, "bot") && !strings.Contains(userAgent, "spider") && !strings.Contains(userAgent, "Yeti/") {
		return 0, false // as with nearly all clients; one of these is part of each token
	}
	for i := range table {
		if strings.Contains(userAgent, table[i].token) {
			return Engine(i), true
		}
	}
	return 0, false
}

// String returns the name of the engine's crawler.
func (e Engine) String() string { return table[e].name }

// Confirmable reports whether the DNS can tell the engine's addresses.
func (e Engine) Confirmable() bool { return table[e].domains != nil }

// owns reports whether a host name is below a domain of the engine's crawler.
func (e Engine) owns(name string) bool {
	return slices.ContainsFunc(table[e].domains, func(domain string) bool { return strings.HasSuffix(name, domain) })
}
