package robots

import (
	"bytes"
	"time"
)

// Obeyed is what the site's robots.txt says. One that differs from the last one holds
// once a visitor from another network gets the same, a minute later or more, or
// anybody does a day later: an answer that only one visitor got must neither list what
// the site disallows, nor take out what it allows. Until then what either of them
// disallows is not listed anew.
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
	switch text := seen.Text(); {
	case !o.Known:
		after.Now = seen
	case bytes.Equal(text, o.Now.Text()):
	case o.Since.IsZero() || !bytes.Equal(text, o.Next.Text()) || at.Before(o.Since):
		after.Next, after.Since, after.By = seen, at, network
	case o.confirms(at, network):
		after.Now = seen
	default:
		return o
	}
	return after
}

// confirms reports whether it is enough for Next to hold that a network gets it again.
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
