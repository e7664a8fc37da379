// Package eligibility decides whether a location is listed. It takes a request, a response and the
// evidence. It returns whether the client was anonymous, what the response proves, and the verdict
// with its reason. Every function is pure: it must never read a store, a clock or the network.
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

// Reason says why. Its name is a word or two to log and to search for.
type Reason uint8

// The reasons. Reasons that a verdict can carry are stored by number. So their numbers never
// change, and new reasons come after them.
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
	Unseen

	// More reasons why a page that was seen is not listed.
	Capability
	Duplicate
	SoftNotFound
	Growth
	Disallowed

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
	Fragment
)

var reasonNames = [...]string{
	None: "none",

	ByRule: "rule", ByEntry: "entry", ByRoute: "route", ByLink: "link", ByNetworks: "networks", ByHistory: "history",

	NoEvidence: "no-evidence", NotSeen: "not-seen", RuleNever: "rule-never", Forgotten: "forgotten",
	NoIndex: "noindex", Private: "private", NoStore: "no-store",
	CanonicalElsewhere: "canonical-elsewhere", CanonicalConflict: "canonical-conflict",
	QueryNotCanonical: "query-not-canonical", HeadNotSeen: "head-not-seen", Encoding: "encoding",
	RiskyWord: "risky-word", ActionWord: "action-word",

	StatusGone: "gone", NotFound: "not-found", Denied: "denied", LoginRedirect: "login-redirect", Moved: "moved", Unseen: "unseen",

	Capability: "capability", Duplicate: "duplicate", SoftNotFound: "soft-not-found", Growth: "growth", Disallowed: "disallowed",

	Method: "method", Authorization: "authorization", ClientCertificate: "client-certificate",
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

// Evidence is everything for and against listing a location, except the page itself and the rules.
type Evidence struct {
	Entry bool // it is one of the site's entries
	Led   bool // an entry redirects to it
	Route bool // its route matches exactly this location, and it showed a whole document
	Link  bool // a listed page links to it
	Shown bool // a link was seen by looks a day apart or from two networks
	// Unprompted says that a look saw a link although its request named only public pages. So the
	// link does not depend on who asked.
	Unprompted bool

	Networks int  // distinct client networks that got the page
	Before   bool // it was listed before: a page needs evidence to enter, not to stay
	Word     Word // what the location's own words say against it

	Disallowed bool // the site's robots.txt forbids it
	Shared     bool // another location showed the same content lately
	Crowd      bool // many other locations did

	// How many other pages of its route or folder are listed.
	Siblings int // because of a link
	Orphans  int // because of networks alone
	Grown    int // because of a link, today for the first time
}

const (
	// SiblingsNeeded is how many siblings must be listed because of a link before distinct networks
	// count as evidence. An unlinked post next to linked posts is a page. An unlinked location next
	// to none may be a secret.
	SiblingsNeeded = 3
	// OrphansAllowed is by how many the orphans of a route or folder may exceed its linked pages.
	// It is enough for pages that a site forgot to link. It is too few for a flood of locations on
	// a site that answers any location.
	OrphansAllowed = 100
	// GrowthADay is how many pages of a route or folder links may list for the first time in a day.
	// An endless calendar links to new pages for ever.
	GrowthADay = 100_000
)

// Decide returns the verdict on a location that a witness showed, and the reason. If the owner or
// the page forbids it, the location is not listed. Otherwise the first of these decides: an Always
// rule, being an entry, having been listed before, evidence.
//
// A location with a suspicious word needs a link from a listed page as evidence. For a utility word
// any such link is enough, since the site shows the page to everybody. For a risky word, the link
// must not be there for one visitor alone. For a capability, several visitors must have seen the
// link. For an action, only an Always rule is enough.
//
// networksNeeded is how many distinct networks are evidence. content is why the page itself forbids
// its listing, or None. ownURL says that only the page's own canonical vouches for the location's
// query. Then networks prove nothing, since every visitor of a shared link carries the secret in
// its query.
func Decide(ev Evidence, listing Listing, content Reason, networksNeeded int, ownURL bool) (Verdict, Reason) {
	switch {
	case listing == Never:
		return Excluded, RuleNever
	case ev.Disallowed:
		return Excluded, Disallowed
	case content == HeadNotSeen || content == Encoding:
		return Held, content
	case content != None:
		return Excluded, content
	case listing == Always:
		return Listed, ByRule
	case ev.Entry:
		return Listed, ByEntry
	case ev.Before && ev.Crowd && ev.standing() == ByHistory:
		return Held, Duplicate // only visitors vouched for it, and the site shows this for any location
	case ev.Before:
		return Listed, ev.standing()
	case ev.Word == Action:
		return Held, ActionWord
	case ev.Word == Secret && !ev.Shown:
		return Held, Capability
	case ev.Word == Risky && !ev.Shown && !ev.Unprompted:
		return Held, RiskyWord
	case ev.Word == Plain && ev.Route:
		return Listed, ByRoute
	case ev.Word == Plain && ev.Led:
		return Listed, ByEntry
	case (ev.Link || ev.Led) && ev.Grown >= GrowthADay:
		return Held, Growth
	case ev.Link || ev.Led:
		return Listed, ByLink
	case ev.Word != Plain:
		return Held, RiskyWord
	}
	return ev.byNetworks(networksNeeded, ownURL)
}

// standing returns why a page that was listed before stays.
func (ev Evidence) standing() Reason {
	switch {
	case ev.Route:
		return ByRoute
	case ev.Link:
		return ByLink
	case ev.Led:
		return ByEntry
	}
	return ByHistory
}

// byNetworks decides on a location that only its visitors vouch for.
func (ev Evidence) byNetworks(needed int, ownURL bool) (Verdict, Reason) {
	switch {
	case ownURL || ev.Networks < needed || ev.Siblings < SiblingsNeeded:
		return Waiting, NoEvidence
	case ev.Shared:
		return Held, Duplicate
	case ev.Orphans >= ev.Siblings+OrphansAllowed:
		return Held, Growth
	}
	return Listed, ByNetworks
}

// Rank says how well a location may represent a content that several locations show. Higher is
// better; see [Prefer] for equal ranks.
type Rank uint8

// The ranks.
const (
	Orphaned    Rank = iota // nothing links to it
	Linked                  // a listed page links to it
	Established             // it was listed for a long time
	Canonical               // it names itself as the canonical location
	Vouched                 // an entry, or named by the owner's rule; listed whatever others show
)

// ClusterSize is how many locations with evidence must show one content for it to count as the
// site's answer to anything, such as an error page with status 200 (soft 404).
const ClusterSize = 20

// Represent decides on a location that has evidence and shows the same content as others. showing
// is how many locations show it, this one included. representative is the rank of the listed one,
// or -1 for none. The location takes its place if it has a higher rank, or the same rank and is
// preferred.
func Represent(own Rank, showing int, representative int, preferred bool) (Verdict, Reason) {
	switch {
	case own == Vouched:
		return Listed, None
	case showing >= ClusterSize && own < Established:
		return Held, SoftNotFound
	case int(own) > representative, int(own) == representative && preferred:
		return Listed, None
	}
	return Held, Duplicate
}

// Claim is what [Prefer] knows of a location.
type Claim struct {
	Location string
	Linked   bool // the site links or redirects to it
}

// Prefer reports whether a should represent a content that a and b show, if both have one rank. A
// linked location is preferred, since strangers can ask for any location. Next comes the shorter
// one: an article before a page of its comments. If neither is preferred, the listed one stays. The
// order is strict, so that locations do not take turns.
func Prefer(a, b Claim) bool {
	if a.Linked != b.Linked {
		return a.Linked
	}
	return len(a.Location) < len(b.Location)
}
