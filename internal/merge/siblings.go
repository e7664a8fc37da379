package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/sitewide"
)

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
