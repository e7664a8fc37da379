// Package admit decides what a sighting means for a location: whether the
// client was anonymous, what the response says of itself, and whether there is
// evidence enough to list it. Every function is pure; the callers do the
// plumbing.
package admit

// Verdict says where a location stands.
type Verdict uint8

// The verdicts. Their numbers are stored, so they never change.
const (
	Unknown  Verdict = iota // never seen, or forgotten by age
	Waiting                 // seen or linked to, but the evidence is not complete
	Held                    // looks private; only the owner or a link can free it
	Listed                  // in the sitemap
	Excluded                // the page, or the owner, says it is not to be listed
	Gone                    // was listed, and the site no longer serves it
)

var verdictNames = [...]string{"unknown", "waiting", "held", "listed", "excluded", "gone"}

// String returns the verdict in lower case.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return "unknown"
}

// Reason says why, in a word or two that can be logged and searched for.
type Reason uint8

// The reasons. Their numbers are stored, so they never change; new ones go at
// the end.
const (
	None Reason = iota

	// Evidence: why a page is listed.
	ByRule
	ByEntry
	ByRoute
	ByLink
	ByNetworks
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
	RiskyWord
	ActionWord

	// Why a page that was listed has left.
	StatusGone
	NotFound
	Denied
	LoginRedirect
	Moved

	// Why a request or a response is no sighting at all.
	Method
	Authorization
	ClientCertificate
	IdentityHeader
	Cookie
	NotAnonymous
	Status
	NotHTML
	Attachment
	Incomplete
)

var reasonNames = [...]string{
	None: "none",

	ByRule: "rule", ByEntry: "entry", ByRoute: "route", ByLink: "link", ByNetworks: "networks", ByHistory: "history",

	NoEvidence: "no-evidence", NotSeen: "not-seen", RuleNever: "rule-never", Forgotten: "forgotten",
	NoIndex: "noindex", Private: "private", NoStore: "no-store",
	CanonicalElsewhere: "canonical-elsewhere", CanonicalConflict: "canonical-conflict",
	QueryNotCanonical: "query-not-canonical", HeadNotSeen: "head-not-seen", Encoding: "encoding",
	RiskyWord: "risky-word", ActionWord: "action-word",

	StatusGone: "gone", NotFound: "not-found", Denied: "denied", LoginRedirect: "login-redirect", Moved: "moved",

	Method: "method", Authorization: "authorization", ClientCertificate: "client-certificate",
	IdentityHeader: "identity-header", Cookie: "cookie", NotAnonymous: "not-anonymous",
	Status: "status", NotHTML: "not-html", Attachment: "attachment", Incomplete: "incomplete",
}

// String returns the reason's name, such as "no-evidence".
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

// Reasons is how many reasons there are; each is below it.
const Reasons = int(Incomplete) + 1

// Evidence is the set of reasons for which a location may be listed.
type Evidence struct {
	Entry    bool // it is one of the site's entries, or an entry leads to it
	Route    bool // its route's template is exactly its location
	Link     bool // a listed page links to it
	Networks int  // distinct client networks that got it
	Siblings int  // pages of its route or folder that are listed by a link
	Before   bool // it has been listed: evidence is needed to enter, not to stay
	Word     Word // what its location says against it
}

// SiblingsNeeded is how many siblings must be listed by a link before distinct
// networks count as evidence: an orphan post beside linked posts is a page, a
// share link beside nothing is a secret.
const SiblingsNeeded = 3

// Decide returns the verdict on a location that a witness has shown, and the
// evidence that decided it. A link from a listed page makes up for a risky
// word, since the site itself shows the page to everybody; nothing but the
// owner's word makes up for an action. networksNeeded is how many distinct networks make
// evidence. content is why the page itself forbids its listing, or None.
// ownURL says that the location has a query that only the page's own canonical
// vouches for: then networks prove nothing, since a secret in a query is
// carried to every visitor of the shared link.
func Decide(ev Evidence, listing Listing, content Reason, networksNeeded int, ownURL bool) (Verdict, Reason) {
	switch {
	case listing == Never:
		return Excluded, RuleNever
	case content == HeadNotSeen || content == Encoding:
		return Held, content
	case content != None:
		return Excluded, content
	case listing == Always:
		return Listed, ByRule
	case ev.Entry:
		return Listed, ByEntry
	case ev.Before && ev.Route:
		return Listed, ByRoute
	case ev.Before && ev.Link:
		return Listed, ByLink
	case ev.Before:
		return Listed, ByHistory
	case ev.Word == Action:
		return Held, ActionWord
	case ev.Route && ev.Word == Plain:
		return Listed, ByRoute
	case ev.Link:
		return Listed, ByLink
	case ev.Word == Risky:
		return Held, RiskyWord
	case !ownURL && ev.Networks >= networksNeeded && ev.Siblings >= SiblingsNeeded:
		return Listed, ByNetworks
	}
	return Waiting, NoEvidence
}
