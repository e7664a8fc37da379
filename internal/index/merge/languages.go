package merge

import (
	"slices"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// pair updates the alternates of a page that was just read, and of the pages it names. Two
// pages are alternates if each names the other.
func (u *visited) pair() {
	p := u.p
	if !p.Listed() {
		return
	}
	own := u.site.ID(u.Location)
	var peers []extension.Alternate
	for _, a := range u.Alternates {
		if a.Location == u.Location {
			continue
		}
		if to, known := u.Load(a.Location); known && to.Listed() && to.Named(own) != nil {
			peers = append(peers, a)
			page{u.Transaction, to}.addAlternate(u.Location, own)
		}
	}
	for _, old := range p.Peers {
		if !slices.ContainsFunc(peers, func(peer extension.Alternate) bool { return peer.Location == old.Location }) {
			u.Transaction.page(old.Location).removeAlternate(u.Location)
		}
	}
	if !slices.Equal(peers, p.Peers) {
		p.Peers = peers
		u.Save(p)
	}
}

// declare counts two pages that name each other as the same in another language as linked, if one of them leads the
// site's visitors: that page names the other in public, and the other agrees.
func (u *visited) declare() {
	own := u.site.ID(u.Location)
	for _, a := range u.Alternates {
		to, known := u.Load(a.Location)
		if a.Location == u.Location || !known || to.Named(own) == nil || !u.Explored && u.Echo.Repeats(a.Location) {
			continue
		}
		for _, pair := range [...][2]*pagerecord.Page{{u.p, to}, {to, u.p}} {
			switch from, other := pair[0], pair[1]; {
			case other.Link || !u.site.leads(from):
			case !u.decides():
				u.look(u.Location)
			default:
				u.point(other)
				other.Link = true
				u.Save(other)
			}
		}
	}
}

// addAlternate adds a page to the alternates of one that names it.
func (g page) addAlternate(other string, id uint64) {
	p := g.p
	changed := false
	for _, lang := range p.Named(id) {
		if peer := (extension.Alternate{Lang: lang, Location: other}); !slices.Contains(p.Peers, peer) &&
			len(p.Peers) < extension.AlternatesKept {
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
	p.Peers = slices.DeleteFunc(p.Peers, func(peer extension.Alternate) bool { return peer.Location == other })
	if len(p.Peers) != before {
		g.Save(p)
	}
}
