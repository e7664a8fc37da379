package merge

import (
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/secret"
)

// Outdated reports whether a review must change the record of a page that is or was
// listed.
func (site *Site) Outdated(location string, p *pagerecord.Page, now time.Time) bool {
	switch {
	case site.expired(p, moment.Of(now)), p.Listed() && (p.Extended != site.Extensions ||
		site.Layout.Misplaced(p.Shard, location)):
		return true
	case !p.Public():
		return false
	}
	p.Loaded.Location = location
	r := p.Judged()
	is := eligibility.Revise(r, site.Context(&r, site.Robots, moment.Of(now)))
	return is.Verdict != p.Verdict || !is.Listed() && is.Reason != p.Reason
}

// expired reports whether a page, and a link to it, was unseen for so long that it is dropped.
func (site *Site) expired(p *pagerecord.Page, now moment.Time) bool {
	last := max(p.LastSeen, p.LinkAt)
	return last != 0 && now.Sub(last) >= site.KeepFor && site.Activity.Enough(last, site.SpanLength())
}

// Expendable reports whether a waiting location was unseen for so long that its record may
// be dropped. Of the location only a hash is known, so nothing but its age is judged.
func (site *Site) Expendable(_ string, p *pagerecord.Page, now time.Time) bool {
	return !p.Led() && site.expired(p, moment.Of(now))
}

// Review decides again about a page that is or was listed. A page that was unseen for long
// leaves the sitemap. If it had left before, its record is erased.
func (m *Transaction) Review(location string) {
	p, known := m.Load(location)
	g := page{m, p}
	switch {
	case !known || !p.Public():
	case !m.site.expired(p, m.moment()):
		m.Save(p)
	case p.Listed():
		p.Witnessed, p.Absent = false, eligibility.Unseen
		g.stays()
		m.Save(p)
	case m.moment().Sub(p.LastSeen) >= 2*m.site.KeepFor:
		m.site.Journal.Erase(m.Tx, int64(p.Logged), location)
		g.stays()
		g.erase(m.site.Keys.Page(location), m.site.ID(location))
	}
}

// Drop erases the record of a waiting location, by its key.
func (m *Transaction) Drop(key string) {
	b := m.Get(key)
	if b == nil {
		return
	}
	p, err := pagerecord.Decode(b)
	if err != nil {
		m.Put(key, nil)
		m.Effects.Erased = true
		return
	}
	page{m, p}.erase(key, secret.ID(strings.TrimPrefix(key, m.site.Keys.Waits())))
}

// erase removes the record of the page, and takes the page out of its duplicates. id is the
// ID of its location. The location itself may be unknown.
func (g page) erase(key string, id uint64) {
	g.Put(key, nil)
	g.Effects.Erased = true
	g.leave(id)
	g.tally(key, eligibility.Standing{})
	g.p.Loaded.Changed = false
}

// Forget erases the record of a location and bars it. The bar does not name the location, and outlives all else that is
// known of it. The evidence stays for [Transaction.Allow]: where no page changes, no link is seen anew.
func (m *Transaction) Forget(location string) {
	p, _ := m.Load(location)
	m.Put(m.site.Keys.Bar(location), codec.Marshal(true))
	barred := m.anew(location, eligibility.Forgotten.Standing())
	barred.Barred = true
	if p.Public() {
		barred.Secrecy = eligibility.Confirmed
	}
	m.Save(barred)
}

// anew erases all that is known of a location but the evidence for it, and returns its new record. If the
// page was listed, it leaves the sitemap as the standing says.
func (m *Transaction) anew(location string, as eligibility.Standing) *pagerecord.Page {
	g := m.page(location)
	p := g.p
	g.stays()
	if p.Loaded.Listed {
		p.Standing = as
		g.unlist()
	}
	m.site.Journal.Erase(m.Tx, int64(p.Logged), location)
	fresh := &pagerecord.Page{Loaded: pagerecord.Loaded{Location: location, Known: p.Loaded.Known,
		Tallied: p.Loaded.Tallied}}
	fresh.Evidence = p.Evidence
	g.leave(m.site.ID(location))
	if p.Public() {
		g.erase(m.site.Keys.Page(location), m.site.ID(location))
		fresh.Loaded.Tallied = eligibility.Standing{}
	}
	m.Effects.Erased = true
	m.pages[location] = fresh
	for _, peer := range p.Peers {
		m.page(peer.Location).removeAlternate(location)
	}
	return fresh
}

// Allow ends the bar of a location. Its record decides again, and so does its next visit.
func (m *Transaction) Allow(location string) {
	m.Put(m.site.Keys.Bar(location), nil)
	p, _ := m.Load(location)
	switch {
	case p.Barred && p.Unasked() && p.Evidence == (eligibility.Evidence{}):
		m.Drop(m.site.wait(location)) // the record held nothing but the bar
	case p.Barred:
		p.Barred = false
		m.Save(p)
	}
	m.due(location)
}

// Trusted reports whether something on the site speaks for the page: it is an entry, there is evidence for it, or it
// was listed before. Other addresses may be made up by
// the client.
func (site *Site) Trusted(v *observation.Observation) bool {
	p := v.Before
	return p.Public() || p.Proof() != eligibility.None || v.Route.Exact || v.Published || site.Entries[v.Location]
}
