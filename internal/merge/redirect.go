package merge

import (
	"net/http"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
)

// redirected merges a redirect: the target of an entry's is an entry too, and a page
// that has moved for good hands its history on.
func (m *Batch) redirected(k *Look, s *Page) {
	if (s.link || m.site.Entries[k.Location]) && !s.witnessed && s.status != k.Response.Status {
		s.status = k.Response.Status
		m.Save(s)
	}
	permanent := k.Response.Status == http.StatusMovedPermanently || k.Response.Status == http.StatusPermanentRedirect
	switch k.Target {
	case "":
		if permanent && s.Listed() {
			m.suspect(k, s, admit.Moved)
		}
		return
	case k.Location:
		return
	}
	if k.Echo.Repeats(k.Target) && !respelled(k.Location, k.Target) {
		return // it leads the visitor back, and nobody else
	}
	hop := m.steady(k, s)
	moved := permanent && s.Listed() && !m.late(s, k.Moment())
	led := permanent && (moved || s.link && m.forAll(k, s)) // what a public link leads to, by a redirect that stays
	if hop == 0 && !led {
		if permanent && !s.link {
			m.Effects.Early = append(m.Effects.Early, k)
		}
		return
	}
	to, _ := m.Load(k.Target)
	if moved {
		to.inherit(s)
		m.withdraw(k, s, admit.Moved)
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
func (m *Batch) steady(k *Look, s *Page) (hop int) {
	switch {
	case m.site.Entries[k.Location]:
		hop = 1
	case s.hop == 1:
		hop = 2
	default:
		return 0
	}
	target := m.target(k)
	switch {
	case s.next == target && k.Moment() == s.nextAt:
		return 0 // the same look, merged again
	case s.target == 0, s.next == target:
		s.redirect = redirect{target: target, targetAt: k.Moment(), by: k.Net}
	case s.target != target:
		s.next, s.nextAt, hop = target, k.Moment(), 0
	case s.next == 0:
		return hop
	default:
		s.next, s.nextAt = 0, 0
	}
	m.Save(s)
	return hop
}

func (m *Batch) target(k *Look) uint64 { return m.site.Names.Key().Hash("target", k.Target) }

// forAll reports whether a redirect leads everybody to the same target: because that is
// the same location in another spelling, or because looks a day apart, or from two
// networks, saw it.
func (m *Batch) forAll(k *Look, s *Page) bool {
	if respelled(k.Location, k.Target) {
		return true
	}
	if target := m.target(k); s.target != target {
		s.target, s.targetAt, s.by = target, k.Moment(), k.Net
		m.Save(s)
		return false
	}
	return k.Moment().Sub(s.targetAt) >= shownAfter || s.by != 0 && k.Net != 0 && s.by != k.Net
}

// respelled reports whether two locations differ only in what names the same page.
func respelled(a, b string) bool { return look.Bare(a) == look.Bare(b) }

// inherit takes over the history of the page that has moved here.
func (s *Page) inherit(from *Page) {
	if s.firstSeen == 0 {
		s.mark, s.rate = from.mark, from.rate
		s.dates.Inherit(from.dates)
		s.looks = from.looks
	}
	if s.firstSeen == 0 || from.firstSeen < s.firstSeen {
		s.firstSeen = from.firstSeen
	}
}
