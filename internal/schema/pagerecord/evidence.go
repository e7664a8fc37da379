package pagerecord

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
)

// Judged returns what decides about the page's listing.
func (p *Page) Judged() eligibility.Record {
	return eligibility.Record{
		Location: p.Loaded.Location, Standing: p.Standing, Public: p.Public(), Evidence: p.Evidence,
		Witnessed: p.Witnessed, Absent: p.Absent, Answered: p.Status != 0, Barred: p.Barred,
		Content: p.Content, Until: p.Until, Self: p.Self,
		Age: p.LastSeen.Second().Sub(p.FirstSeen),
	}
}

// Passes reports whether one observation of a link would be enough evidence for the location.
func (p *Page) Passes() bool { return !p.Secret(p.Loaded.Location) }

// Found reports whether the site leads everybody to the location, as far as its address needs proof.
func (p *Page) Found() bool { return p.Led() && (p.Public() || p.Passes()) }

// unseenFor is how long after its first link a location may still turn out to need more evidence.
// After that, nobody will ask for it.
const unseenFor = 2 * day

// LeavesOpen says what another reading of a page that links to the location may add.
func (p *Page) LeavesOpen(now moment.Time) Openness {
	switch {
	case p.Public():
		return Settled
	case p.Reason == eligibility.Capability, !p.Witnessed && !p.Passes():
		return Unseen
	case !p.Witnessed && now.Second().Sub(p.LinkAt) < unseenFor:
		return Unseen
	}
	return Settled
}

// Reopens reports whether the page must be read again although it shows the same bytes as before.
// It must if merging its links left something open. It also must now and then, since the records of
// the locations it links to expire. decides says that an observation alone shows what is for everybody.
func (p *Page) Reopens(at moment.Time, decides bool, keepFor time.Duration) bool {
	age := at.Sub(p.ReadAt)
	switch {
	case p.Open == Settled:
		return age >= keepFor/2
	case p.Open == Unproven && decides:
		return true
	}
	return age >= eligibility.ShownAfter
}
