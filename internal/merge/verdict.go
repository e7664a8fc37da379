package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/sitewide"
)

// verdict decides on a page as it is now.
func (m *Batch) verdict(p *Page) (admit.Verdict, admit.Reason) {
	location := p.loaded.location
	rule, _ := m.site.Rules.Match(location)
	disallowed := m.site.disallowed(location, p)
	if p.barred && rule.Listing != admit.Always && (p.witnessed || rule.Listing != admit.Never && !disallowed) {
		return admit.Excluded, admit.Forgotten
	}
	if !p.witnessed {
		return p.unwitnessed(rule.Listing, disallowed)
	}
	content := p.content
	if content == admit.None && !p.self && m.site.ForeignQuery(location) {
		content = admit.QueryNotCanonical // it was allowed once
	}
	ev := admit.Evidence{
		Entry:  m.site.Entries[location],
		Led:    p.hop > 0,
		Route:  p.route,
		Link:   p.link,
		Before: p.Public(),
		Crowd:  p.crowd,

		Disallowed: disallowed,
	}
	if !ev.Before {
		m.toEnter(&ev, p)
	}
	return admit.Decide(ev, rule.Listing, content, m.site.Networks, p.ownURL)
}

// unwitnessed is the verdict on a page that was not there when it was last asked for.
func (p *Page) unwitnessed(rule admit.Listing, disallowed bool) (admit.Verdict, admit.Reason) {
	switch {
	case rule == admit.Never:
		return admit.Excluded, admit.RuleNever
	case disallowed:
		return admit.Excluded, admit.Disallowed
	case p.absent != admit.None && p.Public():
		return admit.Gone, p.absent
	case p.content == admit.Private, p.content == admit.NoStore:
		return admit.Excluded, p.content
	case p.link || p.hop > 0:
		return admit.Waiting, admit.NotSeen
	}
	return admit.Waiting, admit.NoEvidence
}

// toEnter fills in what matters only of a page that has never been listed.
func (m *Batch) toEnter(ev *admit.Evidence, p *Page) {
	ev.Word, ev.Unprompted = p.word(), p.unprompted
	ev.Shown, ev.Shared, ev.Networks = p.shown, p.shared, len(p.networks)
	if p.group != 0 && (ev.Link || ev.Led || ev.Networks >= m.site.Networks) {
		n := sitewide.ReadSiblings(m.Get(m.site.Keys.Siblings(p.group)))
		ev.Siblings, ev.Orphans, ev.Grown = n.Linked, n.Orphans, n.GrownOn(p.lastSeen.Day())
	}
}

// sibling returns how the page counts among its siblings, as it is now.
func (p *Page) sibling() sitewide.Sibling {
	switch {
	case !p.Listed() || p.group == 0:
		return sitewide.Uncounted
	case p.link:
		return sitewide.Linked
	case p.Reason == admit.ByNetworks, p.Reason == admit.ByHistory:
		return sitewide.Orphan
	}
	return sitewide.Uncounted
}

// count brings the record of the page's siblings in line with the page. isNew says that
// the page was never listed before.
func (m *Batch) count(p *Page, isNew bool) {
	as := p.sibling()
	grows := isNew && as == sitewide.Linked
	if as == p.loaded.sibling && !grows {
		return
	}
	key := m.site.Keys.Siblings(p.group)
	s := sitewide.ReadSiblings(m.Get(key))
	s.Recount(p.loaded.sibling, as)
	if grows {
		s.Grow(p.lastSeen.Day())
	}
	p.loaded.sibling = as
	m.Put(key, s.Encode())
}
