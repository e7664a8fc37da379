package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// credit counts the evidence for a variant as evidence for its canonical page too. A link
// to the variant is as good as a link to the page, since the variant names the page to
// every visitor. A page that nobody got under its own location stays unlisted.
func (m *Batch) credit(k *Look, variant *pagerecord.Page) {
	if k.Forbids != eligibility.CanonicalElsewhere && k.Forbids != eligibility.QueryNotCanonical {
		return
	}
	p, _ := m.Load(k.Canonical)
	if p.Public() {
		return
	}
	networks, changed := len(p.Networks), false
	if p.Witnessed {
		p.Visited(k.Look)
	}
	if (variant.Link || variant.Hop > 0 || m.site.Entries[k.Location]) && !variant.NoFollow {
		changed = m.point(k, p) || !p.Link
		p.Link = true
	}
	if changed || len(p.Networks) != networks {
		m.Save(p)
	}
}
