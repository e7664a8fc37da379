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
func (m *Batch) pair(k *Look, s *Page) {
	if !s.Listed() {
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
	for _, old := range s.peers {
		if !slices.ContainsFunc(peers, func(p look.Alternate) bool { return p.Location == old.Location }) {
			m.removeAlternate(old.Location, k.Location)
		}
	}
	if !slices.Equal(peers, s.peers) {
		s.peers = peers
		m.Save(s)
	}
}

// addAlternate adds a page to the alternates of one that names it.
func (m *Batch) addAlternate(s *Page, other string, id uint64) {
	changed := false
	for _, lang := range s.named(id) {
		if p := (look.Alternate{Lang: lang, Location: other}); !slices.Contains(s.peers, p) && len(s.peers) < look.AlternatesKept {
			s.peers, changed = append(s.peers, p), true
		}
	}
	if changed {
		m.Save(s)
	}
}

// removeAlternate takes a page from the alternates of another.
func (m *Batch) removeAlternate(location, other string) {
	s, _ := m.Load(location)
	before := len(s.peers)
	s.peers = slices.DeleteFunc(s.peers, func(p look.Alternate) bool { return p.Location == other })
	if len(s.peers) != before {
		m.Save(s)
	}
}

// alternates returns the page in its languages, in the same order on each page of them,
// nil if it is alone or does not say its own: engines ask for both.
func (m *Batch) alternates(s *Page) (all []book.Alternate) {
	own := s.named(m.site.ID(s.loaded.location))
	if len(s.peers) == 0 || len(own) == 0 {
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
		add(lang, s.loaded.location)
	}
	for _, p := range s.peers {
		add(p.Lang, p.Location)
	}
	if size > look.AlternatesBytes {
		return nil
	}
	slices.SortFunc(all, func(a, b book.Alternate) int {
		return cmp.Or(strings.Compare(a.Lang, b.Lang), strings.Compare(a.Location, b.Location))
	})
	return all
}
