package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/sitewide"
)

// verdict decides about a page by its present values.
func (m *Batch) verdict(p *pagerecord.Page) (admit.Verdict, admit.Reason) {
	location := p.Loaded.Location
	rule, _ := m.site.Rules.Match(location)
	disallowed := m.site.disallowed(location, p)
	if p.Barred && rule.Listing != admit.Always && (p.Witnessed || rule.Listing != admit.Never && !disallowed) {
		return admit.Excluded, admit.Forgotten
	}
	if !p.Witnessed {
		return unwitnessed(p, rule.Listing, disallowed)
	}
	content, foreign := p.Content, m.site.ForeignQuery(location)
	if content == admit.None && !p.Self && foreign {
		content = admit.QueryNotCanonical // the parameter was allowed before
	}
	ev := admit.Evidence{
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
	return admit.Decide(ev, rule.Listing, content, m.site.Networks, foreign)
}

// unwitnessed decides about a page that nobody got at the last request.
func unwitnessed(p *pagerecord.Page, rule admit.Listing, disallowed bool) (admit.Verdict, admit.Reason) {
	switch {
	case rule == admit.Never:
		return admit.Excluded, admit.RuleNever
	case disallowed:
		return admit.Excluded, admit.Disallowed
	case p.Absent != admit.None && p.Public():
		return admit.Gone, p.Absent
	case p.Content == admit.Private, p.Content == admit.NoStore:
		return admit.Excluded, p.Content
	case p.Link || p.Hop > 0:
		return admit.Waiting, admit.NotSeen
	}
	return admit.Waiting, admit.NoEvidence
}

// toEnter adds the evidence that matters only for a page that was never listed.
func (m *Batch) toEnter(ev *admit.Evidence, p *pagerecord.Page) {
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
