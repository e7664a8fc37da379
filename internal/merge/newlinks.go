package merge

import (
	"slices"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
)

// Novelty says whether what is new among the links of a page is new on the site.
type Novelty uint8

// The novelties.
const (
	NoNews    Novelty = iota // it may have been there before
	maybeNews                // it is, if what is held turns out to be a change
	sureNews
)

// novelty compares what was known of a page before the look with what is known after. A
// page that had not been read may have had its links before.
func (k *Look) novelty(after *Page) Novelty {
	switch {
	case !k.Before.read:
		return NoNews
	case after.dates.Changes() > k.Before.dates.Changes() && after.dates.LastChange() == k.Moment().Second():
		return sureNews
	case after.mark.Holds(k.At.Unix()):
		return maybeNews
	}
	return NoNews
}

// await notes that a page, by what may be a change, leads to locations that nobody knew.
func (m *Batch) await(k *Look, unheard []string) {
	from, known := m.Load(k.Location)
	if !known {
		return
	}
	for _, location := range unheard[:min(len(unheard), max(0, newLinksKept-len(from.newLinks)))] {
		from.newLinks = append(from.newLinks, newLink{k.Moment().Second(), m.site.ID(location)})
	}
	m.Save(from)
}

// announcement is a location that turns out to be that of a new page, to which no look
// before the one at since saw a link.
type announcement struct {
	location string
	since    moment.Time
}

// keepLinks drops the new links that the look does not show, and notes those that
// announced new pages, as the change turns out to be one.
func (m *Batch) keepLinks(k *Look, p *Page, c comparison) {
	if _, variety := p.dates.Held(); len(p.newLinks) == 0 || k.VarietyKey != variety {
		return
	}
	shown := make(map[uint64]string, len(k.Links))
	for _, ln := range k.Links {
		if ln.Main {
			shown[m.site.ID(ln.Location)] = ln.Location
		}
	}
	p.newLinks = slices.DeleteFunc(p.newLinks, func(n newLink) bool {
		location, there := shown[n.to]
		if is := c.outcome == mark.Changed && c.since == n.since; there && is {
			p.loaded.announced = append(p.loaded.announced, announcement{location, n.since})
			return true
		}
		return !there
	})
}

// announce notes that the locations which a page announced are those of new pages.
func (m *Batch) announce(k *Look, p *Page) {
	for _, a := range p.loaded.announced {
		if to, known := m.Load(a.location); known && to.becomesNew(a.since, k.Moment().Second()) {
			m.Save(to)
		}
	}
	p.loaded.announced = nil
}

// becomesNew notes at a look that the location is that of a new page, to which the first
// link was seen at since, and reports whether that is news.
func (p *Page) becomesNew(since, at moment.Time) bool {
	if p.firstSeen == 0 {
		p.dates.Announce()
		return true
	}
	return p.dates.AnnouncedLate(p.firstSeen, since, at)
}
