package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
)

// credit credits a variant's visit to its canonical page: what speaks for the variant
// speaks for the page, and while both show one text, a change of the one dates the
// other. A page that nobody got under its own location stays unlisted. was is the
// variant's mark before the look, nil if the look was not read.
func (m *Batch) credit(k *Look, variant *Page, was *mark.Mark) {
	if k.Forbids != admit.CanonicalElsewhere && k.Forbids != admit.QueryNotCanonical {
		return
	}
	p, _ := m.Load(k.Canonical)
	changed := !p.Public() && m.creditEvidence(k, variant, p)
	if at := k.Moment(); p.witnessed && p.content == admit.None && m.follows(p, at) {
		before := p.lastSeen.Second()
		p.lastSeen, changed = at, true
		m.creditContent(k, p, was, before)
	}
	if changed {
		m.Save(p)
	}
}

// creditEvidence passes on what speaks for a variant. A link to it is as good as one to
// the page, since every visitor of the one is told of the other.
func (m *Batch) creditEvidence(k *Look, variant, p *Page) (changed bool) {
	networks := len(p.networks)
	if p.witnessed {
		p.visited(k)
	}
	changed = len(p.networks) != networks
	if (variant.link || variant.hop > 0 || m.site.Entries[k.Location]) && !variant.noFollow {
		changed = m.point(k, p) || !p.link || changed
		p.link = true
	}
	return changed
}

// creditContent dates the page by what the variant shows, if both showed the same text
// before.
func (m *Batch) creditContent(k *Look, p *Page, was *mark.Mark, before moment.Time) {
	if was == nil || !was.Agrees(p.mark) {
		return
	}
	shown := *k.Look
	shown.Server, shown.Own = 0, 0 // the variant's dates are its own
	variant := *k
	variant.Look, variant.Same = &shown, false
	m.outcome(&variant, p, m.compare(&variant, p, before))
}
