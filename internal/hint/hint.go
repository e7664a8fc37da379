// Package hint names the known causes that keep a whole site from being
// learned, for an owner whose program runs and lists nothing. Each is logged
// once, and kept for whoever asks. What a hint says names no page and no
// client, since strangers may read it.
package hint

import (
	"log/slog"
	"strings"
	"sync/atomic"
)

// Hint is one such cause. The numbers are not stored and may change; they say
// in which order hints are told.
type Hint uint8

// The hints, the more fundamental cause first. Zero is none.
const (
	_               Hint = iota
	Host                 // nearly all requests are for another host than the origin's
	WWW                  // the site leads to the origin's host with "www." before it, or without
	Prefix               // requests arrive with the beginning of their path cut off
	Failing              // the site answers nothing but errors that pass
	Authorization        // nearly every request has an Authorization header
	Identity             // nearly every request has a header or certificate that names a user
	Cookies              // nearly every visitor has a cookie that makes a client known
	Private              // no response may be stored by others than its visitor
	Folder               // nearly all requests are for locations outside the origin's folder
	Slash                // the origin's folder is asked for without its slash
	Empty                // the responses are written elsewhere
	NotHTML              // there is no HTML
	Encoding             // responses have a Content-Encoding that cannot be undone
	Robots               // robots.txt forbids an entry, or everything
	Entry                // an entry answers that it is gone, or not for everybody
	NoIndex              // an entry asks not to be indexed
	NoFollow             // an entry asks that its links be not followed
	Canonical            // an entry names a canonical location on another site
	ClientApp            // every path serves the same page, which a script fills in the browser
	DeadEnd              // the entries link to no page of the site
	Query                // most pages differ by their query
	Tokens               // most pages have locations that look like secrets
	Proxy                // no visitor's network is known, so networks are no evidence
	Growth               // a route or folder has as many pages as it may grow to
	Few                  // hardly any of the pages that were seen is listed
	Withdrawals          // many pages left the sitemap in a short time
	Refused              // one network is refused pages that others get
	AnonymousPanics      // the owner's function does
	ClientIPPanics       // the owner's function does
	end
)

// Each hint has a bit in Hints.given; this does not compile when there are more.
const _ = uint32(1) << (31 - (end - 1))

var texts = [end]string{
	Host: "Nearly all requests are for another host than the origin's, and are not observed; " +
		"correct the origin, or name the hosts that count in Options.Hosts.",
	WWW: "Visitors of the origin are led to its host with www. before it, or without where the origin has that; " +
		"write the origin as where they are led.",
	Prefix: "Requests arrive with the beginning of their path cut off, as http.StripPrefix does, and it is not in the origin, " +
		"so the sitemap is not where crawlers are told; " +
		"if that folder is all of the site, write the origin with it.",
	Failing: "Visitors got no page yet, but errors that pass, such as 429, 500 or 503; " +
		"pages are learned when the site answers 200.",
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
		"if they are for pages of the site, correct the origin, or say in Options.StrippedPrefix what a proxy cuts off.",
	Slash: "The origin's folder is asked for without the slash at its end, where a sitemap in that folder can list nothing, and nobody got a page with it; " +
		"redirect visitors to the slash, or give the whole host as the origin.",
	Entry: "Where visitors enter, the site answers that there is nothing or asks them to log in, and pages are listed from there on; " +
		"name in Options.Entries where anonymous visitors find pages.",
	NoIndex: "The page where visitors enter asks not to be indexed (noindex), so it is not listed; " +
		"take that out where it is not meant.",
	Canonical: "The page where visitors enter names a canonical URL on another host, so it is not listed; " +
		"correct the origin, or what the pages name.",
	Empty: "The responses are empty where the site stands, and what visitors get is written elsewhere, as where an adaptor runs a middleware before the pages; " +
		"let the site stand around all that writes pages, with fiber as site.Wrap(adaptor.FiberApp(app)).",
	NotHTML: "Visitors got no HTML yet where they enter, but other types; " +
		"send pages with the Content-Type text/html.",
	NoFollow: "The page where visitors enter says nofollow of all its links (in a robots meta or X-Robots-Tag), so none of them is followed; " +
		"take that out where it is not meant, or name further Options.Entries.",
	Encoding: "The pages have a Content-Encoding that cannot be undone, so nothing can be read of them; " +
		"observe inside of what compresses, or compress with gzip, deflate, br or zstd.",
	Robots: "The site's robots.txt forbids crawlers where visitors enter, and what it forbids is not listed; " +
		"allow there what is to be found.",
	ClientApp: "Every path serves the same page, as where a script makes the pages in the browser, so there is nothing to tell them apart; " +
		"render the pages on the server, and answer 404 where there is none.",
	DeadEnd: "The pages where visitors enter link to no page of the site, and pages are listed by the links that lead to them; " +
		"link to them, name further Options.Entries, or write an Always rule.",
	Query: "Most pages that the site links to differ by their query, name no canonical URL of their own, and are not listed; " +
		"if a parameter makes a page of its own, name it in Options.Query or Rule.Query.",
	Tokens: "Most pages that the site links to have addresses that look like secrets, such as a UUID, and are held until visitors from two networks, " +
		"or a day apart, were shown the links; " +
		"behind a proxy return the visitor's address in Options.ClientIP, or write an Always rule for them.",
	Proxy: "The network of no visitor is known, since requests come from private addresses or through a proxy, " +
		"so visits are no evidence that a page is public; " +
		"return the visitor's address in Options.ClientIP.",
	Growth: "A route or folder has reached the number of pages it may grow to, and its further pages wait; " +
		"if they are real, write an Always rule for them, else answer 404 where there is no page.",
	Few: "Of the pages that were seen hardly any is listed; " +
		"see in Stats().Verdicts why, or ask Site.Explain about one of them.",
	Withdrawals: "Many pages left the sitemap in a short time; " +
		"if they are still to be found, see whether the site answers 404, noindex or private by mistake.",
	Refused: "A network is refused pages that others get, by a 401, 403 or 404, a log-in or a redirect to another site, " +
		"so what it is told takes no page out of the sitemap; " +
		"if nobody is to be kept out, see what the site answers to crawlers, " +
		"and behind a proxy return the visitor's address in Options.ClientIP, or all visitors count as that network.",
	AnonymousPanics: "Options.Anonymous panicked, and such a request does not count as anonymous; " +
		"the log has the stack of the first time.",
	ClientIPPanics: "Options.ClientIP panicked, and the network of such a visitor counts as unknown; " +
		"the log has the stack of the first time.",
}

