package merge

import (
	"net/http"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// redirected merges a redirect. The target of an entry becomes an entry too. A page that
// has moved permanently passes on its history.
func (m *Batch) redirected(k *Look, p *pagerecord.Page) {
	if (p.Link || m.site.Entries[k.Location]) && !p.Witnessed && p.Status != k.Response.Status {
		p.Status = k.Response.Status
		m.Save(p)
	}
	permanent := k.Response.Status == http.StatusMovedPermanently || k.Response.Status == http.StatusPermanentRedirect
	switch k.Target {
	case "":
		if permanent && p.Listed() {
			m.suspect(k, p, eligibility.Moved)
		}
		return
	case k.Location:
		return
	}
	if k.Echo.Repeats(k.Target) && !respelled(k.Location, k.Target) {
		return // it leads back to a page that the request named
	}
	hop := m.steady(k, p)
	moved := permanent && p.Listed() && !m.late(p, k.Moment())
	led := permanent && (moved || p.Link && m.forAll(k, p)) // a public link leads to the target
	if hop == 0 && !led {
		return
	}
	to, _ := m.Load(k.Target)
	if moved {
		to.Inherit(p)
		m.withdraw(k, p, eligibility.Moved)
	}
	if hop != 0 && (to.Hop == 0 || hop < to.Hop) {
		to.Hop = hop
	}
	m.point(k, to)
	to.Link = to.Link || led
	m.Save(to)
}

// steady returns how many redirects the target is away from an entry, 0 if the redirect
// does not start at an entry or has a different target for each visitor. The first target
// counts at once, another one after it was seen twice in a row.
func (m *Batch) steady(k *Look, p *pagerecord.Page) (hop int) {
	switch {
	case m.site.Entries[k.Location]:
		hop = 1
	case p.Hop == 1:
		hop = 2
	default:
		return 0
	}
	switch {
	case p.Target == 0:
		m.pointTo(k, p)
	case p.Target != m.site.ID(k.Target):
		m.pointTo(k, p)
		return 0
	case p.TargetAt == k.Moment():
		return 0 // the same look, merged again
	}
	return hop
}

// pointTo notes the new target of a redirect.
func (m *Batch) pointTo(k *Look, p *pagerecord.Page) {
	p.Redirect = pagerecord.Redirect{Target: m.site.ID(k.Target), TargetAt: k.Moment(), By: k.Net}
	m.Save(p)
}

// forAll reports whether a redirect leads everybody to the same target. It does if the
// target is another spelling of the location, or if looks a day apart, or from two
// networks, saw the same target.
func (m *Batch) forAll(k *Look, p *pagerecord.Page) bool {
	if respelled(k.Location, k.Target) {
		return true
	}
	if p.Target != m.site.ID(k.Target) {
		m.pointTo(k, p)
		return false
	}
	return eligibility.Independent(p.TargetAt, p.By, k.Moment(), k.Net)
}

// respelled reports whether two locations are spellings of the same address.
func respelled(a, b string) bool { return observation.Bare(a) == observation.Bare(b) }
