package merge

import (
	"net/http"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// redirected merges a redirect. The target of an entry becomes an entry too. A page that
// has moved permanently passes on its history.
func (u *visited) redirected() {
	p := u.p
	if (p.Led() || u.site.Entries[u.Location]) && !p.Witnessed && p.Status != u.Response.Status {
		p.Status = u.Response.Status
		u.Save(p)
	}
	permanent := u.Response.Status == http.StatusMovedPermanently || u.Response.Status == http.StatusPermanentRedirect
	switch u.Target {
	case "":
		if permanent && p.Listed() {
			u.refused(eligibility.Moved)
		}
		return
	case u.Location:
		return
	}
	if u.Echo.Repeats(u.Target) && !respelled(u.Location, u.Target) {
		return // it leads back to a page that the request named
	}
	hop := u.steady()
	moved := permanent && p.Listed() && !u.late() && (u.forAll() || u.few())
	led := permanent && (moved || p.Link && u.forAll()) // a public link leads to the target
	if hop == 0 && !led {
		return
	}
	to, _ := u.Load(u.Target)
	if moved {
		to.Inherit(p)
		u.withdraw(eligibility.Moved)
	}
	if hop != 0 && (to.Hop == 0 || hop < to.Hop) {
		to.Hop = hop
	}
	u.point(to)
	to.Link = to.Link || led
	u.Save(to)
}

// steady returns how many redirects the target is away from an entry, 0 if the redirect
// does not start at an entry or has a different target for each visitor. The first target
// counts at once, another one after it was seen twice in a row.
func (u *visited) steady() (hop int) {
	p := u.p
	switch {
	case u.site.Entries[u.Location]:
		hop = 1
	case p.Hop == 1:
		hop = 2
	default:
		return 0
	}
	switch {
	case p.Target == 0:
		u.pointTo()
	case p.Target != u.site.ID(u.Target):
		u.pointTo()
		return 0
	case p.TargetAt == u.Moment():
		return 0 // the same visit, merged again
	}
	return hop
}

// pointTo notes the new target of a redirect.
func (u *visited) pointTo() {
	p := u.p
	p.Redirect = pagerecord.Redirect{Target: u.site.ID(u.Target), TargetAt: u.Moment(), By: u.Net}
	u.Save(p)
}

// forAll reports whether a redirect leads everybody to the same target. It does if the
// target is another spelling of the location, if the site asked itself, as nobody, or if visits
// a day apart, or from two networks, saw the same target.
func (u *visited) forAll() bool {
	p := u.p
	if respelled(u.Location, u.Target) || u.Explored {
		return true
	}
	if p.Target != u.site.ID(u.Target) {
		u.pointTo()
		return false
	}
	return eligibility.Independent(p.TargetAt, p.By, u.Moment(), u.Net)
}

// respelled reports whether two locations are spellings of the same address.
func respelled(a, b string) bool { return observation.Bare(a) == observation.Bare(b) }
