package merge

import (
	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// Leaving needs time. An answer that contradicts a listed page may pass, or be for one client alone. So it waits in
// the page's record, and the site looks itself. What the site gets decides. It acts at once if the page is gone for
// good, noindex or private; on a 404, once that has lasted a minute; on all else, once it has lasted a day.
// Where the site never looks, the answers that visitors get decide in the same way. Where a look shows neither the page
// nor a refusal, they decide by what has lasted. If a site refuses many pages, it may block its own machine, so few of
// them leave in a day while visitors get them.

// Looking says whether the site looks at its own pages.
type Looking uint8

// The site may look at its own pages.
const (
	Never  Looking = iota
	Silent         // it would, but looks get no answer, as far as is known
	Works
)

// decides reports whether this answer alone decides: the site itself got it, or cannot look.
func (u *visited) decides() bool { return u.Explored || !u.site.looks(u.Location) }

// states reports whether what this answer says of the page is the site's own word: the site itself got it, or never
// looks there.
func (u *visited) states() bool {
	return u.Explored || u.site.Looking == Never || action.Waits(u.Location)
}

// looks reports whether the site can look at a location itself: a request for it does not act, and gets an answer.
func (site *Site) looks(location string) bool {
	return site.Looking == Works && !action.Waits(location) && (site.Fails == nil || !site.Fails(location))
}

// look asks for a look of the site's own at a location.
func (m *Transaction) look(location string) {
	if m.site.looks(location) {
		m.Effects.Looks = append(m.Effects.Looks, location)
	}
}

// keeper returns who keeps the page from strangers, as this answer shows. Only an answer to the site itself can show
// that, but for a log-in that has ended.
func (u *visited) keeper() pagerecord.Keeper {
	forbids := u.Forbids
	if u.Same { // it was not read again
		forbids = u.p.Content
	}
	shown := u.Kind == eligibility.Witness && !eligibility.Deep(forbids)
	switch {
	case !u.Explored && !(shown && u.p.Kept == pagerecord.LogIn):
		return u.p.Kept
	case shown && u.Explored:
		return pagerecord.Shown
	case shown:
		return pagerecord.Nobody
	case u.Kept, u.Kind == eligibility.Witness && !u.Inside:
		return pagerecord.Front
	}
	return pagerecord.Program
}

// keptFromAll reports whether a visitor's answer does not count, because a stranger may get another one. The site
// itself did not get the page, and the visitor may have come by another way, or have been let in. A visitor who is
// anonymous by the owner's word alone may also have been let in to a page that nobody else has got yet.
func (u *visited) keptFromAll() bool {
	letIn := u.Named.Vouched && !u.Explored
	switch u.p.Kept {
	case pagerecord.Front:
		return !u.Explored || u.Inside
	case pagerecord.Program:
		return letIn || !u.decides()
	case pagerecord.LogIn:
		return letIn
	case pagerecord.Nobody:
		return letIn && !u.p.Witnessed && u.Kind == eligibility.Witness && !u.decides()
	}
	return false
}

// withdraw takes the page out: the site no longer serves it, or it now forbids its listing.
func (u *visited) withdraw(why eligibility.Reason) {
	u.p.Status, u.p.Kept = u.Response.Status, u.keeper()
	u.leaves(why)
}

// leaves takes the page out.
func (g page) leaves(why eligibility.Reason) {
	p := g.p
	g.stays()
	switch {
	case why == eligibility.Private, why == eligibility.NoStore:
		p.Witnessed, p.Content, p.Absent = false, why, eligibility.None
	case pagerecord.Unsure(why), why == eligibility.NoIndex:
		p.Content, p.BodyHash = why, 0 // the page exists, and its last content was not merged
	default:
		p.Witnessed, p.Absent = false, why
	}
	g.Save(p)
}

// refused notes that an answer contradicts a listed page. A page that is not listed is withdrawn at once. A page that
// the site cannot get at its origin leaves at once too, while few have: strangers cannot get it either.
func (u *visited) refused(why eligibility.Reason) {
	p := u.p
	switch {
	case !p.Listed():
		u.withdraw(why)
		return
	case p.Missing == 0 && u.late():
		return
	case u.states() && pagerecord.Stated(why), u.Kept && (u.Elsewhere || u.Kind != eligibility.Nothing) && u.few():
		u.withdraw(why)
		return
	}
	after, leaves := u.told(why)
	if leaves {
		u.withdraw(why)
		return
	}
	if !u.decides() {
		u.look(u.Location)
	}
	if begins := after.Missing != p.Missing || after.MissingWhy != p.MissingWhy; begins {
		u.setBorrowed(0)
		p.Status, p.PendingRemoval = u.Response.Status, after
		if u.Showing != p.Showing {
			u.setBorrowed(u.Showing)
		}
	}
	// a redirect may be for whoever names no language or comes first, so it does not count as seen by a look
	p.Looked = p.Looked || u.Explored && why != eligibility.LeadsOn
	u.noteLogIn()
	if p.HasMinute() && u.Moment().Sub(p.Missing) < pagerecord.ConfirmAfter { // another process may have noted it
		u.Effects.Pending[u.Location] = p.Missing
	}
	u.Save(p)
}

// noteLogIn notes that the program asked a visitor to log in. A visitor who is anonymous only by the owner's word tells
// nothing: if all visitors have what the owner calls harmless, as where a proxy adds a header, it does not tell who is
// let in.
func (u *visited) noteLogIn() {
	asks := u.Reason == eligibility.Denied || u.Reason == eligibility.LoginRedirect
	if asks && !u.Named.Vouched && !u.Kept && (u.p.Kept == pagerecord.Nobody || u.p.Kept == pagerecord.Shown) {
		u.p.Kept = pagerecord.LogIn
	}
}

// told returns the pending removal of the page after an answer, and whether the page leaves now.
func (u *visited) told(why eligibility.Reason) (after pagerecord.PendingRemoval, leaves bool) {
	after, lasted := u.p.Told(why, u.Moment())
	switch {
	case !lasted, !u.decides() && !after.IsOld(u.Moment()):
		return after, false
	case !pagerecord.Refuses(why), u.p.LastSeen <= after.Missing && after.Overdue(u.Moment()):
		return after, true
	}
	return after, u.few()
}

// refutes ends the pending removal, since a visitor got the page. If a look of the site's own did not get it, a visitor
// cannot refute that: then the site looks again.
func (u *visited) refutes() {
	if u.p.Looked && !u.decides() {
		u.look(u.Location)
	} else {
		u.stays()
	}
}

// stays ends the pending removal, if there is one.
func (g page) stays() {
	if g.p.Missing != 0 {
		g.setBorrowed(0)
		g.p.PendingRemoval = pagerecord.PendingRemoval{}
		g.endMinute()
	}
}

// endMinute ends the minute of the page.
func (g page) endMinute() { g.Effects.Ended = append(g.Effects.Ended, g.p.Loaded.Location) }

// Confirm is called when the minute of a pending removal is over. The page leaves, unless the
// removal has ended.
func (m *Transaction) Confirm(location string) {
	p, _ := m.Load(location)
	g, now := page{m, p}, m.moment()
	if had := now.Sub(p.Missing); p.Missing != 0 && had >= 0 && had < pagerecord.ConfirmAfter {
		m.Effects.Pending[location] = p.Missing // another process has ended it, and begun a new one
		return
	}
	if p.Borrowed != 0 && m.borrowedBeside(p.Borrowed, location) {
		p.MissingWhy = eligibility.Duplicate
		m.Save(p)
	}
	switch {
	case p.HasMinute() && m.site.looks(location):
		m.look(location)
	case p.HasMinute() && m.few():
		g.leaves(p.MissingWhy)
		return
	}
	g.endMinute() // the removal itself stays pending until the page is seen or refused again
}

// few reports whether few enough pages have left today that this one may leave too, for a reason that may pass. If so,
// it counts the page.
func (m *Transaction) few() bool {
	key, now := m.site.Keys.Refusals(), m.moment().Second()
	left := codec.Read[sitewide.Refusals](m.Get(key)).At(now)
	if !left.Few(m.site.Listed) {
		m.Effects.Refused = true
		return false
	}
	left.Pages++
	m.Put(key, left.Encode())
	return true
}
