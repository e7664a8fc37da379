package look

import (
	"net/netip"
	"time"
	"unsafe"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/tap"
)

// Sighting is one response to an anonymous client. Once it was offered to the ledger, it
// belongs to that, with its body.
type Sighting struct {
	Kind     admit.Kind   // not Nothing
	Reason   admit.Reason // why the page is to be withdrawn, for the kinds that say so
	Location string
	At       time.Time
	Response *tap.Response

	// OwnURL says that only the page's own canonical can vouch for its query.
	OwnURL bool
	// Tagged says that tracking parameters were dropped from what was asked for.
	// Such a sighting is a Witness, and proves at most that the page is there.
	Tagged bool
	// Route is the template of the page's route, "" if none is known, with
	// whatever comes before it in the location. Exact says that the route
	// matches nothing but its template, and the template is the location.
	Route string
	Exact bool
	// Network is the client's network, the zero Prefix if it is not known.
	Network netip.Prefix
	// Variety is the variety of the page's text.
	Variety Variety
	// Named is what else the request names.
	Named Named

	// Explored says that the site asked itself. The page is then read whatever that
	// costs, since the exploration has a limit of its own.
	Explored bool
	Peeked   bool // its head was read while the store could not be used
}

// Size returns how many bytes the sighting holds, about, without its body.
func (s *Sighting) Size() int {
	n := int(unsafe.Sizeof(*s)) + len(s.Location) + len(s.Route) + len(s.Named.Referer) + len(s.Named.Query)
	if s.Response != nil {
		n += s.Response.Size()
	}
	return n
}
