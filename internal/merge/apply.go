package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
)

// Reading is what merging a page that was read came to.
type Reading struct {
	Standing
	Linked bool // a listed page links to it
	News   Novelty
	Follow bool // its links count, and are still to be merged
}

// ApplyPage is [Batch.Apply] for a look that read the page.
func (m *Batch) ApplyPage(k *Look) Reading {
	follow := m.Apply(k)
	after, _ := m.Load(k.Location)
	leads := m.site.leads(after)
	if follow && !leads && !after.noFollow && after.content == admit.None && len(k.Links) > 0 {
		m.Effects.Early = append(m.Effects.Early, k)
	}
	return Reading{after.Standing, after.link, k.novelty(after), follow && leads}
}

// Stale returns the page if a look took its bytes for those of the last look, and they
// are not; else nil.
func (m *Batch) Stale(k *Look) *Page {
	if p, _ := m.Load(k.Location); k.Same && p.bodyHash != k.Hash {
		return p
	}
	return nil
}

// Seen reports whether somebody got the page.
func (p *Page) Seen() bool { return p.looks > 0 }

// Showed returns a hash of what the page showed, and why it forbids its listing.
func (p *Page) Showed() (showing uint64, content admit.Reason) { return p.showing, p.content }

// Guess returns the keys beyond the page's own that merging a look at now needs in most
// cases. filling is the part that a page was added to last.
func (site *Site) Guess(k *Look, filling int, now time.Time) (keys []string) {
	p := k.Before
	if p.missing != 0 || p.Listed() && k.Kind == admit.Doubtful {
		keys = append(keys, site.Keys.Lost(k.Location), site.Keys.Refusals())
	}
	if p.joined != 0 {
		keys = append(keys, site.Keys.Duplicates(p.joined))
	}
	if p.Listed() {
		keys = append(keys, site.Book.Guess(p.part, k.Location, false)...)
	}
	if !k.Parsed {
		return keys
	}
	if k.Showing != 0 && k.Showing != p.joined {
		keys = append(keys, site.Keys.Duplicates(k.Showing))
	}
	enters := !p.Listed() && (p.link || k.Exact)
	if !p.Listed() {
		keys = append(keys, site.Keys.Siblings(k.Group))
	}
	if enters {
		keys = append(keys, site.Book.Guess(filling, k.Location, true)...)
	}
	if p.Listed() || enters {
		keys = append(keys, site.Journal.Guess(int64(p.logged), k.Location, now.UnixMilli())...)
	}
	return keys
}
