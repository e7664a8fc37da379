package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// duplicates returns the record of the pages that show a content.
func (m *Batch) duplicates(showing uint64) sitewide.Duplicates {
	return sitewide.ReadDuplicates(m.Get(m.site.Keys.Duplicates(showing)), m.site.ID)
}

func (m *Batch) putDuplicates(showing uint64, d sitewide.Duplicates) {
	m.Put(m.site.Keys.Duplicates(showing), d.Encode(m.site.ID))
}

// represent decides whether a page that should be listed represents all pages with the
// same content. A page that should not be listed leaves the duplicates. It returns the
// page that lost its place to this one and must be saved next, nil for none.
func (m *Batch) represent(p *pagerecord.Page) (loser *pagerecord.Page) {
	claims := p.Listed() && p.Showing != 0
	if !claims || p.Joined != p.Showing {
		m.leave(p, m.site.ID(p.Loaded.Location))
	}
	if !claims {
		return nil
	}
	location := p.Loaded.Location
	d := m.duplicates(p.Showing)
	p.Joined = p.Showing
	if sitewide.OwnPage(location) {
		d.Join(m.site.ID(location))
	}
	rival, rivalRank := m.rival(location, d)
	preferred := rival != nil && eligibility.Prefer(claim(p), claim(rival))
	verdict, why := eligibility.Represent(m.rank(p), d.Members(), rivalRank, preferred)
	switch {
	case verdict != eligibility.Listed:
		p.Verdict, p.Reason = verdict, why
		if d.Listed == location || rival == nil {
			d.Listed = ""
		}
	case rivalRank < int(eligibility.Vouched):
		d.Listed = location
	}
	m.putDuplicates(p.Showing, d)
	if d.Listed == location || why == eligibility.SoftNotFound {
		return rival
	}
	return nil
}

// rival returns the page that now represents the content, and its rank. It returns nil
// and -1 if there is none, or if it is location itself.
func (m *Batch) rival(location string, d sitewide.Duplicates) (*pagerecord.Page, int) {
	if d.Listed == "" || d.Listed == location {
		return nil, -1
	}
	p, known := m.Load(d.Listed)
	if !known || !p.Listed() {
		return nil, -1
	}
	return p, int(m.rank(p))
}

// establishedAfter is how old a page must be to stay listed when another page begins to
// show the same content.
const establishedAfter = day

// rank returns how good a claim a page has to represent its content.
func (m *Batch) rank(p *pagerecord.Page) eligibility.Rank {
	rule, _ := m.site.Rules.Match(p.Loaded.Location)
	switch {
	case rule.Listing == eligibility.Always, m.site.Entries[p.Loaded.Location], p.Hop > 0:
		return eligibility.Vouched
	case p.Self:
		return eligibility.Canonical
	case p.Part != 0 && p.LastSeen.Second().Sub(p.FirstSeen) >= establishedAfter:
		return eligibility.Established
	case p.Link:
		return eligibility.Linked
	}
	return eligibility.Orphaned
}

// claim returns what decides between pages of the same rank.
func claim(p *pagerecord.Page) eligibility.Claim {
	return eligibility.Claim{Location: p.Loaded.Location, Linked: p.Link || p.Hop > 0}
}

// leave takes a page, with its ID, out of its duplicates. If it represented them, the next
// of them that gets a look takes its place.
func (m *Batch) leave(p *pagerecord.Page, id uint64) {
	if p.Joined == 0 {
		return
	}
	d := m.duplicates(p.Joined)
	d.Leave(id)
	if d.Listed == p.Loaded.Location {
		d.Listed = ""
	}
	m.putDuplicates(p.Joined, d)
	p.Joined = 0
}
