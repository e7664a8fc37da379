// Package hint names the known causes that keep a whole site from being
// learned, for an owner whose program runs and lists nothing. Each is logged
// once, and kept for whoever asks. What a hint says names no page and no
// client, since strangers may read it.
package hint

import (
	"log/slog"
	"sync/atomic"
)

// Hint is one such cause. The numbers are not stored and may change; they say
// in which order hints are told.
type Hint uint8

// The hints, the more fundamental cause first. Zero is none.
const (
	_             Hint = iota
	Host               // nearly all requests are for another host than the origin's
	Failing            // the site answers nothing but errors that pass
	Authorization      // nearly every request has an Authorization header
	Identity           // nearly every request has a header or certificate that names a user
	Cookies            // nearly every visitor has a cookie that makes a client known
	Private            // no response may be stored by others than its visitor
	Folder             // nearly all requests are for locations outside the origin's folder
	Slash              // the origin's folder is asked for without its slash
	Encoding           // responses have a Content-Encoding that cannot be undone
	Robots             // robots.txt forbids an entry, or everything
	Entry              // an entry answers that it is gone, or not for everybody
	NoIndex            // an entry asks not to be indexed
	Canonical          // an entry names a canonical location on another site
	ClientApp          // every path serves the same page, which a script fills in the browser
	DeadEnd            // the entries link to no page of the site
	Proxy              // no visitor's network is known, so networks are no evidence
	Growth             // a route or folder has as many pages as it may grow to
	Withdrawals        // many pages left the sitemap in a short time
	end
)

var texts = [end]string{
	Host: "Nearly all requests are for another host than the origin's, and are not observed; " +
		"correct the origin, or name the hosts that count in Options.Hosts.",
	Failing: "Visitors got no page yet, but errors that pass, such as 429, 500 or 503; " +
		"pages are learned when the site answers 200.",
	Authorization: "Nearly every request has an Authorization header, so no visitor counts as anonymous; " +
		"if a proxy adds it to all, say in Options.Anonymous which requests are anonymous.",
	Identity: "Nearly every request has a header or a certificate that names a user, so no visitor counts as anonymous; " +
		"if a proxy adds it to all, say in Options.Anonymous which requests are anonymous.",
	Cookies: "Nearly every visitor has a cookie that may stand for a log-in, so none counts as anonymous; " +
		"if every visitor gets that cookie, name it in Options.BenignCookies.",
	Private: "The responses say Cache-Control: private or no-store, as those that are for one visitor do, and such pages are not listed; " +
		"send that only with pages that are for one visitor, and for the others public or no-cache.",
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
	Encoding: "The pages have a Content-Encoding that cannot be undone, so nothing can be read of them; " +
		"observe inside of what compresses, or compress with gzip, deflate, br or zstd.",
	Robots: "The site's robots.txt forbids crawlers where visitors enter, and what it forbids is not listed; " +
		"allow there what is to be found.",
	ClientApp: "Every path serves the same page, as where a script makes the pages in the browser, so there is nothing to tell them apart; " +
		"render the pages on the server, and answer 404 where there is none.",
	DeadEnd: "The pages where visitors enter link to no page of the site, and pages are listed by the links that lead to them; " +
		"link to them, name further Options.Entries, or write an Always rule.",
	Proxy: "The network of no visitor is known, since requests come from private addresses or through a proxy, " +
		"so visits are no evidence that a page is public; " +
		"return the visitor's address in Options.ClientIP.",
	Growth: "A route or folder has reached the number of pages it may grow to, and its further pages wait; " +
		"if they are real, write an Always rule for them, else answer 404 where there is no page.",
	Withdrawals: "Many pages left the sitemap in a short time; " +
		"if they are still to be found, see whether the site answers 404, noindex or private by mistake.",
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
}

// New returns Hints that are logged to logger.
func New(logger *slog.Logger) *Hints { return &Hints{logger: logger} }

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
	h.logger.Warn("servemap: "+hint.Text(), args...)
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

// Texts returns the texts of the hints given so far, in the same order.
func (h *Hints) Texts() []string {
	var all []string
	for _, hint := range h.Given() {
		all = append(all, hint.Text())
	}
	return all
}
