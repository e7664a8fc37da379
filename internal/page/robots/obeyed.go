package robots

import "time"

// Obeyed is what the site's robots.txt says. A different robots.txt counts once a visitor from
// another network gets the same one a minute later, or anybody a day later. An answer to one
// visitor must neither list what the site disallows nor remove what it allows. Until then, nothing
// that either of them disallows is newly listed.
type Obeyed struct {
	Known bool // whether somebody saw a robots.txt, or that there is none
	Now   *Rules
	Next  *Rules    // what may replace Now
	Since time.Time // when Next was first seen, zero if there is none
	By    uint32    // the network that saw it then, 0 if unknown
	Lost  bool      // somebody saw one, and what it says was lost since
}

const (
	confirmAfter = time.Minute
	anotherDay   = 24 * time.Hour
)

// Saw returns the state after a client in a network got seen.
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

// confirms reports whether Next counts if a visitor from a network gets it again.
func (o Obeyed) confirms(at time.Time, network uint32) bool {
	after := at.Sub(o.Since)
	return after >= anotherDay || after >= confirmAfter && network != 0 && o.By != 0 && network != o.By
}

// Allows reports whether crawlers may fetch location. A nil Obeyed allows all.
func (o *Obeyed) Allows(location string) bool { return o == nil || o.Now.Allows(location) }

// AllowsNew is Allows for a location that is not listed yet.
func (o *Obeyed) AllowsNew(location string) bool {
	return o == nil || o.Now.Allows(location) && o.Next.Allows(location)
}
