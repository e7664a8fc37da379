package robots

import "time"

// Obeyed is what the site's robots.txt says. A different one counts once the site itself gets it, or a visitor does a
// day later. An answer to one visitor must neither list what the site disallows nor remove what it allows. Until
// then, nothing that either of them disallows is newly listed.
type Obeyed struct {
	Known bool // whether somebody saw a robots.txt, or that there is none
	Now   *Rules
	Next  *Rules    // what may replace Now
	Since time.Time // when Next was first seen, zero if there is none
	Lost  bool      // somebody saw one, and what it says was lost since
}

const anotherDay = 24 * time.Hour

// Saw returns the state after somebody got the rules seen. own says that the site itself got them.
func (o Obeyed) Saw(seen *Rules, at time.Time, own bool) Obeyed {
	after := Obeyed{Known: true, Now: o.Now}
	switch {
	case !o.Known || own:
		after.Now = seen
	case seen.Equal(o.Now):
	case o.Since.IsZero() || !seen.Equal(o.Next) || at.Before(o.Since):
		after.Next, after.Since = seen, at
	case at.Sub(o.Since) >= anotherDay:
		after.Now = seen
	default:
		return o
	}
	return after
}

// Allows reports whether crawlers may fetch location. A nil Obeyed allows all.
func (o *Obeyed) Allows(location string) bool { return o == nil || o.Now.Allows(location) }

// AllowsNew is Allows for a location that is not listed yet.
func (o *Obeyed) AllowsNew(location string) bool {
	return o == nil || o.Now.Allows(location) && o.Next.Allows(location)
}
