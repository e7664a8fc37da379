// Package crawlers remembers what the crawlers of search engines and of AI services fetch: which of the
// sitemap's files and when, and how many requests they make a day. It takes fetches by clients that claim
// to be an engine's crawler. The engine's published addresses show whether that is true, or in the
// background the DNS. It must never store or log a client's address, nor delay a request, nor let one
// network use up what it asks the DNS.
package crawlers

import "strings"

// Engine is a search engine or an AI service that has a crawler.
type Engine uint8

const engines = len(table)

// table has what is known of the engines in advance, in the order of reports.
var table = [...]struct {
	name    string   // of the crawler, as in its User-Agent; also part of the keys of stored records
	domains []string // the names of its addresses end in these; none if its owner documents no such names
	ai      bool     // it fetches for an AI service
}{
	{"Googlebot", []string{".googlebot.com"}, false},
	{"bingbot", []string{".search.msn.com"}, false},
	{"YandexBot", []string{".yandex.ru", ".yandex.net", ".yandex.com"}, false},
	{"Applebot", []string{".applebot.apple.com"}, false},
	{"DuckDuckBot", nil, false},
	{"Baiduspider", []string{".baidu.com", ".baidu.jp"}, false},
	{"SeznamBot", []string{".seznam.cz"}, false},
	{"Yeti", []string{".naver.com", ".naver.jp"}, false},
	{"YepBot", nil, false},
	{"GPTBot", nil, true},
	{"OAI-SearchBot", nil, true},
	{"ChatGPT-User", nil, true},
	{"ClaudeBot", nil, true},
	{"Claude-SearchBot", nil, true},
	{"Claude-User", nil, true},
	{"PerplexityBot", nil, true},
	{"Perplexity-User", nil, true},
	{"MistralAI-User", nil, true},
	{"Amazonbot", []string{".crawl.amazonbot.amazon"}, true},
	{"CCBot", []string{".crawl.commoncrawl.org"}, true},
	{"meta-externalagent", nil, true},
	{"DuckAssistBot", nil, true},
	{"GoogleOther", []string{".googlebot.com"}, true},
	{"Google-Agent", nil, true},
}

// longestAgent is how many bytes of a User-Agent are read. Those of crawlers have less than half as many.
const longestAgent = 512

// Claimed returns the engine whose crawler a User-Agent claims to be. ok is false if it names none.
func Claimed(userAgent string) (e Engine, ok bool) {
	userAgent = userAgent[:min(len(userAgent), longestAgent)]
	for i := range table {
		if strings.Contains(userAgent, table[i].name) {
			return Engine(i), true
		}
	}
	return 0, false
}

// String returns the name of the engine's crawler.
func (e Engine) String() string { return table[e].name }

// AI reports whether the engine fetches for an AI service.
func (e Engine) AI() bool { return table[e].ai }
