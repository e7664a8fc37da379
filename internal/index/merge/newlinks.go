package merge

import (
	"slices"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// Novelty says whether new links on a page are news of the site.
type Novelty uint8

// The novelties.
const (
	NoNews    Novelty = iota // they may have been there before
	maybeNews                // they are if the held text turns out to be a change
	sureNews
)

// novelty compares the record of a page before and after the look. If the page had not
// been read before, its links may be old.
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

// await notes unknown locations that a page links to since a look that may be a change.
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

// keepLinks drops the awaited links that the look no longer shows. The others lead to new
// pages if the change is confirmed.
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
