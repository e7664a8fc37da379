package eligibility

import "github.com/servemap/servemap/internal/page/location"

// Reason says why: of an address, a link, a request, a response, a verdict or a page that has left. All reasons are
// here. The name of a reason is a word or two to log and to search for; package messages has its texts.
type Reason uint8

// The reasons. Those that a verdict can carry are stored by number, so their numbers never change.
// A new one of them comes after the last one, before Authorization. The others may move.
const (
	None Reason = iota

	// Evidence: why a page is listed.
	ByRule
	ByEntry
	ByRoute
	ByLink
	ByHistory

	// Why a page that was seen is not listed.
	NoEvidence
	NotSeen
	RuleNever
	Forgotten
	NoIndex
	Private
	NoStore
	CanonicalElsewhere
	CanonicalConflict
	QueryNotCanonical
	HeadNotSeen
	Encoding
	Growth
	ActionWord

	// Why a page that was listed has left.
	StatusGone
	NotFound
	Denied
	LoginRedirect
	Moved
	Unseen

	// More reasons why a page that was seen is not listed.
	Capability
	Duplicate
	SoftNotFound
	Disallowed
	PasswordField
	NoPage
	LeadsOn // why a page has left: for now it redirects

	BySitemap // more evidence
	Empty     // why a page that was seen is not listed

	// Why nobody got a linked page: exploring does not ask for it, or a visitor's word is not enough.
	LinkActs
	LinkFile
	AddressQuery // the last reason that an address has; the first ones are below

	// Why a request or a response is no observation at all.
	Authorization
	ClientCertificate
	IdentityHeader
	Cookie
	NotAnonymous
	Status
	NotHTML
	Attachment
	Incomplete
	Fragment

	// Why exploring left a link out, and what linked pages that it did not get showed.
	LinkHeld
	LinkElsewhere
	LinkOffSite
	LinkLeft
	LinkEndless
	LinkUnread
	LinkStale
	LinkTooMany
	LinkLarge
	LinkNoFollow
	LinkFailed
	LinkWalled
	LinkRefused
	LinkLogin
	LinkRedirects
	LinkNoHTML
	LinkError
	LinkNotGot

	// Why an address can be that of no page, in the order of package location, but for AddressQuery.
	AddressHost
	AddressForm
	AddressCharacter
	AddressEscape
	AddressSegment
	AddressPathParam
	AddressTooLong
	AddressEmail
	AddressOutsideFolder
)

// OfAddress returns why an address can be that of no page, None if it can.
func OfAddress(why location.Reason) Reason {
	switch why {
	case location.ReasonNone:
		return None
	case location.ReasonQuery:
		return AddressQuery
	}
	return AddressHost + Reason(why-location.ReasonHost)
}

var reasonNames = [...]string{
	None: "none",

	ByRule: "rule", ByEntry: "entry", ByRoute: "route", ByLink: "link", BySitemap: "sitemap", ByHistory: "history",

	NoEvidence: "no-evidence", NotSeen: "not-seen", NoPage: "no-page", LeadsOn: "leads-on", RuleNever: "rule-never",
	Forgotten: "forgotten",
	NoIndex:   "noindex", Private: "private", NoStore: "no-store",
	CanonicalElsewhere: "canonical-elsewhere", CanonicalConflict: "canonical-conflict",
	QueryNotCanonical: "query-not-canonical", HeadNotSeen: "head-not-seen", Empty: "empty", Encoding: "encoding",
	ActionWord: "action-word",

	StatusGone: "gone", NotFound: "not-found", Denied: "denied", LoginRedirect: "login-redirect", Moved: "moved",
	Unseen: "unseen",

	Capability: "capability", Duplicate: "duplicate", SoftNotFound: "soft-not-found", Disallowed: "disallowed",
	PasswordField: "password-field", Growth: "growth",

	Authorization: "authorization", ClientCertificate: "client-certificate",
	IdentityHeader: "identity-header", Cookie: "cookie", NotAnonymous: "not-anonymous",
	Status: "status", NotHTML: "not-html", Attachment: "attachment", Incomplete: "incomplete", Fragment: "fragment",

	LinkActs: "acting", LinkHeld: "held", LinkElsewhere: "elsewhere", LinkOffSite: "off-site", LinkLeft: "left",
	LinkEndless: "endless",
	LinkUnread:  "unread", LinkStale: "stale", LinkTooMany: "too-many", LinkFile: "file", LinkLarge: "large",
	LinkNoFollow: "nofollow",
	LinkFailed:   "failed", LinkWalled: "walled",
	LinkRefused: "refused", LinkLogin: "login", LinkRedirects: "redirect", LinkNoHTML: "no-html", LinkError: "error",
	LinkNotGot: "not-got",

	AddressHost: "host", AddressForm: "form", AddressCharacter: "character", AddressEscape: "escape",
	AddressSegment:   "segment",
	AddressPathParam: "path-param", AddressTooLong: "too-long", AddressEmail: "email",
	AddressOutsideFolder: "outside-folder",
	AddressQuery:         "query",
}

// Standing returns the verdict that has the reason, Unknown if none has.
func (r Reason) Standing() Standing {
	s := Standing{Reason: r}
	switch r {
	case ByRule, ByEntry, ByRoute, ByLink, BySitemap, ByHistory:
		s.Verdict = Listed
	case NoEvidence, NotSeen, NoPage, Growth, LinkActs, LinkFile, AddressQuery:
		s.Verdict = Waiting
	case ActionWord, Capability, Duplicate, SoftNotFound, HeadNotSeen, Empty, Encoding:
		s.Verdict = Held
	case RuleNever, Disallowed, Forgotten, NoIndex, Private, NoStore,
		CanonicalElsewhere, CanonicalConflict, QueryNotCanonical, PasswordField:
		s.Verdict = Excluded
	case StatusGone, NotFound, Denied, LoginRedirect, Moved, LeadsOn, Unseen:
		s.Verdict = Gone
	}
	return s
}

// Owners reports whether a reason is the owner's word: a rule of his, or that he took the page out. Nothing needs
// mending.
func (r Reason) Owners() bool { return r == RuleNever || r == Forgotten }

// Unvisited reports whether a reason says that a page is linked, and that none of its answers is known.
func (r Reason) Unvisited() bool {
	return r == NotSeen || r == LinkActs || r == LinkFile || r == AddressQuery
}

// String returns the reason's name, such as "no-evidence".
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

// Reasons is the number of reasons; each reason is below it.
const Reasons = int(AddressOutsideFolder) + 1
