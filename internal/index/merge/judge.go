package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// Context returns what surrounds the record of a location, without other pages.
func (s *Settings) Context(r *eligibility.Record, obeyed *robots.Obeyed, now moment.Time) eligibility.Context {
	rule, _ := s.Rules.Match(r.Location)
	return eligibility.Context{
		Now: now, Listing: rule.Listing, Entry: s.Entries[r.Location],
		Disallowed: disallowed(r, obeyed),
		OwnQuery:   s.OwnQuery(r.Location),
	}
}

// disallowed reports whether robots.txt disallows a location. While its rules are lost, it still
// disallows what it did.
func disallowed(r *eligibility.Record, obeyed *robots.Obeyed) bool {
	return !obeyed.Allows(r.Location) || !r.Public && !obeyed.AllowsNew(r.Location) ||
		r.Reason == eligibility.Disallowed && obeyed != nil && obeyed.Lost
}

// judge gives the page the verdict that follows from its present values. It returns the page whose
// verdict depends on this one and must be judged next, nil for none.
func (g page) judge() (next *pagerecord.Page) {
	next = g.judgeContent()
	g.standForFolder()
	first := g.standForAllOrders()
	if first == nil {
		return next
	}
	if next != nil && next != first {
		g.Save(next)
	}
	return first
}

// standForFolder takes the page, such as /blog/index.php, out while its folder is listed and shows much of the same:
// both may have something of each visit. It stays if the owner or the page itself names it.
func (g page) standForFolder() {
	p := g.p
	folder := location.Folder(p.Loaded.Location)
	if folder == "" || !p.Listed() {
		return
	}
	r, rival := p.Judged(), g.rival(p.Loaded.Location, sitewide.Duplicates{Listed: folder})
	named := r.Claim(g.site.Context(&r, g.site.Robots, g.moment())).Rank >= eligibility.Canonical
	if rival != nil && !named && p.Mark.Resembles(rival.Mark) {
		p.Standing = eligibility.Duplicate.Standing()
		g.leave(g.site.ID(r.Location))
	}
}

// standForAllOrders decides between the page and a listed one whose address has the same parameters in another order.
// It treats them as copies: a site that links by both orders has one page, even if the two texts differ at each visit.
// It returns the other page if that must be judged next.
func (g page) standForAllOrders() (rival *pagerecord.Page) {
	p := g.p
	key := g.site.Keys.Order(p.Loaded.Location)
	if key == "" {
		return nil
	}
	first := string(g.Get(key))
	if !p.Listed() {
		if first == p.Loaded.Location {
			g.Put(key, nil)
		}
		return nil
	}
	if keys.IsLocation(first) {
		rival = g.rival(p.Loaded.Location, sitewide.Duplicates{Listed: first})
	}
	if rival != nil {
		r := p.Judged()
		c := g.site.Context(&r, g.site.Robots, g.moment())
		c.Copies = g.copies(rival, 2, p.Showing)
		if s, _ := eligibility.Decide(r, c); !s.Listed() {
			p.Standing = s
			g.leave(g.site.ID(p.Loaded.Location))
			return nil
		}
		if c.Copies.Listed.Rank >= eligibility.Trusted { // the owner wants both
			return nil
		}
	}
	if first != p.Loaded.Location {
		g.Put(key, []byte(p.Loaded.Location))
	}
	return rival
}

// judgeContent is judge for a page as its record describes it.
func (g page) judgeContent() (next *pagerecord.Page) {
	p := g.p
	r := p.Judged()
	c := g.site.Context(&r, g.site.Robots, g.moment())
	c.Full = !g.by.Explored && !g.site.Growth.allows(g.site.Listed, g.Now)
	claims := r.MayClaim(c)
	if claims && !r.Public {
		p.Barred = p.Barred || g.Get(g.site.Keys.Bar(r.Location)) != nil
		r.Barred = p.Barred
	}
	if !claims || p.Showing == 0 {
		p.Standing, _ = eligibility.Decide(r, c)
		g.leave(g.site.ID(r.Location))
		return nil
	}
	return g.judgeAmongCopies(r, c)
}

// judgeAmongCopies is judge for a page whose content others may show too.
func (g page) judgeAmongCopies(r eligibility.Record, c eligibility.Context) (next *pagerecord.Page) {
	p := g.p
	id, d := g.site.ID(r.Location), g.duplicates(p.Showing)
	if sitewide.OwnPage(r.Location) {
		d.Join(id)
	}
	rival := g.rival(r.Location, d)
	c.Copies = g.copies(rival, d.Members(), p.Showing)
	c.Copies.Borrowed = d.BorrowedBeside(id)
	var claims bool
	if p.Standing, claims = eligibility.Decide(r, c); !claims || p.Loaded.Joined != p.Showing {
		g.leave(id)
	}
	if !claims {
		return nil
	}
	p.Loaded.Joined = p.Showing
	switch {
	case p.Listed() && (rival == nil || c.Copies.Listed.Rank < eligibility.Trusted):
		d.Listed = r.Location
	case !p.Listed() && (rival == nil || d.Listed == r.Location):
		d.Listed = ""
	}
	g.putDuplicates(p.Showing, d)
	if d.Listed == r.Location || p.Reason == eligibility.SoftNotFound {
		return rival
	}
	return nil
}

// copies returns what the verdict needs to know of other pages with one content.
func (g page) copies(rival *pagerecord.Page, members int, showing uint64) eligibility.Copies {
	c := eligibility.Copies{Showing: members, Nowhere: showing == g.site.showing(observation.Nothing)}
	if rival != nil {
		other := rival.Judged()
		claim := other.Claim(g.site.Context(&other, g.site.Robots, g.moment()))
		c.Listed = &claim
	}
	return c
}

// duplicates returns the record of the pages that show a content.
func (m *Transaction) duplicates(showing uint64) sitewide.Duplicates {
	return sitewide.ReadDuplicates(m.Get(m.site.Keys.Duplicates(showing)), m.site.ID)
}

func (m *Transaction) putDuplicates(showing uint64, d sitewide.Duplicates) {
	m.Put(m.site.Keys.Duplicates(showing), d.Encode(m.site.ID))
}

// rival returns the other page that is listed with a content, nil if there is none. A page that the site itself no
// longer gets, as after it was renamed, does not count.
func (m *Transaction) rival(loc string, d sitewide.Duplicates) *pagerecord.Page {
	if d.Listed == "" || d.Listed == loc {
		return nil
	}
	if p, known := m.Load(d.Listed); known && p.Listed() && !p.Looked {
		return p
	}
	return nil
}

// leave takes the page, with its ID, out of its duplicates. If it represented them, the next
// of them that gets a visit takes its place.
func (g page) leave(id uint64) {
	p := g.p
	if p.Loaded.Joined == 0 {
		return
	}
	d := g.duplicates(p.Loaded.Joined)
	stood, members := d.Listed != "" && d.Listed == p.Loaded.Location, d.Members()
	if d.Leave(id); stood {
		d.Listed = ""
	}
	if stood || d.Members() < members { // most pages that are not listed are no members
		g.putDuplicates(p.Loaded.Joined, d)
	}
	p.Loaded.Joined = 0
}
