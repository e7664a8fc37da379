package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/pagerecord"
)

// credit credits a variant's visit to its canonical page: what speaks for the variant
// speaks for the page, and while both show one text, a change of the one dates the
// other. A page that nobody got under its own location stays unlisted. was is the
// variant's mark before the look, nil if the look was not read.
func (m *Batch) credit(k *Look, variant *pagerecord.Page, was *mark.Mark) {
	if k.Forbids != admit.CanonicalElsewhere && k.Forbids != admit.QueryNotCanonical {
		return
	}
	p, _ := m.Load(k.Canonical)
	changed := !p.Public() && m.creditEvidence(k, variant, p)
	if at := k.Moment(); p.Witnessed && p.Content == admit.None && m.follows(p, at) {
		p.Loaded.Before = p.LastSeen.Second()
		p.LastSeen, changed = at, true
		m.creditContent(k, p, was)
	}
	if changed {
		m.Save(p)
	}
}

// creditEvidence passes on what speaks for a variant. A link to it is as good as one to
// the page, since every visitor of the one is told of the other.
func (m *Batch) creditEvidence(k *Look, variant, p *pagerecord.Page) (changed bool) {
	networks := len(p.Networks)
	if p.Witnessed {
		p.Visited(k.Look)
	}
	changed = len(p.Networks) != networks
	if (variant.Link || variant.Hop > 0 || m.site.Entries[k.Location]) && !variant.NoFollow {
		changed = m.point(k, p) || !p.Link || changed
		p.Link = true
	}
	return changed
}

// creditContent dates the page by what the variant shows, if both showed the same text
// before.
func (m *Batch) creditContent(k *Look, p *pagerecord.Page, was *mark.Mark) {
	if was == nil || !was.Agrees(p.Mark) {
		return
	}
	shown := *k.Look
	shown.Server, shown.Own = 0, 0 // the variant's dates are its own
	variant := *k
	variant.Look, variant.Same = &shown, false
	m.outcome(&variant, p, m.compare(&variant, p))
}
