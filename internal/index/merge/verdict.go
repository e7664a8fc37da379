package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// verdict decides about a page by its present values.
func (m *Batch) verdict(p *pagerecord.Page) (eligibility.Verdict, eligibility.Reason) {
	location := p.Loaded.Location
	rule, _ := m.site.Rules.Match(location)
	disallowed := m.site.disallowed(location, p)
	if p.Barred && rule.Listing != eligibility.Always && (p.Witnessed || rule.Listing != eligibility.Never && !disallowed) {
		return eligibility.Excluded, eligibility.Forgotten
	}
	if !p.Witnessed {
		return unwitnessed(p, rule.Listing, disallowed)
	}
	content, foreign := p.Content, m.site.ForeignQuery(location)
	if content == eligibility.None && !p.Self && foreign {
		content = eligibility.QueryNotCanonical // the parameter was allowed before
	}
	ev := eligibility.Evidence{
		Entry:  m.site.Entries[location],
		Led:    p.Hop > 0,
		Route:  p.Route,
		Link:   p.Link,
		Before: p.Public(),
		Crowd:  p.Crowd,

		Disallowed: disallowed,
	}
	if !ev.Before {
		m.toEnter(&ev, p)
	}
	return eligibility.Decide(ev, rule.Listing, content, m.site.Networks, foreign)
}

// unwitnessed decides about a page that nobody got at the last request.
func unwitnessed(p *pagerecord.Page, rule eligibility.Listing, disallowed bool) (eligibility.Verdict, eligibility.Reason) {
	switch {
	case rule == eligibility.Never:
		return eligibility.Excluded, eligibility.RuleNever
	case disallowed:
		return eligibility.Excluded, eligibility.Disallowed
	case p.Absent != eligibility.None && p.Public():
		return eligibility.Gone, p.Absent
	case p.Content == eligibility.Private, p.Content == eligibility.NoStore:
		return eligibility.Excluded, p.Content
	case p.Link || p.Hop > 0:
		return eligibility.Waiting, eligibility.NotSeen
	}
	return eligibility.Waiting, eligibility.NoEvidence
}

// toEnter adds the evidence that matters only for a page that was never listed.
func (m *Batch) toEnter(ev *eligibility.Evidence, p *pagerecord.Page) {
	ev.Word, ev.Unprompted = p.Word(), p.Unprompted
	ev.Shown, ev.Shared, ev.Networks = p.Shown, p.Shared, len(p.Networks)
	if p.Group != 0 && (ev.Link || ev.Led || ev.Networks >= m.site.Networks) {
		n := sitewide.ReadSiblings(m.Get(m.site.Keys.Siblings(p.Group)))
		ev.Siblings, ev.Orphans, ev.Grown = n.Linked, n.Orphans, n.GrownOn(p.LastSeen.Day())
	}
}

// count updates the record of the page's siblings. isNew says that the page was never
// listed before.
func (m *Batch) count(p *pagerecord.Page, isNew bool) {
	as := p.CountsAs()
	grows := isNew && as == sitewide.Linked
	if as == p.Loaded.Sibling && !grows {
		return
	}
	key := m.site.Keys.Siblings(p.Group)
	s := sitewide.ReadSiblings(m.Get(key))
	s.Recount(p.Loaded.Sibling, as)
	if grows {
		s.Grow(p.LastSeen.Day())
	}
	p.Loaded.Sibling = as
	m.Put(key, s.Encode())
}