// Text returns what is wrong and what to do about it, in one sentence. It is ""
// for a number that is no hint.
func (h Hint) Text() string {
	if h >= end {
		return ""
	}
	return texts[h]
}

// Hints are those given so far of one site. A nil *Hints takes and has none. It
// is safe for concurrent use.
type Hints struct {
	logger *slog.Logger
	given  atomic.Uint32 // one bit for each
	more   [end]atomic.Pointer[string]
}

// New returns Hints that are logged to logger.
func New(logger *slog.Logger) *Hints { return &Hints{logger: logger} }

// Tell is Give with a further sentence for the owner, which says how the hint is
// true of this site. It is added to what the log and Texts say, and not to
// [Hint.Text].
func (h *Hints) Tell(hint Hint, more string) {
	if h != nil && hint < end {
		h.more[hint].CompareAndSwap(nil, &more)
	}
	h.Give(hint)
}

// Name is Tell, without giving the hint, of names that the hint is about.
func (h *Hints) Name(hint Hint, names []string) {
	if h != nil && hint < end && len(names) > 0 {
		more := "Most had: " + strings.Join(names, ", ") + "."
		h.more[hint].Store(&more)
	}
}

// Named reports whether anything was told of the hint.
func (h *Hints) Named(hint Hint) bool {
	return h != nil && hint < end && h.more[hint].Load() != nil
}

// Give gives the hint, and logs it if it has not been given before. args are
// attributes as [slog.Logger.Warn] takes them; only the log gets them, but they
// too may name only what is public.
func (h *Hints) Give(hint Hint, args ...any) {
	if h == nil || hint.Text() == "" {
		return
	}
	bit := uint32(1) << hint
	if h.given.Load()&bit != 0 || h.given.Or(bit)&bit != 0 {
		return
	}
	h.logger.Warn("servemap: "+h.text(hint), args...)
}

// text returns the text of a hint with what was told of it.
func (h *Hints) text(hint Hint) string {
	if more := h.more[hint].Load(); more != nil {
		return hint.Text() + " " + *more
	}
	return hint.Text()
}

// Given returns the hints given so far, in the order of their numbers.
func (h *Hints) Given() []Hint {
	if h == nil {
		return nil
	}
	var given []Hint
	bits := h.given.Load()
	for hint := range end {
		if bits>>hint&1 != 0 {
			given = append(given, hint)
		}
	}
	return given
}

// Texts returns the texts of the hints given so far, in the same order, with what
// was told of them: they are for the owner.
func (h *Hints) Texts() []string {
	var all []string
	for _, hint := range h.Given() {
		all = append(all, h.text(hint))
	}
	return all
}
