package eligibility

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/moment"
)

// Record has all facts about one location that decide whether it is listed.
type Record struct {
	Location string
	Standing      // the verdict so far
	Public   bool // it is or was listed: a page needs evidence to enter, not to stay
	Evidence

	Witnessed bool          // the page was there when somebody last asked
	Absent    Reason        // why it was not
	Answered  bool          // somebody got an answer there
	Barred    bool          // the owner made servemap forget it
	Content   Reason        // why the page itself forbids its listing
	Until     moment.Time   // when it should leave, 0 for never
	Self      bool          // it names itself as canonical
	Age       time.Duration // between the first and the last observation
}

// Context is what surrounds a record when it is judged: the time, what the owner and robots.txt
// say, and other pages.
type Context struct {
	Now        moment.Time
	Listing    Listing // by the owner's rules
	Entry      bool    // it is one of the site's entries
	Disallowed bool    // by the site's robots.txt
	OwnQuery   bool    // it has a query that only the page's own canonical can vouch for
	Full       bool    // links may list no more pages for now
	Copies     Copies
}

// Copies says which other locations show the same content. The zero Copies means that none do.
type Copies struct {
	Showing  int    // how many show it, this one included
	Listed   *Claim // the one that is listed, if it is another one
	Borrowed bool   // listed pages that had another content before now show it, as in maintenance
	Nowhere  bool   // the site shows it at made-up addresses, so it is no page
}

// ClusterSize is how many locations with evidence must show one content for it to count as the
// site's answer to anything, such as an error page with status 200 (soft 404).
const ClusterSize = 20

// Decide returns the verdict on a location. This is the only place where pages become listed, and nothing overrules it.
// claims says that the location has all that a listing needs, so it counts among those with its content.
//
// If the owner, robots.txt or the page forbids it, the location is not listed. Otherwise the first
// of these decides: an Always rule, being an entry, having been listed before, evidence. Of several
// locations with one content, at most one is listed.
//
// What looks like a secret needs a link from a listed page that was seen twice, a day apart: a link for one visitor
// is gone by then. For an action, only an Always rule is enough.
func Decide(r Record, c Context) (s Standing, claims bool) {
	s = r.alone(c)
	if !s.Listed() {
		return s, false
	}
	if why := r.outdone(c); why != None {
		return why.Standing(), true
	}
	return s, true
}

// Revise returns the verdict on a location without reading records of other pages. It is the stored
// verdict, unless the rules, robots.txt or the time say otherwise by now.
func Revise(r Record, c Context) Standing {
	s := r.alone(c)
	switch {
	case c.Listing == Never, c.Disallowed, r.Barred && c.Listing != Always:
		return s
	case !r.Public && (s.Listed() || r.Verdict == Unknown): // the next visit of the page decides
		return r.Standing
	case s.Listed() && (r.Reason == Duplicate || r.Reason == SoftNotFound):
		return r.Standing
	}
	return s
}

// Overtaken reports whether the reason that keeps a location out has ended since the verdict. Then the next visit lists
// it.
func Overtaken(r Record, c Context) bool {
	switch r.Reason {
	case Duplicate, SoftNotFound, Growth: // other pages decide about these
		return false
	}
	return r.Verdict != Unknown && !r.Listed() && r.alone(c).Listed()
}

// Besides returns the further reasons that would keep a location out once the present one is gone, as far as the record
// shows them. The record of a page that is sent for one visitor lacks the evidence: neither that page is read nor,
// mostly, those that link to it.
func Besides(r Record, c Context) (all []Reason) {
	unread := r.Content == Private || r.Content == NoStore
	for s := r.Standing; s.Verdict != Unknown && !s.Listed() && !slices.Contains(all, s.Reason); s = r.alone(c) {
		if s.Reason == NoEvidence && unread {
			return all[min(len(all), 1):]
		}
		all = append(all, s.Reason)
		switch s.Reason {
		case Disallowed:
			c.Disallowed = false
		case NotSeen, LinkActs, LinkFile:
			r.Witnessed = true
		case AddressQuery, QueryNotCanonical:
			r.Witnessed, r.Content, c.OwnQuery = true, None, false
		case r.Content:
			r.Content, r.Witnessed = None, true
		case NoIndex:
			r.Until = 0
		}
	}
	return all[min(len(all), 1):]
}

// MayClaim reports whether the location may be listed, so that other pages with its content matter.
// If not, the context needs no Copies.
func (r *Record) MayClaim(c Context) bool {
	return r.Witnessed && r.content(c) == None && (r.Public || c.Entry || c.Listing == Always || r.Proof() != None)
}

