package merge

import (
	"slices"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/pagerecord"
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
func (k *Look) novelty(after *pagerecord.Page) Novelty {
	switch {
	case !k.Before.Read:
		return NoNews
	case after.Dates.Changes() > k.Before.Dates.Changes() && after.Dates.LastChange() == k.Moment().Second():
		return sureNews
	case after.Mark.Holds(k.At.Unix()):
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
	for _, location := range unheard[:min(len(unheard), max(0, pagerecord.NewLinksKept-len(from.NewLinks)))] {
		from.NewLinks = append(from.NewLinks, pagerecord.NewLink{Since: k.Moment().Second(), To: m.site.ID(location)})
	}
	m.Save(from)
}

// keepLinks drops the new links that the look does not show. Those that it shows lead to
// new pages if the change turns out to be one.
func (m *Batch) keepLinks(k *Look, p *pagerecord.Page, c comparison) {
	if _, variety := p.Dates.Held(); len(p.NewLinks) == 0 || k.VarietyKey != variety {
		return
	}
	shown := make(map[uint64]string, len(k.Links))
	for _, ln := range k.Links {
		if ln.Main {
			shown[m.site.ID(ln.Location)] = ln.Location
		}
	}
	p.NewLinks = slices.DeleteFunc(p.NewLinks, func(n pagerecord.NewLink) bool {
		location, there := shown[n.To]
		if !there || c.outcome != mark.Changed || c.since != n.Since {
			return !there
		}
		if to, known := m.Load(location); known && to.BecomesNew(n.Since, k.Moment().Second()) {
			m.Save(to)
		}
		return true
	})
}
