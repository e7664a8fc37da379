package merge

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// A site may refuse one client what it shows to everybody else: with a 401, 403 or 404,
// or with a redirect to a log-in page or another host. So one client's answer alone
// takes no page out:
//
//   - A refusal counts when a second network is refused too, or the same network a day
//     later, and nobody got the page in between. A 404 counts after a minute, unless
//     something is known against the client.
//   - A network whose 404s have taken out as many pages as a site loses in a day gets
//     no more such minutes: its further 404s are judged like other refusals.
//   - What something in front of the program keeps from the site itself is kept from
//     strangers. That alone takes out as many pages a day as one network's 404s do, and
//     visitors do not bring them back. They may have been let in.
//   - The answers to a network are ignored while it is refused pages that others get.
//
// All clients whose network is unknown count as one network.

// withdraw takes the page out: the site no longer serves it, or it now forbids its listing.
func (u *visited) withdraw(why eligibility.Reason) {
	u.p.Status, u.p.Kept = u.Response.Status, u.Kept
	u.leaves(u.At, why)
}

// leaves takes the page out. by is the time of the last answer that counted.
func (g page) leaves(by time.Time, why eligibility.Reason) {
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
	g.stored(by)
	g.Save(p)
}

// refused notes that a client's answer says that a listed page is gone or not public. A page that
// is not listed is withdrawn at once.
func (u *visited) refused(why eligibility.Reason) {
	p, at := u.p, u.Moment()
	if !p.Listed() {
		u.withdraw(why)
		return
	}
	if p.Missing == 0 && u.late() {
		return
	}
	if !pagerecord.Variable(why) && u.ignores(u.Net, why) {
		u.Effects.Refused = true
		if p.Missing != 0 && p.MissingNet == u.Net && !pagerecord.Variable(p.MissingWhy) {
			u.stays() // its first answer no longer counts either
			u.Save(p)
		}
		return
	}
	if u.Kept && u.suffices(u.Net) {
		u.withdraw(why)
		return
	}
	known := p.Missing != 0 && (pagerecord.Variable(p.MissingWhy) || !u.ignores(p.MissingNet, p.MissingWhy))
	switch second := known && p.ConfirmedBy(why, u.Net, at); {
	case !known, !second && p.OutweighedBy(why):
		u.setBorrowed(0)
		p.Status, p.PendingRemoval = u.Response.Status, pagerecord.PendingRemoval{Missing: at, MissingWhy: why, MissingNet: u.Net}
		if u.Showing != p.Showing {
			u.setBorrowed(u.Showing)
		}
		u.giveMinute()
	case second && at.Sub(p.Missing) >= pagerecord.ConfirmAfter:
		u.withdraw(why)
		return
	case second:
		p.MissingNet = pagerecord.SeveralNetworks
		u.giveMinute()
	case at.Sub(p.Missing) < pagerecord.ConfirmAfter:
		u.giveMinute() // another process may have noted it
	}
	u.Save(p)
}

// giveMinute has the removal confirmed after its minute, if it is of that kind.
func (g page) giveMinute() {
	if g.p.HasMinute() {
		g.Effects.Pending[g.p.Loaded.Location] = g.p.Missing
	}
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
	alone := p.MissingWhy == eligibility.NotFound && p.MissingNet != pagerecord.SeveralNetworks
	if p.Missing == 0 || !p.HasMinute() || alone && !m.suffices(p.MissingNet) {
		g.endMinute() // the removal itself stays pending until the page is seen or refused again
		g.stored(m.Now)
		return
	}
	g.leaves(m.Now, p.MissingWhy)
}

// suffices reports whether one network alone may take out another page today, and counts that page.
func (m *Transaction) suffices(network uint32) bool {
	all, now := m.refusals(), m.moment().Second()
	if !all.Of(network, now).Suffices(m.site.Listed) {
		return false
	}
	all.FoundMissing(network, now)
	m.Put(m.site.Keys.Refusals(), all.Encode())
	return true
}

func (m *Transaction) refusals() sitewide.Refusals {
	return sitewide.ReadRefusals(m.Get(m.site.Keys.Refusals()))
}

// ignores reports whether a network's refusals are ignored, since it is refused pages that
// others get. A 404 to an unknown network is not ignored. Otherwise no page could leave a
// site that knows no networks, while any one of its clients is refused.
func (m *Transaction) ignores(network uint32, why eligibility.Reason) bool {
	if network == 0 && why == eligibility.NotFound || network == pagerecord.SeveralNetworks {
		return false
	}
	all := m.refusals()
	return all.Of(network, m.moment().Second()).Blocked()
}

// refuted notes that a client got a page that another network was refused.
func (u *visited) refuted() {
	p, net := u.p, u.p.MissingNet
	if p.Missing == 0 || pagerecord.Variable(p.MissingWhy) || p.MissingWhy == eligibility.Duplicate || net == pagerecord.SeveralNetworks || net != 0 && net == u.Net {
		return
	}
	all := u.refusals()
	u.Effects.Refused = all.Refuted(net, u.moment().Second()) || u.Effects.Refused
	u.Put(u.site.Keys.Refusals(), all.Encode())
}
