package merge

import (
	"net/http"
	"time"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// witness merges a visit that got the page. If it is not newer than the last one, it
// was merged already or came out of order. Then it counts as evidence only.
func (u *visited) witness() (follow bool) {
	p := u.p
	if u.View != nil {
		u.View.Leads = p.Read() && u.leadsOn()
	}
	u.lookForBox()
	switch {
	case u.news() && u.Forbids == eligibility.None:
		u.refutes()
		u.look(u.Location)
		u.announce()
		u.Save(p)
		return false
	case u.Same:
		return u.shown()
	case u.borrows():
	case p.Listed() && u.Forbids != eligibility.None && (pagerecord.Unsure(u.Forbids) || !u.states()):
		u.refused(u.Forbids)
	default:
		return u.shown()
	}
	u.due(u.Location) // otherwise the next visitor would not be observed
	return false
}

// lookForBox sees to a listed page with a field to log in that was not read beside others since the start: it may stand
// in a box of the site. The site looks where visitors enter, and where that redirects to, as visitors may not come
// there for days. Until another page tells more, the page stays while it shows most of its text.
func (u *visited) lookForBox() {
	p, box := u.p, &u.site.box
	if u.Forbids != eligibility.PasswordField || !p.Listed() {
		return
	}
	if len(box.Starts) == 0 {
		for entry := range u.site.Entries {
			u.look(entry)
		}
		if u.site.led != "" {
			u.look(u.site.led)
		}
	}
	if box.Unknown() && u.View != nil && p.Mark.Keeps(u.View) {
		u.Forbids = eligibility.None
	}
}

// shown merges a visit that shows what the page is.
func (u *visited) shown() (follow bool) {
	p := u.p
	witnessed(p, u.Observation)
	if u.follows() || p.FirstSeen == 0 {
		u.seen()
	}
	// The visit need not be new: the store may have merged it and failed to confirm
	// that, before its links were followed.
	follow = u.Full && (!p.Read() || u.Again) && p.BodyHash == u.Hash
	pairs := u.Full && !p.Read()
	u.Save(p)
	if pairs {
		u.declare()
	}
	if pairs && len(u.Extensions[extension.Alternates])+len(p.Peers) > 0 {
		u.pair()
	}
	u.credit()
	return follow
}

// seen merges a visit that is newer than the last one.
func (u *visited) seen() {
	p := u.p
	at := u.Moment()
	p.Loaded.Before = p.LastSeen.Second()
	if p.Observations == 0 {
		p.FirstSeen, p.Loaded.Before = at.Second(), 0 // earlier times are not of visits at the page
		p.Dates.FirstSeen(at)
	}
	u.refutes()
	p.LastSeen, p.Status = at, u.Response.Status
	p.FirstSeen = min(p.FirstSeen, at.Second())
	p.Observations++
	u.firstLook = u.Explored && p.Kept != pagerecord.Shown && p.Observations == 2 && at.Sub(p.FirstSeen) < time.Hour
	p.Witnessed, p.Absent, p.Kept = true, eligibility.None, u.keeper()
	if u.Same {
		p.Mark = p.Mark.Still(at.Seconds())
		u.estimate(mark.Same, u.date(comparison{outcome: mark.Same}))
		return
	}
	// what forbids it may be in the part that was not read
	if u.Full || u.Forbids != eligibility.None || !eligibility.Deep(p.Content) {
		p.Content, p.Until = u.Forbids, u.Until
	}
	p.NoFollow, p.Self = u.NoFollow, u.Canonized
	if p.Canonical = nil; u.Canonical != "" && !p.Public() {
		p.Canonical = u.site.Secret.Seal(u.Location, u.Canonical, u.At.UnixNano())
	}
	u.content()
}

// alive merges an answer that proves that a known page exists, such as a 304.
func (u *visited) alive() {
	p := u.p
	if !u.follows() {
		return
	}
	p.LastSeen, p.Status = u.Moment(), u.Response.Status
	if p.Status == http.StatusNotModified && !pagerecord.Variable(p.MissingWhy) {
		u.refutes() // the client may have the page, and has it already
	}
	u.Save(p)
}

// witnessed notes what an observation of the page adds to the reasons for its listing.
func witnessed(p *pagerecord.Page, k *observation.Observation) {
	// what says that the page is a search may be below its head
	p.Route = p.Route || k.Route.Exact && k.Whole && !eligibility.Own(k.Location) &&
		(k.Route.Named || k.Full && !k.Searches)
	p.Sitemap = p.Sitemap || k.Published
	if k.Published && !p.Public() {
		p.SawLink(k.Moment()) // what looks like a secret must be there a day later too
	}
	if p.Secrecy == eligibility.AsItLooks && k.Route.Template != "" && capability.Variable(k.Route.Template) {
		p.Secrecy = eligibility.Named
	}
}
