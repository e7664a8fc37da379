// Package hint names known causes that prevent learning a whole site. It is for an owner whose
// program runs and lists nothing. It takes a hint each time somebody finds its cause, logs it once,
// and keeps it for anybody who asks. It must never tell what is not public.
package hint

import (
	"log/slog"
	"sync/atomic"
)

// Hint is one such cause. Hints are shown in the order of their numbers. The numbers are not stored
// and may change.
type Hint uint8

// The hints, more fundamental causes first. Zero is no hint.
const (
	_ Hint = iota
	Host
	WWW
	Prefix
	Failing
	Authorization
	Identity
	Cookies
	Private
	Folder
	Slash
	Empty
	NotHTML
	Encoding
	Robots
	Entry
	NoIndex
	NoFollow
	Canonical
	ClientApp
	DeadEnd
	Proxy
	Growth
	Few
	Withdrawals
	Refused
	AnonymousPanics
	ClientIPPanics
	end
)

// String says what is wrong and what to do about it, in one sentence.
func (h Hint) String() string { return words[h] }

var words = [end]string{
	Host: "Nearly all requests are for another host than the origin's, and are not observed; " +
		"correct the origin, or name the hosts that count in Options.Hosts.",
	WWW: "The site leads visitors of the origin to the same host with www. added or removed; " +
		"write the origin as the host where they arrive.",
	Prefix: "Requests arrive with the beginning of their path cut off, as http.StripPrefix does, and the origin does not have it, " +
		"so the sitemap is not where crawlers are told; " +
		"if that folder is all of the site, add it to the origin.",
	Failing: "Visitors got no page yet, only errors that pass, such as 429, 500 or 503; " +
		"pages are learned once the site answers 200.",
	Authorization: "Nearly every request has an Authorization header, so no visitor counts as anonymous; " +
		"if a proxy adds it to all, say in Options.Anonymous which requests are anonymous.",
	Identity: "Nearly every request has a header or a certificate that names a user, so no visitor counts as anonymous; " +
		"if a proxy adds it to all, say in Options.Anonymous which requests are anonymous.",
	Cookies: "Nearly every visitor has a cookie that may stand for a log-in, so none counts as anonymous; " +
		"if every visitor gets that cookie and it never stands for a log-in, name it in Options.BenignCookies.",
	Private: "The responses say Cache-Control: private or no-store, as those that are for one visitor do, and such pages are not listed; " +
		"send that only with pages that are for one visitor, and for the others public or no-cache, " +
		"or, where it does not speak for the pages, set Rule.IgnoreCacheControl for them.",
	Folder: "Nearly all requests are for locations outside the origin's folder, where no page can be listed; " +
		"if they are for pages of the site, correct the origin, or set Options.StrippedPrefix to what a proxy cuts off.",
	Slash: "The origin's folder is asked for without the slash at its end, where a sitemap in that folder can list nothing, and nobody got a page with it; " +
		"redirect visitors to the slash, or give the whole host as the origin.",
	Empty: "The responses are empty where the site stands, since the pages are written elsewhere, as when an adaptor runs middleware before the pages; " +
		"put the site around all that writes pages, with fiber as site.Wrap(adaptor.FiberApp(app)).",
	NotHTML: "Where visitors enter they got other types than HTML so far; " +
		"send pages with the Content-Type text/html.",
	Encoding: "The pages have a Content-Encoding that cannot be undone, so nothing can be read of them; " +
		"observe inside of what compresses, or compress with gzip, deflate, br or zstd.",
	Robots: "The site's robots.txt forbids crawlers where visitors enter, and what it forbids is not listed; " +
		"allow there what should be listed.",
	Entry: "Where visitors enter, the site answers that there is nothing or asks them to log in, and pages are listed from there on; " +
		"name in Options.Entries where anonymous visitors find pages.",
	NoIndex: "The page where visitors enter asks not to be indexed (noindex), so it is not listed; " +
		"take that out where it is not meant.",
	NoFollow: "The page where visitors enter says nofollow of all its links (in a robots meta or X-Robots-Tag), so none of them is followed; " +
		"take that out where it is not meant, or name further Options.Entries.",
	Canonical: "The page where visitors enter names a canonical URL on another host, so it is not listed; " +
		"correct the origin, or what the pages name.",
	ClientApp: "Every path serves the same page, as when a script makes the pages in the browser, so they cannot be told apart; " +
		"render the pages on the server, and answer 404 where there is none.",
	DeadEnd: "The pages where visitors enter link to no page of the site, and pages are listed by the links that lead to them; " +
		"link to them, name further Options.Entries, or write an Always rule.",
	Proxy: "The network of no visitor is known, since requests come from private addresses or through a proxy, " +
		"so visits are no evidence that a page is public; " +
		"return the visitor's address in Options.ClientIP.",
	Growth: "A route or folder has reached the number of pages it may grow to, and its further pages wait; " +
		"if they are real, write an Always rule for them, else answer 404 where there is no page.",
	Few: "Of the pages that were seen hardly any is listed; " +
		"see in Stats().Verdicts why, or ask Site.Explain about one of them.",
	Withdrawals: "Many pages left the sitemap in a short time; " +
		"if they still exist, see whether the site answers 404, noindex or private by mistake.",
	Refused: "A network is refused pages that others get, by a 401, 403 or 404, a log-in or a redirect to another site, " +
		"so what it is told takes no page out of the sitemap; " +
		"if nobody should be kept out, see what the site answers to crawlers, " +
		"and behind a proxy return the visitor's address in Options.ClientIP, or all visitors count as that network.",
	AnonymousPanics: "Options.Anonymous panicked, and such a request does not count as anonymous; " +
		"the log has the stack of the first time.",
	ClientIPPanics: "Options.ClientIP panicked, and the network of such a visitor counts as unknown; " +
		"the log has the stack of the first time.",
}

// Hints holds the hints given so far for one site. A nil *Hints ignores hints and has none. It is
// safe for concurrent use.
type Hints struct {
	logger *slog.Logger
	texts  [end]atomic.Pointer[string] // the text of each hint, nil if it was not given
}

// New returns Hints that log to logger.
func New(logger *slog.Logger) *Hints { return &Hints{logger: logger} }

// Give is Tell without a further sentence.
func (h *Hints) Give(hint Hint, args ...any) { h.Tell(hint, "", args...) }

// Tell gives the hint and logs it, unless it was given before. more is another sentence for the
// owner, or "". It says how the hint applies to this site. args are attributes as for
// [slog.Logger.Warn]. Only the log gets them, but they too may name only what is public.
func (h *Hints) Tell(hint Hint, more string, args ...any) {
	if h == nil || h.Has(hint) {
		return
	}
	text := hint.String()
	if more != "" {
		text += " " + more
	}
	if h.texts[hint].CompareAndSwap(nil, &text) {
		h.logger.Warn("servemap: "+text, args...)
	}
}

// Has reports whether the hint was given.
func (h *Hints) Has(hint Hint) bool { return h.texts[hint].Load() != nil }

// Given returns the hints given so far, in the order of their numbers.
func (h *Hints) Given() (given []Hint) {
	if h == nil {
		return nil
	}
	for hint := range end {
		if h.Has(hint) {
			given = append(given, hint)
		}
	}
	return given
}

// Texts returns the texts for the owner of the hints given so far, in the same order.
func (h *Hints) Texts() (all []string) {
	for _, hint := range h.Given() {
		all = append(all, *h.texts[hint].Load())
	}
	return all
}
