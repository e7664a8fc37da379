package merge

import (
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// credit counts the evidence for a variant as evidence for its canonical page too. A link
// to the variant is as good as a link to the page, since the variant names the page to
// every visitor, as far as the request did not name that itself: what a link names before its query
// is there without the request. The page without a query is meant too where that shows the same, and the site itself follows the link:
// to a visitor, a page may show a link back to where the visitor came from.
// A page that nobody got under its own location stays unlisted.
func (u *visited) credit() {
	variant := u.p
	path, _, _ := strings.Cut(u.Location, "?")
	to := u.Canonical
	switch {
	case to == "" && u.Forbids == eligibility.QueryNotCanonical, u.Forbids == eligibility.None && u.OwnQuery:
		to = path
	case u.Forbids != eligibility.CanonicalElsewhere && u.Forbids != eligibility.QueryNotCanonical:
		return
	}
	if variant.NoFollow || !variant.Led() && !u.site.Entries[u.Location] || to != path && u.Echo.Repeats(to) {
		return
	}
	p, _ := u.Load(to)
	if p.Public() || to != u.Canonical && (!u.Explored || variant.Showing == 0 || p.Showing != variant.Showing) {
		return
	}
	if changed := u.point(p) || !p.Link; changed {
		p.Link = true
		u.Save(p)
	}
}
