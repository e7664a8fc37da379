package merge

import (
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/priority"
)

// Openness says what another reading of a page's unchanged bytes may bring. The
// numbers are stored.
type Openness uint8

const (
	settled  Openness = iota // nothing
	unseen                   // in a day: some of what it links to has never been got
	unproven                 // in a day, or from another network: a link may prove to be no visitor's own
)

// unseenFor is how long after the first link a location may still turn out to need
// more; later, nobody will ask for it.
const unseenFor = 2 * day

// reopens reports whether the page is to be read again though k shows the same bytes as
// the last look: for what is open, and now and then in any case, since what is known of
// the locations it links to is not kept for ever.
func (site *Site) reopens(k *look.Look, s *Page) bool {
	age := k.Moment().Sub(s.readAt)
	switch {
	case s.open == settled:
		return age >= site.KeepFor/2
	case s.open == unproven && k.Net != 0 && k.Net != s.readNet:
		return true
	}
	return age >= shownAfter
}

// leads reports whether what the page links to is public: any visitor finds it. An
// archive that asks not to be listed itself still leads to its pages, and an entry leads
// on whatever it says of itself.
func (site *Site) leads(s *Page) bool {
	switch {
	case s.noFollow:
		return false
	case s.Listed():
		return true
	case s.Verdict != admit.Excluded || s.barred || s.Reason == admit.RuleNever || s.Reason == admit.Disallowed:
		return false
	}
	entry := s.hop > 0 || site.Entries[s.loaded.location]
	return s.content == admit.NoIndex && (s.link || entry) || s.content == admit.CanonicalElsewhere && entry
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

// Follow merges links of a page. ok is false if the links of the page do not count. last
// says that these are the last of its links, and open what merging those before them
// leaves open. When all are merged, the page is noted to be read.
func (m *Batch) Follow(k *Look, links []look.Link, news Novelty, open Openness, last bool) (left Openness, ok bool) {
	from, _ := m.Load(k.Location)
	if !m.site.leads(from) {
		return open, false
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
		if left == settled {
			m.Effects.Followed[key] = true
		}
		open = max(open, left)
	}
	if news == maybeNews && len(unheard) > 0 {
		m.await(k, unheard)
	}
	if last && k.Hash != 0 { // else it is still to be read for what it says besides
		m.followedAll(k, from, open)
	}
	return open, true
}

// followedAll notes that a page has been read, and its links merged.
func (m *Batch) followedAll(k *Look, from *Page, open Openness) {
	if from.bodyHash != k.Hash || !m.site.leads(from) { // a page it links to may have outranked it
		return
	}
	from.read, from.open, from.readAt, from.readNet = true, open, k.Moment().Second(), 0
	if open != settled {
		from.readNet = k.Net
	}
	m.Save(from)
}

// linked notes that a page leads to a location. It returns what that leaves open, and
// whether the page has news and nobody knew of the location before: it must then be a
// new one, if they are.
func (m *Batch) linked(k *Look, ln look.Link, news Novelty) (open Openness, isNew bool) {
	to, known := m.Load(ln.Location)
	if k.Echo.Repeats(ln.Location) {
		if to.Public() || to.shown || to.link && to.passes() {
			return settled, false // it needs no other link
		}
		return unproven, false
	}
	isNew = news != NoNews && ln.Main && !known
	changed := m.point(k, to)
	changed = m.site.countLink(k, to) || changed
	if !to.link {
		to.link, changed = true, true
		if isNew && news == sureNews {
			to.dates.Announce()
		}
		if m.isEarly(ln.Location) {
			m.due(ln.Location)
		}
	}
	if changed {
		m.Save(to)
	}
	if !to.witnessed {
		m.due(ln.Location)
	}
	return to.leavesOpen(k.Moment()), isNew
}

// leavesOpen returns what a location leaves open of a page that links to it.
func (s *Page) leavesOpen(now moment.Time) Openness {
	switch {
	case s.Public():
		return settled
	case s.Reason == admit.Capability, s.Reason == admit.RiskyWord:
		return unproven
	case !s.witnessed && !s.shown && !s.passes():
		return unproven
	case !s.witnessed && now.Second().Sub(s.linkAt) < unseenFor:
		return unseen
	}
	return settled
}

// isEarly reports whether it is remembered where the location leads.
func (m *Batch) isEarly(location string) bool {
	return m.site.Early.Has(location) ||
		slices.ContainsFunc(m.Effects.Early, func(k *Look) bool { return k.Location == location })
}

// CatchesUp reports whether something vouches by now for a location that was seen
// before.
func (m *Batch) CatchesUp() bool { return slices.ContainsFunc(m.Effects.Due, m.isEarly) }

// countLink notes that k's page leads to the page, and reports whether that is news.
func (site *Site) countLink(k *Look, to *Page) bool {
	if !site.InferPriority {
		return false
	}
	before := to.inbound
	to.inbound = before.Add(xxh3.HashString(k.Location))
	return to.inbound != before
}

// linkKey returns under what a link that k follows is remembered: where links are
// counted, each is merged once from each of the pages that are told apart.
func (site *Site) linkKey(k *Look, location string) uint64 {
	if !site.InferPriority {
		return xxh3.HashString(location)
	}
	return xxh3.HashStringSeed(location, uint64(priority.Inbound(0).Add(xxh3.HashString(k.Location))))
}

// followedLinks is how many links are remembered. A menu repeats the same links on every
// page, and each costs two reads of the store.
const followedLinks = 1 << 15

// Followed remembers, of the links merged last, that they were. The zero value is empty.
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
