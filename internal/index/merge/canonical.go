package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// credit counts the evidence for a variant as evidence for its canonical page too. A link
// to the variant is as good as a link to the page, since the variant names the page to
// every visitor, as far as the request did not name that itself. A page that nobody got under its own
// location stays unlisted.
func (u *visited) credit() {
	variant := u.p
	if u.Forbids != eligibility.CanonicalElsewhere && u.Forbids != eligibility.QueryNotCanonical {
		return
	}
	if variant.NoFollow || !variant.Led() && !u.site.Entries[u.Location] || u.Echo.Repeats(u.Canonical) {
		return
	}
	p, _ := u.Load(u.Canonical)
	if p.Public() {
		return
	}
	if changed := u.point(p) || !p.Link; changed {
		p.Link = true
		u.Save(p)
	}
}
