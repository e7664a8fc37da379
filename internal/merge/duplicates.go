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
func (m *Batch) represent(p *Page) (loser *Page) {
	claims := p.Listed() && p.showing != 0
	if p.joined != 0 && (!claims || p.joined != p.showing) {
		m.leave(p, m.site.ID(p.loaded.location))
	}
	if !claims {
		return nil
	}
	location := p.loaded.location
	d := m.duplicates(p.showing)
	p.joined = p.showing
	if sitewide.OwnPage(location) {
		d.Join(m.site.ID(location))
	}
	rival, rivalRank := m.rival(location, d)
	preferred := rival != nil && admit.Prefer(p.claim(), rival.claim())
	verdict, why := admit.Represent(m.rank(p), d.Members(), rivalRank, preferred)
	switch {
	case verdict != admit.Listed:
		p.Verdict, p.Reason = verdict, why
		if d.Listed == location || rival == nil {
			d.Listed = ""
		}
	case rivalRank < int(admit.Vouched):
		d.Listed = location
	}
	m.putDuplicates(p.showing, d)
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
	p, known := m.Load(d.Listed)
	if !known || !p.Listed() {
		return nil, -1
	}
	return p, int(m.rank(p))
}

// establishedAfter is how long a page must have been known to stay listed when others
// come to show the same.
const establishedAfter = day

// rank returns how good a claim a page has to represent its content.
func (m *Batch) rank(p *Page) admit.Rank {
	rule, _ := m.site.Rules.Match(p.loaded.location)
	switch {
	case rule.Listing == admit.Always, m.site.Entries[p.loaded.location], p.hop > 0:
		return admit.Vouched
	case p.self:
		return admit.Canonical
	case p.part != 0 && p.lastSeen.Second().Sub(p.firstSeen) >= establishedAfter:
		return admit.Established
	case p.link:
		return admit.Linked
	}
	return admit.Orphaned
}

// claim returns what a page has to show beside others of its rank.
func (p *Page) claim() admit.Claim {
	return admit.Claim{Location: p.loaded.location, Linked: p.link || p.hop > 0}
}

// leave gives the claim of a page up, whose ID is given. Who else shows the content
// takes its place when it is next looked at.
func (m *Batch) leave(p *Page, id uint64) {
	d := m.duplicates(p.joined)
	d.Leave(id)
	if d.Listed == p.loaded.location {
		d.Listed = ""
	}
	m.putDuplicates(p.joined, d)
	p.joined = 0
}

// Showing is what a page that waits showed: the hash of its content, and the networks
// that got it. ok is false for what counts against no other page.
func (p *Page) Waiting() (showing uint64, networks []uint16, ok bool) {
	return p.showing, p.networks, !p.query && p.content == admit.None
}
