package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/sitewide"
)

// duplicates returns the record of a content.
func (m *Batch) duplicates(showing uint64) sitewide.Duplicates {
	return sitewide.ReadDuplicates(m.Get(m.site.Keys.Duplicates(showing)), m.site.ID)
}

func (m *Batch) putDuplicates(showing uint64, d sitewide.Duplicates) {
	m.Put(m.site.Keys.Duplicates(showing), d.Encode(m.site.ID))
}

// represent decides whether a page that is to be listed stands for all pages that show
// the same. A page that is not to be listed gives its claim up. It returns the page that
// has lost its place by that, nil for none, which is to be saved next.
func (m *Batch) represent(s *Page) (loser *Page) {
	claims := s.Listed() && s.showing != 0
	if s.joined != 0 && (!claims || s.joined != s.showing) {
		m.leave(s, m.site.ID(s.loaded.location))
	}
	if !claims {
		return nil
	}
	location := s.loaded.location
	d := m.duplicates(s.showing)
	s.joined = s.showing
	if sitewide.OwnPage(location) {
		d.Join(m.site.ID(location))
	}
	rival, rivalRank := m.rival(location, d)
	preferred := rival != nil && admit.Prefer(s.claim(), rival.claim())
	verdict, why := admit.Represent(m.rank(s), d.Members(), rivalRank, preferred)
	switch {
	case verdict != admit.Listed:
		s.Verdict, s.Reason = verdict, why
		if d.Listed == location || rival == nil {
			d.Listed = ""
		}
	case rivalRank < int(admit.Vouched):
		d.Listed = location
	}
	m.putDuplicates(s.showing, d)
	if d.Listed == location || why == admit.SoftNotFound {
		return rival
	}
	return nil
}

// rival returns the page that is listed for a content in place of location, nil if
// there is none, and its rank, or -1.
func (m *Batch) rival(location string, d sitewide.Duplicates) (*Page, int) {
	if d.Listed == "" || d.Listed == location {
		return nil, -1
	}
	s, known := m.Load(d.Listed)
	if !known || !s.Listed() {
		return nil, -1
	}
	return s, int(m.rank(s))
}

// establishedAfter is how long a page must have been known to stay listed when others
// come to show the same.
const establishedAfter = day

// rank returns how good a claim a page has to represent its content.
func (m *Batch) rank(s *Page) admit.Rank {
	rule, _ := m.site.Rules.Match(s.loaded.location)
	switch {
	case rule.Listing == admit.Always, m.site.Entries[s.loaded.location], s.hop > 0:
		return admit.Vouched
	case s.self:
		return admit.Canonical
	case s.part != 0 && s.lastSeen.Second().Sub(s.firstSeen) >= establishedAfter:
		return admit.Established
	case s.link:
		return admit.Linked
	}
	return admit.Orphaned
}

// claim returns what a page has to show beside others of its rank.
func (s *Page) claim() admit.Claim {
	return admit.Claim{Location: s.loaded.location, Linked: s.link || s.hop > 0}
}

// leave gives the claim of a page up, whose ID is given. Who else shows the content
// takes its place when it is next looked at.
func (m *Batch) leave(s *Page, id uint64) {
	d := m.duplicates(s.joined)
	d.Leave(id)
	if d.Listed == s.loaded.location {
		d.Listed = ""
	}
	m.putDuplicates(s.joined, d)
	s.joined = 0
}

// Showing is what a page that waits showed: the hash of its content, and the networks
// that got it. ok is false for what counts against no other page.
func (s *Page) Waiting() (showing uint64, networks []uint16, ok bool) {
	return s.showing, s.networks, !s.query && s.content == admit.None
}
