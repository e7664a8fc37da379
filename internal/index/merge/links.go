package merge

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// leads reports whether links of the page are evidence, since any visitor can find them. This also holds for pages that
// the site shows to the public but keeps out of search engines: an archive with noindex, a page of a list that names
// the first one as canonical, a list with a query, whose value may look like a secret. An entry always leads, even if
// it says noindex.
func (site *Site) leads(p *pagerecord.Page) bool {
	switch {
	case p.NoFollow:
		return false
	case p.Listed():
		return true
	case !p.Found() && !(strings.Contains(p.Loaded.Location, "?") && p.Led()) && !site.Entries[p.Loaded.Location]:
		return false
	}
	switch p.Reason {
	case eligibility.NoIndex, eligibility.CanonicalElsewhere, eligibility.QueryNotCanonical:
		return p.Verdict == eligibility.Excluded
	case eligibility.Capability:
		return strings.Contains(p.Loaded.Location, "?")
	case eligibility.SoftNotFound: // it may be the last page of a list, which some sites show wherever there is none
		return p.Led()
	}
	return false
}

// Fresh returns the links of a page that were not merged lately; with v.Again, all links. Merged links
// are remembered by their location alone, since all links to a location prove the same.
func (site *Site) Fresh(v *observation.Observation) []observation.Link {
	fresh := make([]observation.Link, 0, len(v.Links))
	for _, ln := range v.Links {
		if ln.Location != v.Location && (v.Again || !site.Followed.Has(xxh3.HashString(ln.Location))) {
			fresh = append(fresh, ln)
		}
	}
	return fresh
}

// Follow merges some links of a page, if its links count, and returns what is left open.
// open is what the links before them left open. Call [Transaction.FollowedAll] after the last.
func (m *Transaction) Follow(v *observation.Observation, links []observation.Link, news News,
	open pagerecord.Openness) pagerecord.Openness {
	m.by = v
	from, _ := m.Load(v.Location)
	if !m.site.leads(from) {
		return open
	}
	u := visited{page: page{m, from}, Observation: v}
	var unheard []string
	for _, ln := range links {
		key := xxh3.HashString(ln.Location)
		if !v.Again && slices.Contains(m.Effects.Followed, key) {
			continue // an earlier page of this transaction has the same link
		}
		left, isNew := u.linked(ln, news)
		if isNew {
			unheard = append(unheard, ln.Location)
		}
		if left == pagerecord.Settled {
			m.Effects.Followed = append(m.Effects.Followed, key)
		}
		open = max(open, left)
	}
	if news == maybeNews && len(unheard) > 0 {
		u.await(unheard, v.Moment().Second())
	}
	return open
}

// FollowedAll notes that all links of a page were merged, and what they left open.
func (m *Transaction) FollowedAll(v *observation.Observation, open pagerecord.Openness) {
	from, _ := m.Load(v.Location)
	if from.BodyHash != v.Hash || !m.site.leads(from) { // one of the page's own links may have replaced it as a duplicate
		return
	}
	from.Open, from.ReadAt = open, v.Moment().Second()
	m.keep(from) // the verdict on the page does not depend on its openness
}

// linked notes that the page links to a location, and returns what is left open. isNew says
// that the location was unknown and the link may be news. If it is, the page is new.
func (u *visited) linked(ln observation.Link, news News) (open pagerecord.Openness, isNew bool) {
	to, known := u.Load(ln.Location)
	switch {
	case to.Listed() && to.Reason == eligibility.BySitemap: // it is no orphan
		to.Link, to.Standing = true, eligibility.ByLink.Standing()
		u.Save(to)
		return pagerecord.Settled, false
	case to.Public() || to.Found(): // it needs no other link
	case !u.Explored && u.Echo.Repeats(ln.Location):
		return pagerecord.Unproven, false
	case !u.decides() && !to.Link:
		u.look(u.Location) // once the site itself gets the link too, what it leads to counts as new since this visit
		return pagerecord.Unproven, news == maybeNews && ln.Main && !known
	}
	isNew = news != NoNews && ln.Main && !known
	changed := u.point(to)
	if !to.Link || !to.Witnessed {
		u.due(ln.Location) // it must still be read in full
		u.Effects.Linked = append(u.Effects.Linked, ln.Location)
	}
	if !to.Link {
		to.Link, changed = true, true
		if isNew && news == sureNews {
			to.Dates.Announce(u.Moment())
		}
	}
	if changed {
		u.Save(to)
	}
	return to.LeavesOpen(u.Moment()), isNew
}

// point notes that a listed page links to the page, and reports whether that changed the
// record. A page that nobody asks for stays while such links are seen.
func (u *visited) point(to *pagerecord.Page) (changed bool) {
	changed = !to.Public() && to.SawLink(u.Moment())
	if to.Listed() && u.Moment().Sub(to.LastSeen) >= u.site.KeepFor/2 && u.Moment().Sub(to.LinkAt) >= u.site.KeepFor/8 {
		to.LinkAt, changed = u.Moment().Second(), true
	}
	return changed
}

// credit counts the evidence for a variant as evidence for its canonical page too: every visitor of the variant is
// shown that page's location, so a link to the variant is as good as a link to the page. It does not count if the
// request itself named the canonical location, but for the part before its query, which the variant has in any case. A
// variant that names no canonical page counts for the page at its path, without the query, if both show the same, and
// if the site itself got the variant: to a visitor, a page may show a link back to where he came from. The canonical
// page stays unlisted until somebody gets it.
func (u *visited) credit() {
	variant := u.p
	path, _, _ := strings.Cut(u.Location, "?")
	named, forbids := u.Canonical, u.Forbids
	if u.Same { // it was not read again
		named, forbids = u.site.Secret.Unseal(u.Location, variant.Canonical), variant.Content
	}
	to := named
	switch {
	case to == "" && forbids == eligibility.QueryNotCanonical, forbids == eligibility.None && u.OwnQuery:
		to = path
	case to == "", forbids != eligibility.CanonicalElsewhere && forbids != eligibility.QueryNotCanonical: // "" is off the site
		return
	}
	if variant.NoFollow || !variant.Led() && !u.site.Entries[u.Location] ||
		to != path && !u.Explored && u.Echo.Repeats(to) {
		return
	}
	if !u.decides() {
		if p, _ := u.Load(to); !p.Public() && !p.Link {
			u.look(u.Location)
		}
		return
	}
	p, _ := u.Load(to)
	if p.Public() || to != named && (!u.Explored || variant.Showing == 0 || p.Showing != variant.Showing) {
		return
	}
	if changed := u.point(p) || !p.Link; changed {
		p.Link = true
		u.Save(p)
		if location.Sorted(to) == location.Sorted(u.Location) {
			u.look(to) // nobody may ask for the order of parameters that the page prefers
		}
	}
}
