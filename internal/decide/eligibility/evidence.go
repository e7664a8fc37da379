package eligibility

import (
	"time"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/moment"
)

// Evidence is what speaks for listing a location. Observations of the page add to it, and observations of pages that
// link or redirect to it. It is stored in this form. A new kind of evidence is a field here, a line of Kinds, its
// reason, and the place where it is seen.
type Evidence struct {
	// its route matches exactly this location, and it showed a whole document that is no search
	Route bool `cbor:"1,keyasint,omitzero"`
	Link  bool `cbor:"4,keyasint,omitzero"` // a listed page links to it
	// when such a link was seen: first, while the page waits; last, while nobody gets the page
	LinkAt  moment.Time `cbor:"5,keyasint,omitzero"`
	Hop     int         `cbor:"9,keyasint,omitzero"`  // how many redirects lead here from an entry, one or two; 0 for none
	Sitemap bool        `cbor:"10,keyasint,omitzero"` // the site's own sitemap has it
	Secrecy Secrecy     `cbor:"11,keyasint,omitzero"`
}

// Secrecy says whether a location may be a secret.
type Secrecy uint8

// The secrecies.
const (
	AsItLooks Secrecy = iota // see [capability.Looks]
	Named                    // a variable of its route is named like a secret
	Confirmed                // it is no secret: a link to it was seen again a day later
)

// Kinds yields the kinds of evidence that there are, first what the owner sees on his pages: so a page is said to be
// listed by its route if no link leads there. Nothing else lists them.
func (ev *Evidence) Kinds(yield func(Reason) bool) {
	_ = (!ev.Link || yield(ByLink)) && (!ev.Route || yield(ByRoute)) && (ev.Hop == 0 || yield(ByEntry)) &&
		(!ev.Sitemap || yield(BySitemap))
}

// Proof returns what shows that the location is public, None if nothing does.
func (ev *Evidence) Proof() Reason {
	for kind := range ev.Kinds {
		return kind
	}
	return None
}

// Plenty reports whether a site without end can show this kind of evidence for any number of addresses. So it lists
// only a limited number of pages a day.
func (r Reason) Plenty() bool { return r == ByLink }

// Secret reports whether the evidence's location may be a secret.
func (ev *Evidence) Secret(location string) bool {
	return ev.Secrecy == Named || ev.Secrecy == AsItLooks && capability.Looks(location)
}

// Led reports whether the site leads its visitors to the location.
func (ev *Evidence) Led() bool { return ev.Link || ev.Hop > 0 }

// SawLink notes that a link from a listed page, or the site's sitemap, was seen. It reports whether that is news.
func (ev *Evidence) SawLink(at moment.Time) bool {
	switch {
	case ev.Secrecy == Confirmed:
		return false
	case ev.LinkAt == 0:
		ev.LinkAt = at.Second()
	case at.Sub(ev.LinkAt) >= ShownAfter:
		ev.Secrecy = Confirmed
	default:
		return false
	}
	return true
}

// Entered forgets what matters only until a page is listed, since it tells of visitors.
func (ev *Evidence) Entered() {
	ev.LinkAt, ev.Secrecy = 0, AsItLooks
}

// ShownAfter is how far apart two observations must be to be independent.
const ShownAfter = 24 * time.Hour
