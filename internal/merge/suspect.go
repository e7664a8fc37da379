package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/sitewide"
)

// A site may refuse one client what it shows to everybody else, and say so by a
// 401, 403 or 404, by a redirect to a log-in or to another host. So what one client
// is told takes no page out by itself:
//
//   - A refusal counts when a second network is refused too, or the same one a day
//     later, and nobody got the page in between. A 404 of a client of whom nothing
//     bad is known counts after a minute.
//   - A network that has taken out as many pages by 404s as a site loses in a day
//     has its further ones judged like the other refusals.
//   - What a network is told counts for nothing while it is refused pages that
//     others get.
//
// All clients whose network is not known are taken for one network.

// anotherDay is how much later the same network must be told the same again.
const anotherDay = 24 * time.Hour

// withdraw takes the page out: because the site no longer serves it, or because it now
// says that it is not to be listed.
func (m *Batch) withdraw(k *Look, p *pagerecord.Page, why admit.Reason) {
	p.Status = k.Response.Status
	m.out(p, k.At, why)
}

// out takes the page out. by is the time of the last answer that is taken into account.
func (m *Batch) out(p *pagerecord.Page, by time.Time, why admit.Reason) {
	m.trustAgain(p)
	switch {
	case why == admit.Private, why == admit.NoStore:
		p.Witnessed, p.Content, p.Absent = false, why, admit.None
	case pagerecord.Variable(why), why == admit.NoIndex:
		p.Content, p.BodyHash = why, 0 // the page is there; what it showed last was not merged
	default:
		p.Witnessed, p.Absent = false, why
	}
	m.settled(p, by)
	m.Save(p)
}

// suspect notes that a listed page may be gone, or may not be for everybody, by what a
// client was told. A page that is not listed has nothing to lose.
func (m *Batch) suspect(k *Look, p *pagerecord.Page, why admit.Reason) {
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
			m.trustAgain(p) // what it was told before is worth no more
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
		m.Effects.Doubted[k.Location] = p.Missing // it was noted before, and perhaps nobody knew
	}
	m.Save(p)
}

// isSecond reports whether a look shows that another client than the first one, or the
// same one on another day, is refused the page.
func (m *Batch) isSecond(k *Look, p *pagerecord.Page, why admit.Reason) bool {
	if p.Missing == 0 || pagerecord.Variable(why) || pagerecord.Variable(p.MissingWhy) || m.ignores(p.MissingNet, p.MissingWhy) {
		return false
	}
	if k.Moment().Sub(p.Missing) >= anotherDay {
		return true
	}
	return k.Net != 0 && p.MissingNet != 0 && p.MissingNet != pagerecord.SeveralNetworks && k.Net != p.MissingNet
}

// outweighs reports whether a new reason to doubt replaces the present one: when the
// present one counts for nothing by now, or only the new one is confirmed after a minute.
func (m *Batch) outweighs(p *pagerecord.Page, why admit.Reason) bool {
	switch {
	case pagerecord.Variable(p.MissingWhy):
		return false
	case pagerecord.Variable(why), m.ignores(p.MissingNet, p.MissingWhy):
		return true
	}
	return why == admit.NotFound && !p.HasMinute()
}

// giveMinute has a doubt confirmed after a minute, if it is of the kind that can be.
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

// endMinute forgets that a doubt was to be confirmed after its minute.
func (m *Batch) endMinute(location string) {
	m.Put(m.site.Keys.Lost(location), nil)
	m.Effects.Undoubted = append(m.Effects.Undoubted, location)
}

// Confirm ends the minute of a doubt: the page leaves, unless the doubt is over.
func (m *Batch) Confirm(location string) {
	p, _ := m.Load(location)
	if had := m.moment().Sub(p.Missing); p.Missing != 0 && had >= 0 && had < pagerecord.ConfirmAfter {
		m.Effects.Doubted[location] = p.Missing // it was saved, and doubted anew by another process
		return
	}
	all := m.refusals()
	alone := p.MissingWhy == admit.NotFound && p.MissingNet != pagerecord.SeveralNetworks
	switch {
	case p.Missing == 0 || !p.HasMinute(), alone && !all.Of(p.MissingNet, m.moment().Second()).Suffices(m.site.Listed):
		m.endMinute(location) // the doubt goes on, if there is one, until the page is seen or refused again
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

// ignores reports whether it counts for nothing that a network was refused a page,
// since it is refused others that everybody gets. That a page is missing may count
// a day later where no network is known, or no page would ever leave there while one
// of all clients is refused.
func (m *Batch) ignores(network uint32, why admit.Reason) bool {
	if network == 0 && why == admit.NotFound || network == pagerecord.SeveralNetworks {
		return false
	}
	all := m.refusals()
	return all.Of(network, m.moment().Second()).Blocked()
}

// refuted notes that somebody got a page that another network was refused.
func (m *Batch) refuted(k *Look, p *pagerecord.Page) {
	net := p.MissingNet
	if p.Missing == 0 || pagerecord.Variable(p.MissingWhy) || net == pagerecord.SeveralNetworks || net != 0 && net == k.Net {
		return
	}
	all := m.refusals()
	m.Effects.Refused = all.Refuted(net, m.moment().Second()) || m.Effects.Refused
	m.Put(m.site.Keys.Refusals(), all.Encode())
}
