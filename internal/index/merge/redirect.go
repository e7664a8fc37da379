package merge

import (
	"cmp"
	"net/http"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// mostHops is how many redirects may lead from an entry to a page.
const mostHops = 10

// redirected merges a redirect. The target of an entry becomes an entry too, and that of a link is linked. A page that
// has moved for good passes on its history. One that only leads on for now leaves once that has lasted.
func (u *visited) redirected() {
	p := u.p
	if (p.Led() || u.site.Entries[u.Location]) && !p.Witnessed && (p.Status != u.Response.Status ||
		u.Reason != eligibility.None) {
		p.Status = u.Response.Status
		u.noteLogIn()
		u.Save(p)
	}
	if on := u.Response.Status >= 300 && u.Target != u.Location; !u.Moved && p.Listed() &&
		(on || u.Reason != eligibility.None) {
		u.refused(cmp.Or(u.Reason, eligibility.LeadsOn))
	}
	switch u.Target {
	case "":
		if u.Moved && p.Listed() {
			u.refused(eligibility.Moved)
		}
		return
	case u.Location:
		return
	}
	if !u.Explored && u.Echo.Repeats(u.Target) && !respelled(u.Location, u.Target) {
		return // the target is a page that the request named
	}
	if !u.decides() && !respelled(u.Location, u.Target) {
		u.look(u.Location)
	}
	hop, first := 0, p.Target == 0 // redirects from an entry to the target, 0 if none starts at one
	switch {
	case u.site.Entries[u.Location]:
		hop = 1
	case p.Hop > 0 && p.Hop < mostHops:
		hop = p.Hop + 1
	}
	if hop == 0 && !p.Link && !(u.Moved && p.Listed()) {
		return
	}
	all := u.forAll()
	if !all && (!first || !u.decides()) { // where the site cannot look, the first target counts at once
		hop = 0
	}
	moved := u.Moved && p.Listed() && !u.late() && all
	led := moved || p.Link && all && (u.Moved || u.Explored) // a public link leads to the target too
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
	if to.Link = to.Link || led; !to.Witnessed {
		u.Effects.Linked = append(u.Effects.Linked, u.Target)
	}
	u.Save(to)
}

// forAll reports whether a redirect leads everybody to the same target. It does if the target is another spelling of
// the location. It also does if the site itself and a visitor were led there, or if visits a day apart were. A listed
// page that suddenly leads on in HTML may be in maintenance, so for it only the visits a day apart count.
func (u *visited) forAll() bool {
	p, target := u.p, u.site.ID(u.Target)
	before := p.Redirect
	if before.Target != target {
		p.Redirect = pagerecord.Redirect{Target: target, TargetAt: u.Moment()}
		u.Save(p)
	}
	own := u.Explored && !(p.Listed() && u.Response.Status == http.StatusOK)
	switch {
	case respelled(u.Location, u.Target), own && before.Target == 0:
		return true
	case before.Target != target:
		return false // each visitor may be led to a page of his own
	}
	return own || u.Moment().Sub(before.TargetAt) >= day
}

// respelled reports whether two locations are spellings of the same address.
func respelled(a, b string) bool { return observation.Bare(a) == observation.Bare(b) }
