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
//   - The answers to a network are ignored while it is refused pages that others get.
//
// All clients whose network is unknown count as one network.

// anotherDay is how much later the same network must be refused again.
const anotherDay = 24 * time.Hour

// withdraw takes the page out: the site no longer serves it, or it now forbids its
// listing.
func (m *Batch) withdraw(k *Look, p *pagerecord.Page, why eligibility.Reason) {
	p.Status = k.Response.Status
	m.out(p, k.At, why)
}

// out takes the page out. by is the time of the last answer that counted.
func (m *Batch) out(p *pagerecord.Page, by time.Time, why eligibility.Reason) {
	m.trustAgain(p)
	switch {
	case why == eligibility.Private, why == eligibility.NoStore:
		p.Witnessed, p.Content, p.Absent = false, why, eligibility.None
	case pagerecord.Variable(why), why == eligibility.NoIndex:
		p.Content, p.BodyHash = why, 0 // the page exists, and its last content was not merged
	default:
		p.Witnessed, p.Absent = false, why
	}
	m.settled(p, by)
	m.Save(p)
}

// suspect notes that a client's answer says that a listed page is gone or not public. A
// page that is not listed is withdrawn at once.
func (m *Batch) suspect(k *Look, p *pagerecord.Page, why eligibility.Reason) {
	if !p.Listed() {
		m.withdraw(k, p, why)
		return
	}
	at := k.Moment()
	if p.Missing == 0 && m.late(p, at) {
		return
	}
	if !pagerecord.Variable(why) && m.ignores(k.Net, why) {
		m.Effects.Refused = true
		if p.Missing != 0 && p.MissingNet == k.Net && !pagerecord.Variable(p.MissingWhy) {
			m.trustAgain(p) // its first answer no longer counts either
			m.Save(p)
		}
		return
	}
	switch second := m.isSecond(k, p, why); {
	case p.Missing == 0, !second && m.outweighs(p, why):
		p.Status, p.Doubt = k.Response.Status, pagerecord.Doubt{Missing: at, MissingWhy: why, MissingNet: k.Net}
		m.giveMinute(p)
	case second && at.Sub(p.Missing) >= pagerecord.ConfirmAfter:
		m.withdraw(k, p, why)
		return
	case second:
		p.MissingNet = pagerecord.SeveralNetworks
		m.giveMinute(p)
	case p.HasMinute() && at.Sub(p.Missing) < pagerecord.ConfirmAfter:
		m.Effects.Doubted[k.Location] = p.Missing // another process may have noted it
	}
	m.Save(p)
}

// isSecond reports whether a second network is refused the page, or the same one a day
// later.
func (m *Batch) isSecond(k *Look, p *pagerecord.Page, why eligibility.Reason) bool {
	if p.Missing == 0 || pagerecord.Variable(why) || pagerecord.Variable(p.MissingWhy) || m.ignores(p.MissingNet, p.MissingWhy) {
		return false
	}
	if k.Moment().Sub(p.Missing) >= anotherDay {
		return true
	}
	return k.Net != 0 && p.MissingNet != 0 && p.MissingNet != pagerecord.SeveralNetworks && k.Net != p.MissingNet
}

// outweighs reports whether a new reason to doubt replaces the present one: because the
// present one is ignored by now, or because only the new one is confirmed after a minute.
func (m *Batch) outweighs(p *pagerecord.Page, why eligibility.Reason) bool {
	switch {
	case pagerecord.Variable(p.MissingWhy):
		return false
	case pagerecord.Variable(why), m.ignores(p.MissingNet, p.MissingWhy):
		return true
	}
	return why == eligibility.NotFound && !p.HasMinute()
}

// giveMinute stores that a doubt will be confirmed after a minute, if it is of that kind.
func (m *Batch) giveMinute(p *pagerecord.Page) {
	if p.HasMinute() {
		m.Put(m.site.Keys.Lost(p.Loaded.Location), p.Minute())
		m.Effects.Doubted[p.Loaded.Location] = p.Missing
	}
}

// trustAgain ends the doubt, if there is one.
func (m *Batch) trustAgain(p *pagerecord.Page) {
	if p.Missing != 0 {
		p.Doubt = pagerecord.Doubt{}
		m.endMinute(p.Loaded.Location)
	}
}

// endMinute erases the stored minute of a location.
func (m *Batch) endMinute(location string) {
	m.Put(m.site.Keys.Lost(location), nil)
	m.Effects.Undoubted = append(m.Effects.Undoubted, location)
}

// Confirm is called when the minute of a doubt is over. The page leaves, unless the doubt
// has ended.
func (m *Batch) Confirm(location string) {
	p, _ := m.Load(location)
	if had := m.moment().Sub(p.Missing); p.Missing != 0 && had >= 0 && had < pagerecord.ConfirmAfter {
		m.Effects.Doubted[location] = p.Missing // another process has ended the doubt, and begun a new one
		return
	}
	all := m.refusals()
	alone := p.MissingWhy == eligibility.NotFound && p.MissingNet != pagerecord.SeveralNetworks
	switch {
	case p.Missing == 0 || !p.HasMinute(), alone && !all.Of(p.MissingNet, m.moment().Second()).Suffices(m.site.Listed):
		m.endMinute(location) // the doubt itself stays until the page is seen or refused again
		m.settled(p, m.Now)
		return
	case alone:
		all.FoundMissing(p.MissingNet, m.moment().Second())
		m.Put(m.site.Keys.Refusals(), all.Encode())
	}
	m.out(p, m.Now, p.MissingWhy)
}

func (m *Batch) refusals() sitewide.Refusals {
	return sitewide.ReadRefusals(m.Get(m.site.Keys.Refusals()))
}

// ignores reports whether a network's refusals are ignored, since it is refused pages that
// others get. A 404 to an unknown network is not ignored. Otherwise no page could leave a
// site that knows no networks, while any one of its clients is refused.
func (m *Batch) ignores(network uint32, why eligibility.Reason) bool {
	if network == 0 && why == eligibility.NotFound || network == pagerecord.SeveralNetworks {
		return false
	}
	all := m.refusals()
	return all.Of(network, m.moment().Second()).Blocked()
}

// refuted notes that a client got a page that another network was refused.
func (m *Batch) refuted(k *Look, p *pagerecord.Page) {
	net := p.MissingNet
	if p.Missing == 0 || pagerecord.Variable(p.MissingWhy) || net == pagerecord.SeveralNetworks || net != 0 && net == k.Net {
		return
	}
	all := m.refusals()
	m.Effects.Refused = all.Refuted(net, m.moment().Second()) || m.Effects.Refused
	m.Put(m.site.Keys.Refusals(), all.Encode())
}
