package merge

import (
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/sitemap"
)

// Outdated reports whether a review has to change the record of a page that is or was
// listed.
func (site *Site) Outdated(location string, p *pagerecord.Page, now time.Time) bool {
	switch {
	case site.expired(p, moment.Of(now)), p.Listed() && (p.Ended(now) || site.Over[p.Part] || site.Thin[p.Part]):
		return true
	case p.Listed() && (site.Extends() || site.ranked(p, now) != p.Priority):
		return true
	case !p.Public():
		return false
	}
	// Of a page that was listed the verdict needs nothing but its own record.
	p.Loaded.Location = location
	verdict, why := (&Batch{site: site}).verdict(p)
	if p.Reason == admit.Duplicate || p.Reason == admit.SoftNotFound {
		return verdict != admit.Listed
	}
	return verdict != p.Verdict || verdict != admit.Listed && why != p.Reason
}

// expired reports whether a page was not seen for so long that it is not kept.
func (site *Site) expired(p *pagerecord.Page, now moment.Time) bool {
	return p.LastSeen != 0 && now.Sub(p.LastSeen) >= site.KeepFor && site.Activity.Enough(p.LastSeen)
}

// Expendable reports whether a location that waits was not seen for so long that its
// record may go.
func (site *Site) Expendable(p *pagerecord.Page, now time.Time) bool {
	return !p.Barred && !p.Link && site.expired(p, moment.Of(now))
}

// Review decides anew on a page that is or was listed. One that was not seen for long
// leaves; one that had left by then is forgotten.
func (m *Batch) Review(location string) {
	p, known := m.Load(location)
	switch {
	case !known || !p.Public():
	case !m.site.expired(p, m.moment()):
		p.End(m.Now)
		p.Priority = m.site.ranked(p, m.Now)
		p.Read = p.Read && !m.site.grown()
		m.Save(p)
		if p.Listed() && p.Loaded.Listed && (m.site.Thin[p.Part] || m.site.Book.Over(m.Tx, p.Part)) {
			m.move(p)
		}
	case p.Listed():
		p.Witnessed, p.Absent = false, admit.Unseen
		m.trustAgain(p)
		m.Save(p)
	case !p.Barred && m.moment().Sub(p.LastSeen) >= 2*m.site.KeepFor:
		m.site.Journal.Erase(m.Tx, int64(p.Logged), location)
		m.trustAgain(p)
		m.erase(m.site.Keys.Page(location), p, m.site.ID(location))
	}
}

// Drop erases the record of a location that waits, by its key.
func (m *Batch) Drop(key string) {
	b := m.Get(key)
	if b == nil {
		return
	}
	m.Effects.Waiting--
	p, err := pagerecord.Decode(b)
	if err != nil {
		m.Put(key, nil)
		m.Effects.Erased = true
		return
	}
	m.erase(key, p, secret.ID(strings.TrimPrefix(key, m.site.Keys.Waits())))
}

// erase removes the record of a page, which leaves its duplicates. id is the ID of its
// location, which need not be known.
func (m *Batch) erase(key string, p *pagerecord.Page, id uint64) {
	m.Put(key, nil)
	m.Effects.Erased = true
	m.leave(p, id)
	m.tally(key, p, pagerecord.Standing{})
	p.Loaded.Changed = false
}

// Forget erases what is known of a location and bars it. What is left does not name the
// location.
func (m *Batch) Forget(location string) {
	p, _ := m.Load(location)
	if p.Loaded.Listed {
		p.Standing = pagerecord.Standing{Verdict: admit.Excluded, Reason: admit.Forgotten}
		m.unlist(p)
		m.count(p, false)
	}
	m.Put(m.site.Keys.Lost(location), nil)
	m.site.Journal.Erase(m.Tx, int64(p.Logged), location)
	m.settled(p, m.Now)
	barred := &pagerecord.Page{Loaded: pagerecord.Loaded{Location: location, Known: p.Loaded.Known, Tallied: p.Loaded.Tallied}}
	barred.Barred = true
	m.leave(p, m.site.ID(location))
	if p.Public() {
		m.erase(m.site.Keys.Page(location), p, m.site.ID(location))
		barred.Loaded.Tallied = pagerecord.Standing{}
	}
	m.Effects.Erased = true
	m.pages[location] = barred
	m.Save(barred)
	for _, peer := range p.Peers {
		m.removeAlternate(peer.Location, location)
	}
}

// byReading are the extensions for which a page must be read. Alternates are known
// without.
const byReading = sitemap.Images | sitemap.NewsItem | sitemap.Videos

// Extends reports whether the entries are not yet those of the present extensions.
func (site *Site) Extends() bool { return site.Extended != site.Extensions }

// grown reports whether pages are to be read again for an extension.
func (site *Site) grown() bool { return site.Extensions&^site.Extended&byReading != 0 }

// Vouched reports whether something on the site vouches for the page: it is an entry,
// has a route of its own, a listed page links to it, or it was listed before. Any other
// address may be made up by whoever asks for it.
func (site *Site) Vouched(k *Look) bool {
	p := k.Before
	return p.Public() || p.Link || p.Hop > 0 || p.Route || k.Exact || site.Entries[k.Location]
}

// ranked returns the priority that the ranks of all pages give a listed page, and its
// present one where they are not known.
func (site *Site) ranked(p *pagerecord.Page, now time.Time) uint8 {
	if !site.InferPriority || site.Ranks == nil || !p.Listed() {
		return p.Priority
	}
	return priority.Settle(p.Priority, site.Ranks.Of(p.Weight(now)))
}
