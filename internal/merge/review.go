package merge

import (
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/sitemap"
)

// Outdated reports whether a review has to change the record of a page that is or was
// listed.
func (site *Site) Outdated(location string, s *Page, now time.Time) bool {
	switch {
	case site.expired(s, moment.Of(now)), s.Listed() && (s.ended(now) || site.Over[s.part] || site.Thin[s.part]):
		return true
	case s.Listed() && (site.Extends() || site.ranked(s, now) != s.priority):
		return true
	case !s.Public():
		return false
	}
	// Of a page that was listed the verdict needs nothing but its own record.
	s.loaded.location = location
	verdict, why := (&Batch{site: site}).verdict(s)
	if s.Reason == admit.Duplicate || s.Reason == admit.SoftNotFound {
		return verdict != admit.Listed
	}
	return verdict != s.Verdict || verdict != admit.Listed && why != s.Reason
}

// Expendable reports whether a location that waits was not seen for so long that its
// record may go.
func (site *Site) Expendable(s *Page, now time.Time) bool {
	return !s.barred && !s.link && site.expired(s, moment.Of(now))
}

// Review decides anew on a page that is or was listed. One that was not seen for long
// leaves; one that had left by then is forgotten.
func (m *Batch) Review(location string) {
	s, known := m.Load(location)
	switch {
	case !known || !s.Public():
	case !m.site.expired(s, m.moment()):
		s.end(m.Now)
		s.priority = m.site.ranked(s, m.Now)
		s.read = s.read && !m.site.grown()
		m.Save(s)
		if s.Listed() && s.loaded.listed && (m.site.Thin[s.part] || m.site.Book.Over(m.Tx, s.part)) {
			m.move(s)
		}
	case s.Listed():
		s.witnessed, s.absent = false, admit.Unseen
		m.trustAgain(s)
		m.Save(s)
	case !s.barred && m.moment().Sub(s.lastSeen) >= 2*m.site.KeepFor:
		m.site.Journal.Erase(m.Tx, int64(s.logged), location)
		m.trustAgain(s)
		m.erase(m.site.Keys.Page(location), s, m.site.ID(location))
	}
}

// Drop erases the record of a location that waits, by its key.
func (m *Batch) Drop(key string) {
	b := m.Get(key)
	if b == nil {
		return
	}
	m.Effects.Waiting--
	s, err := Decode(b)
	if err != nil {
		m.Put(key, nil)
		m.Effects.Erased = true
		return
	}
	m.erase(key, s, secret.ID(strings.TrimPrefix(key, m.site.Keys.Waits())))
}

// erase removes a record, and what it says of the page elsewhere. id is that of the
// location, which need not be known.
func (m *Batch) erase(key string, s *Page, id uint64) {
	m.Put(key, nil)
	m.Effects.Erased = true
	if s.joined != 0 {
		m.leave(s, id)
	}
	m.tally(key, s, Standing{})
}

// Forget erases what is known of a location and bars it. What is left names nothing.
func (m *Batch) Forget(location string) {
	s, _ := m.Load(location)
	if s.loaded.listed {
		s.Standing = Standing{admit.Excluded, admit.Forgotten}
		m.unlist(s)
		m.count(s, false)
	}
	m.Put(m.site.Keys.Lost(location), nil)
	m.site.Journal.Erase(m.Tx, int64(s.logged), location)
	m.settled(s, m.Now)
	barred := &Page{loaded: loaded{location: location, known: s.loaded.known, tallied: s.loaded.tallied}}
	barred.barred = true
	if page := m.site.Keys.Page(location); s.Public() {
		m.erase(page, s, m.site.ID(location))
		barred.loaded.tallied = Standing{}
	} else if s.joined != 0 {
		m.leave(s, m.site.ID(location))
	}
	m.Effects.Erased = true
	m.pages[location] = barred
	m.Save(barred)
	for _, p := range s.peers {
		m.removeAlternate(p.Location, location)
	}
}

// worthForever is the worth of a record that is never dropped.
const worthForever = 4

// worth ranks a location that waits by what would be lost with its record.
func (s *Page) worth() uint8 {
	switch {
	case s.barred:
		return worthForever
	case s.link && s.witnessed:
		return 3
	case s.link:
		return 2
	case s.witnessed && s.content == admit.None && len(s.networks) > 1:
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
	s, err := Decode(value)
	if err != nil {
		return 0, false
	}
	return uint64(s.worth())<<rankShift | uint64(max(0, s.lastSeen, s.linkAt)), s.worth() == worthForever
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
	s := k.Before
	return s.Public() || s.link || s.hop > 0 || s.route || k.Exact || site.Entries[k.Location]
}
