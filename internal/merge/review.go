package merge

import (
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/sitemap"
)

// Outdated reports whether a review has to change the record of a page that is or was
// listed.
func (site *Site) Outdated(location string, p *Page, now time.Time) bool {
	switch {
	case site.expired(p, moment.Of(now)), p.Listed() && (p.ended(now) || site.Over[p.part] || site.Thin[p.part]):
		return true
	case p.Listed() && (site.Extends() || site.ranked(p, now) != p.priority):
		return true
	case !p.Public():
		return false
	}
	// Of a page that was listed the verdict needs nothing but its own record.
	p.loaded.location = location
	verdict, why := (&Batch{site: site}).verdict(p)
	if p.Reason == admit.Duplicate || p.Reason == admit.SoftNotFound {
		return verdict != admit.Listed
	}
	return verdict != p.Verdict || verdict != admit.Listed && why != p.Reason
}

// expired reports whether a page was not seen for so long that it is not kept.
func (site *Site) expired(p *Page, now moment.Time) bool {
	return p.lastSeen != 0 && now.Sub(p.lastSeen) >= site.KeepFor && site.Activity.Enough(p.lastSeen)
}

// Expendable reports whether a location that waits was not seen for so long that its
// record may go.
func (site *Site) Expendable(p *Page, now time.Time) bool {
	return !p.barred && !p.link && site.expired(p, moment.Of(now))
}

// Review decides anew on a page that is or was listed. One that was not seen for long
// leaves; one that had left by then is forgotten.
func (m *Batch) Review(location string) {
	p, known := m.Load(location)
	switch {
	case !known || !p.Public():
	case !m.site.expired(p, m.moment()):
		p.end(m.Now)
		p.priority = m.site.ranked(p, m.Now)
		p.read = p.read && !m.site.grown()
		m.Save(p)
		if p.Listed() && p.loaded.listed && (m.site.Thin[p.part] || m.site.Book.Over(m.Tx, p.part)) {
			m.move(p)
		}
	case p.Listed():
		p.witnessed, p.absent = false, admit.Unseen
		m.trustAgain(p)
		m.Save(p)
	case !p.barred && m.moment().Sub(p.lastSeen) >= 2*m.site.KeepFor:
		m.site.Journal.Erase(m.Tx, int64(p.logged), location)
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
	p, err := Decode(b)
	if err != nil {
		m.Put(key, nil)
		m.Effects.Erased = true
		return
	}
	m.erase(key, p, secret.ID(strings.TrimPrefix(key, m.site.Keys.Waits())))
}

// erase removes a record, and what it says of the page elsewhere. id is that of the
// location, which need not be known.
func (m *Batch) erase(key string, p *Page, id uint64) {
	m.Put(key, nil)
	m.Effects.Erased = true
	if p.joined != 0 {
		m.leave(p, id)
	}
	m.tally(key, p, Standing{})
}

// Forget erases what is known of a location and bars it. What is left names nothing.
func (m *Batch) Forget(location string) {
	p, _ := m.Load(location)
	if p.loaded.listed {
		p.Standing = Standing{admit.Excluded, admit.Forgotten}
		m.unlist(p)
		m.count(p, false)
	}
	m.Put(m.site.Keys.Lost(location), nil)
	m.site.Journal.Erase(m.Tx, int64(p.logged), location)
	m.settled(p, m.Now)
	barred := &Page{loaded: loaded{location: location, known: p.loaded.known, tallied: p.loaded.tallied}}
	barred.barred = true
	if page := m.site.Keys.Page(location); p.Public() {
		m.erase(page, p, m.site.ID(location))
		barred.loaded.tallied = Standing{}
	} else if p.joined != 0 {
		m.leave(p, m.site.ID(location))
	}
	m.Effects.Erased = true
	m.pages[location] = barred
	m.Save(barred)
	for _, peer := range p.peers {
		m.removeAlternate(peer.Location, location)
	}
}

// worthForever is the worth of a record that is never dropped.
const worthForever = 4

// worth ranks a location that waits by what would be lost with its record.
func (p *Page) worth() uint8 {
	switch {
	case p.barred:
		return worthForever
	case p.link && p.witnessed:
		return 3
	case p.link:
		return 2
	case p.witnessed && p.content == admit.None && len(p.networks) > 1:
		return 1
	}
	return 0
}

// rankShift is where the worth stands in a rank, above the time of the last look, or
// link, in milliseconds.
const rankShift = 56

// Rank returns where a record that waits stands in the order in which they go when there
// are too many. One that cannot be read goes first. keep says that it never goes.
func Rank(value []byte) (rank uint64, keep bool) {
	p, err := Decode(value)
	if err != nil {
		return 0, false
	}
	return uint64(p.worth())<<rankShift | uint64(max(0, p.lastSeen, p.linkAt)), p.worth() == worthForever
}

// byReading are the extensions that take a reading of the page; alternates are known in
// any case.
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
	return p.Public() || p.link || p.hop > 0 || p.route || k.Exact || site.Entries[k.Location]
}

// Weight returns what a listed page weighs among the others.
func (p *Page) Weight(now time.Time) priority.Weight {
	return priority.Weigh(p.inbound, p.looks, moment.Of(now).Sub(p.firstSeen))
}

// ranked returns the priority that the ranks of all pages give a listed page. Without
// them it stays as it is.
func (site *Site) ranked(p *Page, now time.Time) uint8 {
	if !site.InferPriority || site.Ranks == nil || !p.Listed() {
		return p.priority
	}
	return priority.Settle(p.priority, site.Ranks.Of(p.Weight(now)))
}
