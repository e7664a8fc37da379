// Package hint names the known causes that keep a whole site from being
// learned, for an owner whose program runs and lists nothing. It takes a hint
// each time somebody finds its cause, logs it once, and keeps it for whoever
// asks. It must never tell what is not public. Package texts has the words.
package hint

import (
	"log/slog"
	"sync/atomic"
)

// Hint is one such cause. The numbers are the order in which hints are told. They
// are not stored and may change.
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
	AnonymousPanics      // Options.Anonymous panics
	ClientIPPanics       // Options.ClientIP panics
	end
)

// Count is the number above all hints.
const Count = int(end)

// Each hint has a bit in Hints.given; this does not compile when there are more.
const _ = uint32(1) << (31 - (end - 1))

// Hints are those given so far of one site. A nil *Hints takes and has none. It
// is safe for concurrent use.
type Hints struct {
	logger *slog.Logger
	say    func(Hint) string
	given  atomic.Uint32 // one bit for each
	more   [end]atomic.Pointer[string]
}

// New returns Hints that are logged to logger, in the words that say returns.
func New(logger *slog.Logger, say func(Hint) string) *Hints { return &Hints{logger: logger, say: say} }

// Give is Tell without a further sentence.
func (h *Hints) Give(hint Hint, args ...any) { h.Tell(hint, "", args...) }

// Tell gives the hint and logs it, if it has not been given before. more is a
// further sentence for the owner, which says how the hint is true of this site, or
// "". args are attributes as [slog.Logger.Warn] takes them. Only the log gets
// them, but they too may name only what is public.
func (h *Hints) Tell(hint Hint, more string, args ...any) {
	bit := uint32(1) << hint
	if h == nil || hint == 0 || hint >= end || h.given.Load()&bit != 0 {
		return
	}
	if more != "" {
		h.more[hint].CompareAndSwap(nil, &more)
	}
	if h.given.Or(bit)&bit == 0 {
		h.logger.Warn("servemap: "+h.text(hint), args...)
	}
}

// Has reports whether the hint was given.
func (h *Hints) Has(hint Hint) bool { return h.given.Load()>>hint&1 != 0 }

// text returns the words of a hint with what more was told of it.
func (h *Hints) text(hint Hint) string {
	if more := h.more[hint].Load(); more != nil {
		return h.say(hint) + " " + *more
	}
	return h.say(hint)
}

// Given returns the hints given so far, in the order of their numbers.
func (h *Hints) Given() (given []Hint) {
	if h == nil {
		return nil
	}
	bits := h.given.Load()
	for hint := range end {
		if bits>>hint&1 != 0 {
			given = append(given, hint)
		}
	}
	return given
}

// Texts returns for the owner what was told of the hints given so far, in the
// same order.
func (h *Hints) Texts() (all []string) {
	for _, hint := range h.Given() {
		all = append(all, h.text(hint))
	}
	return all
}
