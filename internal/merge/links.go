package merge

import (
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/priority"
)

// reopens reports whether the page is to be read again though k shows the same bytes as
// the last look: for what is open, and now and then in any case, since what is known of
// the locations it links to is not kept for ever.
func (site *Site) reopens(k *look.Look, p *pagerecord.Page) bool {
	age := k.Moment().Sub(p.ReadAt)
	switch {
	case p.Open == pagerecord.Settled:
		return age >= site.KeepFor/2
	case p.Open == pagerecord.Unproven && k.Net != 0 && k.Net != p.ReadNet:
		return true
	}
	return age >= pagerecord.ShownAfter
}

// leads reports whether what the page links to is public: any visitor finds it. An
// archive that asks not to be listed itself still leads to its pages, and an entry leads
// on whatever it says of itself.
func (site *Site) leads(p *pagerecord.Page) bool {
	switch {
	case p.NoFollow:
		return false
	case p.Listed():
		return true
	case p.Verdict != admit.Excluded || p.Barred || p.Reason == admit.RuleNever || p.Reason == admit.Disallowed:
		return false
	}
	entry := p.Hop > 0 || site.Entries[p.Loaded.Location]
	return p.Content == admit.NoIndex && (p.Link || entry) || p.Content == admit.CanonicalElsewhere && entry
}

// Fresh returns the links of a page that were not merged lately. With k.Again all of
// them are.
func (site *Site) Fresh(k *Look) []look.Link {
	fresh := make([]look.Link, 0, len(k.Links))
	for _, ln := range k.Links {
		if ln.Location != k.Location && (k.Again || !site.Followed.has(site.linkKey(k, ln.Location))) {
			fresh = append(fresh, ln)
		}
	}
	return fresh
}

// Follow merges links of a page, if its links count, and returns what that leaves open.
// open is what merging those before them left open. Once all are merged, see
// [Batch.FollowedAll].
func (m *Batch) Follow(k *Look, links []look.Link, news Novelty, open pagerecord.Openness) pagerecord.Openness {
	if from, _ := m.Load(k.Location); !m.site.leads(from) {
		return open
	}
	var unheard []string
	for _, ln := range links {
		key := m.site.linkKey(k, ln.Location)
		if !k.Again && m.Effects.Followed[key] {
			continue // a page before this one has the same link
		}
		left, isNew := m.linked(k, ln, news)
		if isNew {
			unheard = append(unheard, ln.Location)
		}
		if left == pagerecord.Settled {
			m.Effects.Followed[key] = true
		}
		open = max(open, left)
	}
	if news == maybeNews && len(unheard) > 0 {
		m.await(k, unheard)
	}
	return open
}

// FollowedAll notes that a page has been read, and what merging its links left open.
func (m *Batch) FollowedAll(k *Look, open pagerecord.Openness) {
	from, _ := m.Load(k.Location)
	if from.BodyHash != k.Hash || !m.site.leads(from) { // a page it links to may have outranked it
		return
	}
	from.Read, from.Open, from.ReadAt, from.ReadNet = true, open, k.Moment().Second(), 0
	if open != pagerecord.Settled {
		from.ReadNet = k.Net
	}
	m.Save(from)
}

// linked notes that a page leads to a location. It returns what that leaves open. isNew
// says that the link may be news and nobody knew of the location before; if the link is
// news, the location is that of a new page.
func (m *Batch) linked(k *Look, ln look.Link, news Novelty) (open pagerecord.Openness, isNew bool) {
	to, known := m.Load(ln.Location)
	if k.Echo.Repeats(ln.Location) {
		if to.Public() || to.Shown || to.Link && to.Passes() {
			return pagerecord.Settled, false // it needs no other link
		}
		return pagerecord.Unproven, false
	}
	isNew = news != NoNews && ln.Main && !known
	changed := m.point(k, to)
	changed = m.site.countLink(k, to) || changed
	if !to.Link || !to.Witnessed {
		m.due(ln.Location) // it is still to be read in full
	}
	if !to.Link {
		to.Link, changed = true, true
		if isNew && news == sureNews {
			to.Dates.Announce(k.Moment())
		}
	}
	if changed {
		m.Save(to)
	}
	return to.LeavesOpen(k.Moment()), isNew
}

// point notes that a look saw a listed page lead to the page, and reports whether that
// is news.
func (m *Batch) point(k *Look, to *pagerecord.Page) (changed bool) {
	changed = to.LinkedFrom(k.Look)
	if !to.Unprompted && !to.Public() && to.Word() == admit.Risky && m.unprompted(k) {
		to.Unprompted, changed = true, true
	}
	return changed
}

// unprompted reports whether the request named no page but public ones, so that no link
// can be there for the visitor's sake.
func (m *Batch) unprompted(k *Look) bool {
	switch from := k.Echo.From; {
	case k.Echo.Prompted:
		return false
	case from == "" || m.site.Entries[from]:
		return true
	default:
		p, _ := m.Load(from)
		return p.Listed()
	}
}

// CatchesUp reports whether something vouches by now for a location that was seen while
// nothing did, so that it is remembered where it leads.
func (m *Batch) CatchesUp() bool {
	return slices.ContainsFunc(m.Effects.Due, func(location string) bool {
		return m.site.Early.Has(location) ||
			slices.ContainsFunc(m.Effects.Early, func(k *Look) bool { return k.Location == location })
	})
}

// countLink notes that k's page leads to the page, and reports whether that is news.
func (site *Site) countLink(k *Look, to *pagerecord.Page) bool {
	if !site.InferPriority {
		return false
	}
	before := to.Inbound
	to.Inbound = before.Add(xxh3.HashString(k.Location))
	return to.Inbound != before
}

// linkKey returns the number under which a merged link is remembered. Where links are
// counted, a link from another page has another number, as far as pages are told apart.
func (site *Site) linkKey(k *Look, location string) uint64 {
	if !site.InferPriority {
		return xxh3.HashString(location)
	}
	return xxh3.HashStringSeed(location, uint64(priority.Inbound(0).Add(xxh3.HashString(k.Location))))
}

// followedLinks is how many links are remembered. A menu repeats the same links on every
// page, and each costs two reads of the store.
const followedLinks = 1 << 15

// Followed remembers the links that were merged last. The zero value is empty.
type Followed struct{ slots [followedLinks]uint64 }

func (f *Followed) has(link uint64) bool { return f.slots[link%followedLinks] == link }

// Add remembers links.
func (f *Followed) Add(links map[uint64]bool) {
	for link := range links {
		f.slots[link%followedLinks] = link
	}
}

// Forget drops everything, for when the store may have lost what was merged.
func (f *Followed) Forget() { *f = Followed{} }
