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
func (u visited) pair() {
	p := u.p
	if !p.Listed() {
		return
	}
	own := u.site.ID(u.Location)
	var peers []shards.Alternate
	for _, a := range u.Alternates {
		if a.Location == u.Location {
			continue
		}
		if to, known := u.Load(a.Location); known && to.Listed() && to.Named(own) != nil {
			peers = append(peers, a)
			page{u.Batch, to}.addAlternate(u.Location, own)
		}
	}
	for _, old := range p.Peers {
		if !slices.ContainsFunc(peers, func(peer shards.Alternate) bool { return peer.Location == old.Location }) {
			u.Batch.page(old.Location).removeAlternate(u.Location)
		}
	}
	if !slices.Equal(peers, p.Peers) {
		p.Peers = peers
		u.Save(p)
	}
}

// addAlternate adds a page to the alternates of one that names it.
func (g page) addAlternate(other string, id uint64) {
	p := g.p
	changed := false
	for _, lang := range p.Named(id) {
		if peer := (shards.Alternate{Lang: lang, Location: other}); !slices.Contains(p.Peers, peer) && len(p.Peers) < observation.AlternatesKept {
			p.Peers, changed = append(p.Peers, peer), true
		}
	}
	if changed {
		g.Save(p)
	}
}

// removeAlternate takes a page from the alternates of another.
func (g page) removeAlternate(other string) {
	p := g.p
	before := len(p.Peers)
	p.Peers = slices.DeleteFunc(p.Peers, func(peer shards.Alternate) bool { return peer.Location == other })
	if len(p.Peers) != before {
		g.Save(p)
	}
}

// alternates returns all language versions of the page, itself included, in an order that
// is the same for each of them. It returns nil if there are no others or if the page does
// not name itself: search engines want both.
func (g page) alternates() (all []shards.Alternate) {
	p := g.p
	own := p.Named(g.site.ID(p.Loaded.Location))
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
