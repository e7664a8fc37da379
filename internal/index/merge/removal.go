package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// An answer may be of the moment, or for one client alone. So what contradicts a listed page waits in
// its record, with its reason, its network and its time, until somebody gets the page or the answer is
// confirmed; see [pagerecord.PendingRemoval]. If many pages leave at once, that too may be of the moment: only
// some leave in a day, the others wait for an answer a day later, to a second network. All clients whose
// network is unknown count as one network.

// withdraw takes the page out: the site no longer serves it, or it now forbids its listing.
func (u *visited) withdraw(why eligibility.Reason) {
	u.p.Status, u.p.Kept = u.Response.Status, u.Kept
	u.leaves(why)
}

// leaves takes the page out.
func (g page) leaves(why eligibility.Reason) {
	p := g.p
	g.stays()
	switch {
	case why == eligibility.Private, why == eligibility.NoStore:
		p.Witnessed, p.Content, p.Absent = false, why, eligibility.None
	case pagerecord.Unsure(why), why == eligibility.NoIndex:
		p.Content, p.BodyHash = why, 0 // the page exists, and its last content was not merged
	default:
		p.Witnessed, p.Absent = false, why
	}
	g.Save(p)
}

// refused notes that an answer contradicts a listed page. A page that is not listed is withdrawn at once.
// What the site cannot get itself, strangers cannot.
func (u *visited) refused(why eligibility.Reason) {
	p := u.p
	switch {
	case !p.Listed():
		u.withdraw(why)
		return
	case p.Missing == 0 && u.late():
		return
	}
	after, leaves := u.told(why)
	if leaves || u.Kept && u.few() {
		u.withdraw(why)
		return
	}
	if begins := after.Missing != p.Missing || after.MissingWhy != p.MissingWhy; begins {
		u.setBorrowed(0)
		p.Status, p.PendingRemoval = u.Response.Status, after
		if u.Showing != p.Showing {
			u.setBorrowed(u.Showing)
		}
	}
	p.MissingNet = after.MissingNet
	p.Asked = p.Asked || asksToLogIn(u.Observation)
	if p.HasMinute() && u.Moment().Sub(p.Missing) < pagerecord.ConfirmAfter { // another process may have noted it
		u.Effects.Pending[u.Location] = p.Missing
	}
	u.Save(p)
}

// asksToLogIn reports whether the program asked a visitor to log in who had nothing that only the owner calls harmless. If
// all have it, as where a proxy adds a header, it does not tell who is let in.
func asksToLogIn(o *observation.Observation) bool {
	return (o.Reason == eligibility.Denied || o.Reason == eligibility.LoginRedirect) && !o.Named.Vouched && !o.Kept
}

// told returns the removal of the page after an answer, and whether the page leaves by it.
func (u *visited) told(why eligibility.Reason) (after pagerecord.PendingRemoval, leaves bool) {
	after, confirmed := u.p.Told(why, u.Net, u.Moment())
	return after, confirmed && (after.Sure(u.Moment()) || u.few())
}

// stays ends the pending removal, if there is one.
func (g page) stays() {
	if g.p.Missing != 0 {
		g.setBorrowed(0)
		g.p.PendingRemoval = pagerecord.PendingRemoval{}
		g.endMinute()
	}
}

// endMinute ends the minute of the page.
func (g page) endMinute() { g.Effects.Ended = append(g.Effects.Ended, g.p.Loaded.Location) }

// Confirm is called when the minute of a pending removal is over. The page leaves, unless the
// removal has ended.
func (m *Transaction) Confirm(location string) {
	p, _ := m.Load(location)
	g, now := page{m, p}, m.moment()
	if had := now.Sub(p.Missing); p.Missing != 0 && had >= 0 && had < pagerecord.ConfirmAfter {
		m.Effects.Pending[location] = p.Missing // another process has ended it, and begun a new one
		return
	}
	if p.Borrowed != 0 && m.borrowedBeside(p.Borrowed, location) {
		p.MissingWhy = eligibility.Duplicate
		m.Save(p)
	}
	if !p.HasMinute() || !m.few() {
		g.endMinute() // the removal itself stays pending until the page is seen or refused again
		return
	}
	g.leaves(p.MissingWhy)
}

// few reports whether few pages of the site have left in a day by what may be of the moment, and counts one more.
func (m *Transaction) few() bool {
	key, now := m.site.Keys.Refusals(), m.moment().Second()
	left := codec.Read[sitewide.Refusals](m.Get(key)).At(now)
	if !left.Few(m.site.Listed) {
		m.Effects.Refused = true
		return false
	}
	left.Pages++
	m.Put(key, left.Encode())
	return true
}
