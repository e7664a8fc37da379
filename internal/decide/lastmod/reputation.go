package lastmod

import (
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
)

// A Lie is a source's date that moved although the content did not.
type Lie struct {
	Source Source
	Clock  bool // it moved as far as the clock
}

// A Reputation says how often one source of dates was wrong on this site. A source whose date
// moves with the clock is caught at once, on the whole site. A source whose dates move
// without the content is caught when two pages show it, or one page shows it often: a change
// on a single page may go unseen. All is forgiven after a month without a lie.
type Reputation struct {
	Caught   bool        `cbor:"1,keyasint,omitzero"`
	Clock    bool        `cbor:"2,keyasint,omitzero"` // a date moved with the clock
	LastLie  moment.Time `cbor:"3,keyasint,omitzero"` // to a day
	Suspect  uint64      `cbor:"4,keyasint,omitzero"` // the first page that showed a lie
	Offences int         `cbor:"5,keyasint,omitzero"` // lies before it was caught
}

const (
	offencesOfOne = 3 // on one page are as bad as one each on two pages
	forgivenAfter = 30 * 24 * time.Hour
	lieNoted      = 24 * time.Hour // how often the record is written although a caught source only goes on
)

// Reputations are the reputations of all sources. They can be compared.
type Reputations Given[Reputation]

// Concerns reports whether a lie may change the reputations. Usually it cannot: the record need not be read.
func (rs *Reputations) Concerns(lie Lie, now moment.Time) bool {
	r := &rs[lie.Source]
	return !r.Caught || lie.Clock && !r.Clock || now.Sub(r.LastLie).Abs() >= lieNoted
}

// Lied merges a lie. page is a hash of the page, not 0. now is the time of the merge.
func (rs *Reputations) Lied(lie Lie, page uint64, now moment.Time) {
	r := &rs[lie.Source]
	if r.Suspect == 0 {
		r.Suspect = page
	}
	r.Offences = min(r.Offences+1, offencesOfOne)
	r.Clock, r.LastLie = r.Clock || lie.Clock, now
	r.Caught = r.Caught || lie.Clock || r.Suspect != page || r.Offences == offencesOfOne
}

// Forgive forgives the sources that have not lied for a month. A lie at a time later than now, of a
// wrong clock, counts as one of now.
func (rs *Reputations) Forgive(now moment.Time) {
	for _, s := range givers {
		r := &rs[s]
		if r.LastLie = min(r.LastLie, now); now.Sub(r.LastLie) >= forgivenAfter {
			*r = Reputation{}
		}
	}
}

// Trust returns which sources are not believed.
func (rs *Reputations) Trust() (t Trust) {
	for _, s := range givers {
		t[s] = Distrust{Caught: rs[s].Caught, Clock: rs[s].Clock}
	}
	return t
}
