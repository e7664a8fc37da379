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

// String says what is wrong, and then what to do about it.
func (h Hint) String() string { return words[h] }

var words = [end]string{
	Host: "Nearly all requests are for another host than the origin's, so servemap ignores them. " +
		"Correct the origin, or name your hosts in Options.Hosts.",
	WWW: "The site sends visitors of the origin to the same host with www. added or removed. " +
		"Write the host where they arrive as the origin.",
	Prefix: "Requests arrive with the beginning of their path cut off, as http.StripPrefix does, and the origin does not have it, " +
		"so crawlers look for the sitemap in another place. " +
		"If that folder is all of the site, add it to the origin.",
	Failing: "Visitors got no page yet, only temporary errors such as 429, 500 or 503. " +
		"Make the site answer 200, and its pages are learned.",
	Authorization: "Nearly every request has an Authorization header, so no visitor counts as anonymous. " +
		"If a proxy adds it to all, say in Options.Anonymous which requests are anonymous.",
	Identity: "Nearly every request has a header or a certificate that names a user, so no visitor counts as anonymous. " +
		"If a proxy adds it to all, say in Options.Anonymous which requests are anonymous.",
	Cookies: "Nearly every visitor has a cookie that may stand for a log-in, so none counts as anonymous. " +
		"If every visitor gets that cookie and it never stands for a log-in, name it in Options.BenignCookies.",
	Private: "The responses say Cache-Control: private or no-store, as if each were for one visitor, so their pages are not listed. " +
		"Send public or no-cache with pages for everybody, or set Rule.IgnoreCacheControl for them.",
	Folder: "Nearly all requests are outside the origin's folder, where no page can be listed. " +
		"If they are for pages of the site, correct the origin, or set Options.StrippedPrefix to what a proxy cuts off.",
	Slash: "Visitors ask for the origin's folder without the slash at its end, which its sitemap cannot list, and nobody got a page with the slash. " +
		"Redirect visitors to the slash, or give the whole host as the origin.",
	Empty: "The responses are empty where servemap sees them, because the pages are written elsewhere, as with an adaptor that runs middleware before the pages. " +
		"Put the site around all that writes pages, with fiber as site.Wrap(adaptor.FiberApp(app)).",
	NotHTML: "Where visitors enter, the site has sent other types than HTML so far. " +
		"Send pages with the Content-Type text/html.",
	Encoding: "servemap cannot read the Content-Encoding of the pages, so it learns nothing from them. " +
		"Put servemap inside the middleware that compresses, or compress with gzip, deflate, br or zstd.",
	Robots: "The site's robots.txt forbids crawlers the page where visitors enter, and what it forbids is not listed. " +
		"Allow what should be listed.",
	Entry: "Where visitors enter, the site answers that there is no page or asks them to log in, so there is nowhere to begin. " +
		"Name in Options.Entries where anonymous visitors find pages.",
	NoIndex: "The page where visitors enter says noindex, so it is not listed. " +
		"Remove that if it is a mistake.",
	NoFollow: "The page where visitors enter says nofollow (in a robots meta or X-Robots-Tag), so none of its links is followed. " +
		"Remove that if it is a mistake, or name further Options.Entries.",
	Canonical: "The page where visitors enter names a canonical URL on another host, so it is not listed. " +
		"Correct the origin, or the canonical URL.",
	ClientApp: "Every path serves the same page, as when a script makes the pages in the browser, so servemap cannot tell them apart. " +
		"Render the pages on the server, and answer 404 where there is none.",
	DeadEnd: "The pages where visitors enter link to no page of the site, but servemap lists pages by the links to them. " +
		"Link to them, name further Options.Entries, or write an Always rule.",
	Proxy: "No visitor's network is known, because requests come from private addresses or through a proxy, " +
		"so visits are no evidence that a page is public. " +
		"To change that, return the visitor's address in Options.ClientIP.",
	Growth: "A route or folder has grown by as many pages as it may for now, and its further pages wait. " +
		"If they are real, write an Always rule for them; if not, answer 404.",
	Few: "Hardly any of the pages that were seen is listed. " +
		"See the reasons in Stats().Verdicts, or ask Site.Explain about one of them.",
	Withdrawals: "Many pages left the sitemap in a short time. " +
		"If they still exist, see whether the site answers 404, noindex or private by mistake.",
	Refused: "A network is refused pages that others get, by a 401, 403 or 404, a log-in or a redirect to another site, " +
		"so its answers take no page out of the sitemap. " +
		"If you mean to refuse nobody, see what the site answers to crawlers, " +
		"and behind a proxy return the visitor's address in Options.ClientIP: without it all visitors count as that network.",
	AnonymousPanics: "Options.Anonymous panicked, and such a request does not count as anonymous. " +
		"Correct that function; the log has the stack of the first panic.",
	ClientIPPanics: "Options.ClientIP panicked, and the network of such a visitor counts as unknown. " +
		"Correct that function; the log has the stack of the first panic.",
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
