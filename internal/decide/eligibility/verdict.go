// Package eligibility decides whether a location is listed. It takes a response and the evidence. It
// returns what the response proves, and the verdict with its reason. Every function is pure: it must
// never read a store, a clock or the network.
package eligibility

// Verdict says whether a location is listed, or how far it is from that.
type Verdict uint8

// The verdicts. Their numbers are stored, so they never change.
const (
	Unknown  Verdict = iota // never seen, or forgotten because it was not seen for long
	Waiting                 // seen or linked to, but the evidence is not enough
	Held                    // seen, but something keeps it out that a link, the page or the owner can change
	Listed                  // in the sitemap
	Excluded                // the page, robots.txt or the owner forbids it
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

// Standing is a verdict with its reason.
type Standing struct {
	Verdict Verdict `cbor:"1,keyasint,omitzero"`
	Reason  Reason  `cbor:"2,keyasint,omitzero"`
}

// Listed reports whether the verdict is to list the page.
func (s Standing) Listed() bool { return s.Verdict == Listed }

// Reason says why. Its name is a word or two to log and to search for.
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
	RiskyWord
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
	Growth

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
)

var reasonNames = [...]string{
	None: "none",

	ByRule: "rule", ByEntry: "entry", ByRoute: "route", ByLink: "link", ByHistory: "history",

	NoEvidence: "no-evidence", NotSeen: "not-seen", RuleNever: "rule-never", Forgotten: "forgotten",
	NoIndex: "noindex", Private: "private", NoStore: "no-store",
	CanonicalElsewhere: "canonical-elsewhere", CanonicalConflict: "canonical-conflict",
	QueryNotCanonical: "query-not-canonical", HeadNotSeen: "head-not-seen", Encoding: "encoding",
	RiskyWord: "risky-word", ActionWord: "action-word",

	StatusGone: "gone", NotFound: "not-found", Denied: "denied", LoginRedirect: "login-redirect", Moved: "moved", Unseen: "unseen",

	Capability: "capability", Duplicate: "duplicate", SoftNotFound: "soft-not-found", Disallowed: "disallowed",
	PasswordField: "password-field", Growth: "growth",

	Authorization: "authorization", ClientCertificate: "client-certificate",
	IdentityHeader: "identity-header", Cookie: "cookie", NotAnonymous: "not-anonymous",
	Status: "status", NotHTML: "not-html", Attachment: "attachment", Incomplete: "incomplete", Fragment: "fragment",
}

// String returns the reason's name, such as "no-evidence".
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

// Reasons is the number of reasons; each reason is below it.
const Reasons = int(Fragment) + 1
