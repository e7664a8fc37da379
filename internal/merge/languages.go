package merge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/sitemap"
)

// named returns the languages under which the page names a location, nil if it does
// not.
func (l *languages) named(id uint64) (langs []string) {
	for _, c := range l.claims {
		if c.id == id {
			langs = append(langs, c.lang)
		}
	}
	return langs
}

// claims returns alternates in the form in which they are kept.
func (site *Site) claims(found []look.Alternate) (claims []claim) {
	for _, p := range found {
		claims = append(claims, claim{p.Lang, site.ID(p.Location)})
	}
	return claims
}

// pair brings the alternates of a page that was just read, and of those it names, in
// line with what they say of each other.
func (m *Batch) pair(k *Look, p *Page) {
	if !p.Listed() {
		return
	}
	own := m.site.ID(k.Location)
	var peers []look.Alternate
	for _, a := range k.Alternates {
		if a.Location == k.Location {
			continue
		}
		if to, known := m.Load(a.Location); known && to.Listed() && to.named(own) != nil {
			peers = append(peers, a)
			m.addAlternate(to, k.Location, own)
		}
	}
	for _, old := range p.peers {
		if !slices.ContainsFunc(peers, func(peer look.Alternate) bool { return peer.Location == old.Location }) {
			m.removeAlternate(old.Location, k.Location)
		}
	}
	if !slices.Equal(peers, p.peers) {
		p.peers = peers
		m.Save(p)
	}
}

// addAlternate adds a page to the alternates of one that names it.
func (m *Batch) addAlternate(p *Page, other string, id uint64) {
	changed := false
	for _, lang := range p.named(id) {
		if peer := (look.Alternate{Lang: lang, Location: other}); !slices.Contains(p.peers, peer) && len(p.peers) < look.AlternatesKept {
			p.peers, changed = append(p.peers, peer), true
		}
	}
	if changed {
		m.Save(p)
	}
}

// removeAlternate takes a page from the alternates of another.
func (m *Batch) removeAlternate(location, other string) {
	p, _ := m.Load(location)
	before := len(p.peers)
	p.peers = slices.DeleteFunc(p.peers, func(peer look.Alternate) bool { return peer.Location == other })
	if len(p.peers) != before {
		m.Save(p)
	}
}

// alternates returns the page in its languages, in the same order on each page of them,
// nil if it is alone or does not say its own: engines ask for both.
func (m *Batch) alternates(p *Page) (all []book.Alternate) {
	own := p.named(m.site.ID(p.loaded.location))
	if len(p.peers) == 0 || len(own) == 0 {
		return nil
	}
	size := 0
	add := func(lang, location string) {
		if sitemap.ValidLanguage(lang) {
			all = append(all, book.Alternate{Lang: lang, Location: location})
			size += len(lang) + len(location)
		}
	}
	for _, lang := range own {
		add(lang, p.loaded.location)
	}
	for _, peer := range p.peers {
		add(peer.Lang, peer.Location)
	}
	if size > look.AlternatesBytes {
		return nil
	}
	slices.SortFunc(all, func(a, b book.Alternate) int {
		return cmp.Or(strings.Compare(a.Lang, b.Lang), strings.Compare(a.Location, b.Location))
	})
	return all
}
