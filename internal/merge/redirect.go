package merge

import (
	"net/http"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
)

// redirected merges a redirect: the target of an entry's is an entry too, and a page
// that has moved for good hands its history on.
func (m *Batch) redirected(k *Look, p *Page) {
	if (p.link || m.site.Entries[k.Location]) && !p.witnessed && p.status != k.Response.Status {
		p.status = k.Response.Status
		m.Save(p)
	}
	permanent := k.Response.Status == http.StatusMovedPermanently || k.Response.Status == http.StatusPermanentRedirect
	switch k.Target {
	case "":
		if permanent && p.Listed() {
			m.suspect(k, p, admit.Moved)
		}
		return
	case k.Location:
		return
	}
	if k.Echo.Repeats(k.Target) && !respelled(k.Location, k.Target) {
		return // it leads the visitor back, and nobody else
	}
	hop := m.steady(k, p)
	moved := permanent && p.Listed() && !m.late(p, k.Moment())
	led := permanent && (moved || p.link && m.forAll(k, p)) // what a public link leads to, by a redirect that stays
	if hop == 0 && !led {
		if permanent && !p.link {
			m.Effects.Early = append(m.Effects.Early, k)
		}
		return
	}
	to, _ := m.Load(k.Target)
	if moved {
		to.inherit(p)
		m.withdraw(k, p, admit.Moved)
	}
	if hop != 0 && (to.hop == 0 || hop < to.hop) {
		to.hop = hop
	}
	m.point(k, to)
	to.link = to.link || led
	m.Save(to)
}

// steady returns how many redirects the target is away from an entry, 0 if it is no
// entry's, or if the location leads each visitor to a page of his own: the first target
// that is seen counts at once, another one when it is seen twice running.
func (m *Batch) steady(k *Look, p *Page) (hop int) {
	switch {
	case m.site.Entries[k.Location]:
		hop = 1
	case p.hop == 1:
		hop = 2
	default:
		return 0
	}
	target := m.target(k)
	switch {
	case p.next == target && k.Moment() == p.nextAt:
		return 0 // the same look, merged again
	case p.target == 0, p.next == target:
		p.redirect = redirect{target: target, targetAt: k.Moment(), by: k.Net}
	case p.target != target:
		p.next, p.nextAt, hop = target, k.Moment(), 0
	case p.next == 0:
		return hop
	default:
		p.next, p.nextAt = 0, 0
	}
	m.Save(p)
	return hop
}

func (m *Batch) target(k *Look) uint64 { return m.site.Names.Key().Hash("target", k.Target) }

// forAll reports whether a redirect leads everybody to the same target: because that is
// the same location in another spelling, or because looks a day apart, or from two
// networks, saw it.
func (m *Batch) forAll(k *Look, p *Page) bool {
	if respelled(k.Location, k.Target) {
		return true
	}
	if target := m.target(k); p.target != target {
		p.target, p.targetAt, p.by = target, k.Moment(), k.Net
		m.Save(p)
		return false
	}
	return k.Moment().Sub(p.targetAt) >= shownAfter || p.by != 0 && k.Net != 0 && p.by != k.Net
}

// respelled reports whether two locations differ only in what names the same page.
func respelled(a, b string) bool { return look.Bare(a) == look.Bare(b) }

// inherit takes over the history of the page that has moved here.
func (p *Page) inherit(from *Page) {
	if p.firstSeen == 0 {
		p.mark, p.rate = from.mark, from.rate
		p.dates.Inherit(from.dates)
		p.looks = from.looks
	}
	if p.firstSeen == 0 || from.firstSeen < p.firstSeen {
		p.firstSeen = from.firstSeen
	}
}