// alone decides as if no other location showed the same content.
func (r *Record) alone(c Context) Standing {
	content := r.content(c)
	switch {
	case c.Listing == Never:
		return RuleNever.Standing()
	case c.Disallowed:
		return Disallowed.Standing()
	case r.Barred && c.Listing != Always:
		return Forgotten.Standing()
	case !r.Witnessed:
		return r.unwitnessed(c)
	case content != None:
		return content.Standing()
	case c.Listing == Always:
		return ByRule.Standing()
	case c.Entry:
		return ByEntry.Standing()
	case r.Public:
		return cmp.Or(r.Proof(), ByHistory).Standing()
	}
	return r.enters(c)
}

// content returns why the page itself forbids its listing, or None.
func (r *Record) content(c Context) Reason {
	switch {
	case r.Content == PasswordField && (c.Listing == Always || c.Entry): // it became an entry meanwhile
	case r.Content == QueryNotCanonical && !c.OwnQuery: // the owner allowed the parameter meanwhile
	case r.Content != None:
		return r.Content
	case r.Until != 0 && c.Now >= r.Until:
		return NoIndex
	case c.OwnQuery && !r.Self:
		return QueryNotCanonical // the parameter was allowed before
	}
	return None
}

// Deep reports whether a reason that forbids a page's listing may stand in the page below its head.
func Deep(why Reason) bool { return why == NoIndex || why == PasswordField }

// unwitnessed decides about a page that the last visitor did not get.
func (r *Record) unwitnessed(c Context) Standing {
	switch {
	case r.Absent != None && r.Public:
		return r.Absent.Standing()
	case r.Content == Private, r.Content == NoStore, r.Content == NoIndex:
		return r.Content.Standing()
	case r.Answered:
		return NoPage.Standing()
	case !r.Led():
		return NoEvidence.Standing()
	case c.Listing == Always:
		return NotSeen.Standing()
	case action.Waits(r.Location):
		return LinkActs.Standing()
	case c.OwnQuery && !r.Secret(r.Location):
		return AddressQuery.Standing()
	case AssetName(r.Location):
		return LinkFile.Standing()
	}
	return NotSeen.Standing()
}

// enters decides about a page that was never listed.
func (r *Record) enters(c Context) Standing {
	_, acts := action.Word(r.Location)
	proof := r.Proof()
	switch {
	case acts:
		return ActionWord.Standing()
	case r.Secret(r.Location):
		return Capability.Standing()
	case proof == None:
		return NoEvidence.Standing()
	case proof.Plenty() && !r.Route && c.Full:
		return Growth.Standing()
	}
	return proof.Standing()
}

// outdone returns why the content of this location is listed at another one, or nowhere. It returns None if this
// location is listed for it.
func (r *Record) outdone(c Context) Reason {
	own, other := r.Claim(c), c.Copies.Listed
	switch {
	case own.Rank == Trusted:
		return None
	case c.Copies.Nowhere, c.Copies.Showing >= ClusterSize && own.Rank < Established:
		return SoftNotFound
	case c.Copies.Borrowed && !r.Listed():
		return Duplicate
	case other == nil || own.Beats(*other):
		return None
	}
	return Duplicate
}

// Rank says how well a location may represent a content that several locations show.
type Rank uint8

// The ranks, the best last.
const (
	Proven      Rank = iota // something shows that it is public
	Established             // it was listed for a long time
	Canonical               // it names itself as the canonical location
	Trusted                 // an entry, or named by the owner's rule; listed whatever others show
)

// establishedAfter is how old a page must be to stay listed when another one begins to show the same
// content.
const establishedAfter = 24 * time.Hour

// Claim is what decides between locations that show the same content.
type Claim struct {
	Rank     Rank
	Linked   bool // the site links or redirects to it
	Location string
}

// Claim returns the location's claim to represent its content.
func (r *Record) Claim(c Context) Claim {
	claim := Claim{Linked: r.Led(), Location: r.Location}
	switch {
	case c.Listing == Always, c.Entry, r.Hop > 0:
		claim.Rank = Trusted
	case r.Self:
		claim.Rank = Canonical
	case r.Public && r.Age >= establishedAfter:
		claim.Rank = Established
	}
	return claim
}

// Beats reports whether a location takes the place of another one. A higher rank does. Among equal ones it is the one
// without a query: "/list" before "/list?page=1". Then a linked location is preferred, and then the shorter one: an
// article before a page of its comments. Otherwise the other one stays. The order is strict, so that locations do not
// take turns.
func (a Claim) Beats(b Claim) bool {
	switch {
	case a.Rank != b.Rank:
		return a.Rank > b.Rank
	case a.queried() != b.queried():
		return b.queried()
	case a.Linked != b.Linked:
		return a.Linked
	}
	return len(a.Location) < len(b.Location)
}

func (a Claim) queried() bool { return strings.Contains(a.Location, "?") }
