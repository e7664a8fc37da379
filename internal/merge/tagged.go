package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
)

// A tagged look is one at a target with tracking parameters, as links in
// campaigns have. The site may answer it with anything: a landing page, a
// redirect, or, as some of these parameters name the visitor, what is for him
// alone. So it is evidence for the page, and shows that it is there; it never
// takes the page out, dates it or moves it, its links count for nothing, and what
// it shows is not remembered.

// tagged merges a tagged look at a page that does not forbid its listing.
func (m *Batch) tagged(k *Look, p *Page) {
	if k.Forbids != admit.None || !k.Parsed && !k.Same {
		return
	}
	switch {
	case p.witnessed && p.content == admit.None:
	case p.unasked():
		p.witnessed, p.status = true, k.Response.Status
		p.firstSeen, p.lastSeen = k.Moment().Second(), k.Moment()
		p.ownURL, p.self, p.noFollow, p.until = k.OwnURL, k.Canonized, k.NoFollow, k.Until
	default:
		return // the page itself was seen to be gone, or not to be listed
	}
	if p.looks == 0 {
		p.shared = p.shared || k.Shared // until it is known what the page itself shows
	}
	p.witnessedBy(k)
	if m.site.fades(p, k.Moment()) {
		p.lastSeen = k.Moment()
	}
	m.Save(p)
}

// WantsTagged reports whether a tagged look may teach anything, so that the page is worth
// reading to see that it does not forbid its listing.
func (site *Site) WantsTagged(k *look.Look, before *Page) bool {
	if !before.witnessed || before.content != admit.None {
		return before.unasked()
	}
	return !before.Public() || site.fades(before, k.Moment())
}
