package merge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
)

// claims returns alternates in the form in which they are stored.
func (site *Site) claims(found []shards.Alternate) (claims []pagerecord.Claim) {
	for _, p := range found {
		claims = append(claims, pagerecord.Claim{Lang: p.Lang, ID: site.ID(p.Location)})
	}
	return claims
}

// pair updates the alternates of a page that was just read, and of the pages it names. Two
// pages are alternates if each names the other.
func (m *Batch) pair(k *Look, p *pagerecord.Page) {
	if !p.Listed() {
		return
	}
	own := m.site.ID(k.Location)
	var peers []shards.Alternate
	for _, a := range k.Alternates {
		if a.Location == k.Location {
			continue
		}
		if to, known := m.Load(a.Location); known && to.Listed() && to.Named(own) != nil {
			peers = append(peers, a)
			m.addAlternate(to, k.Location, own)
		}
	}
	for _, old := range p.Peers {
		if !slices.ContainsFunc(peers, func(peer shards.Alternate) bool { return peer.Location == old.Location }) {
			m.removeAlternate(old.Location, k.Location)
		}
	}
	if !slices.Equal(peers, p.Peers) {
		p.Peers = peers
		m.Save(p)
	}
}

// addAlternate adds a page to the alternates of one that names it.
func (m *Batch) addAlternate(p *pagerecord.Page, other string, id uint64) {
	changed := false
	for _, lang := range p.Named(id) {
		if peer := (shards.Alternate{Lang: lang, Location: other}); !slices.Contains(p.Peers, peer) && len(p.Peers) < observation.AlternatesKept {
			p.Peers, changed = append(p.Peers, peer), true
		}
	}
	if changed {
		m.Save(p)
	}
}

// removeAlternate takes a page from the alternates of another.
func (m *Batch) removeAlternate(location, other string) {
	p, _ := m.Load(location)
	before := len(p.Peers)
	p.Peers = slices.DeleteFunc(p.Peers, func(peer shards.Alternate) bool { return peer.Location == other })
	if len(p.Peers) != before {
		m.Save(p)
	}
}

// alternates returns all language versions of the page, itself included, in an order that
// is the same for each of them. It returns nil if there are no others or if the page does
// not name itself: search engines want both.
func (m *Batch) alternates(p *pagerecord.Page) (all []shards.Alternate) {
	own := p.Named(m.site.ID(p.Loaded.Location))
	if len(p.Peers) == 0 || len(own) == 0 {
		return nil
	}
	all = slices.Clone(p.Peers)
	for _, lang := range own {
		all = append(all, shards.Alternate{Lang: lang, Location: p.Loaded.Location})
	}
	all = slices.DeleteFunc(all, func(a shards.Alternate) bool { return !sitemap.ValidLanguage(a.Lang) })
	size := 0
	for _, a := range all {
		size += len(a.Lang) + len(a.Location)
	}
	if size > observation.AlternatesBytes {
		return nil
	}
	slices.SortFunc(all, func(a, b shards.Alternate) int {
		return cmp.Or(strings.Compare(a.Lang, b.Lang), strings.Compare(a.Location, b.Location))
	})
	return all
}
