package eligibility

import (
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
)

// Evidence is what speaks for listing a location. Observations of the page add to it, and
// observations of pages that link or redirect to it. It is stored as it is decided on.
//
// A new kind of evidence is a field here, its reason in proof, and the place where it is seen.
type Evidence struct {
	Route     bool        `cbor:"1,keyasint,omitzero"` // its route matches exactly this location, and it showed a whole document
	Variable  bool        `cbor:"2,keyasint,omitzero"` // a variable of its route is named like a secret
	Query     bool        `cbor:"3,keyasint,omitzero"` // its location has a query
	Link      bool        `cbor:"4,keyasint,omitzero"` // a listed page links to it
	LinkAt    moment.Time `cbor:"5,keyasint,omitzero"` // when such a link was first seen, to the second; only while the page waits
	LinkNet   uint32      `cbor:"6,keyasint,omitzero"` // the network that saw it then, 0 if unknown
	Confirmed bool        `cbor:"7,keyasint,omitzero"` // such a link was seen a day apart, or from two networks

	// Unprompted says that such a link was seen although the request named only public pages. So
	// the link does not depend on who asked. It is noted only if the location has a risky word.
	Unprompted bool `cbor:"8,keyasint,omitzero"`

	Hop int `cbor:"9,keyasint,omitzero"` // how many redirects lead here from an entry, one or two; 0 for none
}

// proof returns what shows that the location is public, None if nothing does.
func (ev *Evidence) proof() Reason {
	if ev.Route {
		return ByRoute
	}
	return ev.leads()
}

// Led reports whether the site leads its visitors to the location.
func (ev *Evidence) Led() bool { return ev.leads() != None }

// leads returns how the site leads its visitors to the location, None if it does not.
func (ev *Evidence) leads() Reason {
	switch {
	case ev.Link:
		return ByLink
	case ev.Hop > 0:
		return ByEntry
	}
	return None
}

// SawLink notes that a network saw a link from a listed page. It reports whether that is news.
func (ev *Evidence) SawLink(at moment.Time, network uint32) bool {
	switch {
	case ev.Confirmed:
		return false
	case ev.LinkAt == 0:
		ev.LinkAt, ev.LinkNet = at.Second(), network
	case Independent(ev.LinkAt, ev.LinkNet, at, network):
		ev.Confirmed = true
	case ev.LinkNet == 0 && network != 0:
		ev.LinkNet = network
	default:
		return false
	}
	return true
}

// Entered forgets what matters only until a page is listed, since it tells of visitors.
func (ev *Evidence) Entered() {
	ev.LinkAt, ev.LinkNet, ev.Confirmed, ev.Unprompted = 0, 0, false, false
}

// ShownAfter is how far apart two observations must be to be independent.
const ShownAfter = 24 * time.Hour

// Independent reports whether the second of two observations is a day later than the first, or from
// another network. What both saw is shown to everybody.
func Independent(first moment.Time, network uint32, second moment.Time, other uint32) bool {
	return second.Sub(first) >= ShownAfter || network != 0 && other != 0 && network != other
}
