package merge

import (
	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// leads reports whether links of the page are evidence: any visitor can find them. So they are on a
// page that the site shows to the public and keeps out of search engines itself: an archive with
// noindex, a page of a list that names the first one as canonical, a list with a query. An entry leads
// whatever it says about itself.
func (site *Site) leads(p *pagerecord.Page) bool {
	switch {
	case p.NoFollow:
		return false
	case p.Listed():
		return true
	case p.Verdict != eligibility.Excluded || !p.Found() && !site.Entries[p.Loaded.Location]:
		return false
	}
	switch p.Reason {
	case eligibility.NoIndex, eligibility.CanonicalElsewhere, eligibility.QueryNotCanonical:
		return true
	}
	return false
}

// Fresh returns the links of a page that were not merged lately; with v.Again, all links. Merged links
// are remembered by their location alone, since all links to a location prove the same.
func (site *Site) Fresh(v *Visit) []string {
	fresh := make([]string, 0, len(v.Links))
	for _, to := range v.Links {
		if to != v.Location && (v.Again || !site.Followed.Has(xxh3.HashString(to))) {
			fresh = append(fresh, to)
		}
	}
	return fresh
}

// Follow merges some links of a page, if its links count, and returns what is left open.
// open is what the links before them left open. Call [Transaction.FollowedAll] after the last.
func (m *Transaction) Follow(v *Visit, links []string, open pagerecord.Openness) pagerecord.Openness {
	m.by = v.Exchange
	from, _ := m.Load(v.Location)
	if !m.site.leads(from) {
		return open
	}
	u := visited{page{m, from}, v}
	for _, to := range links {
		left := u.linked(to)
		if left == pagerecord.Settled {
			m.Effects.Followed = append(m.Effects.Followed, xxh3.HashString(to))
		}
		open = max(open, left)
	}
	return open
}

// FollowedAll notes that all links of a page were merged, and what they left open.
func (m *Transaction) FollowedAll(v *Visit, open pagerecord.Openness) {
	from, _ := m.Load(v.Location)
	if from.BodyHash != v.Hash || !m.site.leads(from) { // one of its links may have replaced it as a duplicate
		return
	}
	from.Read, from.Open, from.ReadAt, from.ReadNet = true, open, v.Moment().Second(), 0
	if open != pagerecord.Settled {
		from.ReadNet = v.Net
	}
	m.Save(from)
}

// linked notes that the page links to a location, and returns what is left open.
func (u *visited) linked(location string) pagerecord.Openness {
	to, _ := u.Load(location)
	if u.Echo.Repeats(location) {
		if to.Public() || to.Found() {
			return pagerecord.Settled // it needs no other link
		}
		return pagerecord.Unproven
	}
	changed := u.point(to)
	if !to.Link || !to.Witnessed {
		u.due(location) // it must still be read in full
	}
	if !to.Link {
		to.Link, changed = true, true
	}
	if changed {
		u.Save(to)
	}
	return to.LeavesOpen(u.Moment())
}

// point notes that a listed page links to the page, and reports whether that changed the
// record. A page that nobody asks for stays while such links are seen.
func (u *visited) point(to *pagerecord.Page) (changed bool) {
	changed = to.LinkedFrom(u.Moment(), u.Net)
	if to.Listed() && u.site.fades(to, u.Moment()) && u.Moment().Sub(to.LinkSeen) >= u.site.KeepFor/8 {
		to.LinkSeen, changed = u.Moment().Second(), true
	}
	if !to.Unprompted && !to.Public() && to.Word() == eligibility.Risky && u.unprompted() {
		to.Unprompted, changed = true, true
	}
	return changed
}

// unprompted reports whether the request named only public pages. Then no link can be
// there because this visitor asked for it.
func (u *visited) unprompted() bool {
	switch from := u.Echo.From; {
	case u.Echo.Prompted:
		return false
	case from == "" || u.site.Entries[from]:
		return true
	default:
		p, _ := u.Load(from)
		return p.Listed()
	}
}
