package robots

import "time"

// Obeyed is what the site's robots.txt says. Another robots.txt than the last one
// counts once a visitor from another network gets the same a minute later, or anybody
// a day later. An answer that one visitor got must neither list what the site
// disallows, nor take out what it allows. Until then nothing is newly listed that
// either of them disallows.
type Obeyed struct {
	Known bool // one was seen, or that there is none
	Now   *Rules
	Next  *Rules    // what may hold next
	Since time.Time // when Next was seen first, zero if there is none
	By    uint32    // the network that saw it then, 0 if that is not known
}

const (
	confirmAfter = time.Minute
	anotherDay   = 24 * time.Hour
)

// Saw returns what holds after somebody of a network got seen.
func (o Obeyed) Saw(seen *Rules, at time.Time, network uint32) Obeyed {
	after := Obeyed{Known: true, Now: o.Now}
	switch {
	case !o.Known:
		after.Now = seen
	case seen.Equal(o.Now):
	case o.Since.IsZero() || !seen.Equal(o.Next) || at.Before(o.Since):
		after.Next, after.Since, after.By = seen, at, network
	case o.confirms(at, network):
		after.Now = seen
	default:
		return o
	}
	return after
}

// confirms reports whether Next counts once a visitor of a network gets it again.
func (o Obeyed) confirms(at time.Time, network uint32) bool {
	after := at.Sub(o.Since)
	return after >= anotherDay || after >= confirmAfter && network != 0 && o.By != 0 && network != o.By
}

// Allows reports whether crawlers may have location. A nil Obeyed allows all.
func (o *Obeyed) Allows(location string) bool { return o == nil || o.Now.Allows(location) }

// AllowsNew is Allows for a location that is not listed yet.
func (o *Obeyed) AllowsNew(location string) bool {
	return o == nil || o.Now.Allows(location) && o.Next.Allows(location)
}
