package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// While a site is under maintenance, or asks everybody to log in, all its pages may show one text
// with status 200. A listed page that suddenly shows what others show has borrowed that content.
// Nothing of it is merged, so the page keeps its place, its date and its links. A page borrows for at least a
// day. If it still shows the content then, the content counts as its own, from the moment when it began to show it. A
// page that still shows half of its old text has not borrowed: the versions of a page all get the same edit.

// borrows reports whether the page shows a content that is not its own, and notes that.
func (u *visited) borrows() bool {
	p := u.p
	switch {
	case u.Showing == 0 || u.Forbids != eligibility.None && !pagerecord.Unsure(u.Forbids) || u.late():
		return false
	case p.Borrowed == u.Showing && p.MissingWhy == eligibility.Duplicate:
		// The content is the page's own by now if all others have returned it, or after a day.
		own := p.Showing == u.Showing && !u.borrowedBeside(u.Showing, u.Location)
		if !own {
			_, own = u.told(eligibility.Duplicate)
		}
		if own && p.Showing == u.Showing {
			p.Dates.Redo()
			p.Mark = p.Mark.Confirm(p.Dates.Changed.Seconds())
		}
		if own {
			u.began = p.Missing
			return false
		}
	case p.Showing == u.Showing, u.recognised(), !u.belongsToOthers():
		return false
	}
	if p.Listed() {
		u.borrow(u.Observation)
	}
	return true
}

// recognised reports whether the page still shows half of its text of a day ago.
func (u *visited) recognised() bool {
	p := u.p
	return !p.Turned.Lately(u.Moment()) && u.View != nil && p.Mark.Recognises(u.View)
}

// belongsToOthers reports whether the visit shows the content of other pages: others have borrowed it too, or this page
// would have to leave if it kept it. A page that is not listed stays out while others have borrowed the content, and
// does not take it from a listed one that began to show it within a day.
func (u *visited) belongsToOthers() bool {
	borrowed := u.borrowedBeside(u.Showing, u.Location)
	d := u.duplicates(u.Showing)
	rival := u.rival(u.Location, d)
	turned := rival != nil && rival.Borrowed == 0 && rival.Turned.Lately(u.Moment())
	switch listed := u.p.Listed(); {
	case listed && turned:
		page{u.Transaction, rival}.borrow(u.Observation) // it was the first one to show it
		borrowed = true
	case listed && borrowed:
		u.takeBack(d, u.p.LastSeen)
	case !listed && !turned:
		return borrowed
	}
	if borrowed || u.Forbids != eligibility.None {
		return borrowed
	}
	r := u.p.Judged()
	r.Self = u.Canonized
	c := u.site.Context(&r, u.site.Robots, u.moment())
	c.Copies = u.copies(rival, d.Members()+1, u.Showing)
	if !u.p.Listed() {
		claim := r.Claim(c)
		return claim.Rank < eligibility.Trusted && claim.Beats(*c.Copies.Listed)
	}
	is, _ := eligibility.Decide(r, c)
	return is.Reason == eligibility.Duplicate || is.Reason == eligibility.SoftNotFound
}

// takeBack takes out, as if nobody had got it yet, the page that entered by a content within a day, and after a time: as
// a log-in or a dead link does that a visitor follows in a maintenance. That is proved once two listed pages have
// borrowed the content since they showed their own. It is proved by one that shows its own again, if the page had shown
// another content before. A page that entered earlier stays: a site may have rewritten the addresses of both to it.
func (g page) takeBack(d sitewide.Duplicates, after moment.Time) {
	if d.Listed == "" || d.Listed == g.p.Loaded.Location {
		return
	}
	by, _ := g.Load(d.Listed)
	if !by.Listed() || !by.CameWithIt(max(after, g.moment().Add(-day))) {
		return
	}
	if after == 0 && by.FirstSeen >= by.Logged.Second() {
		return // a new page, which another one has shown too
	}
	by.Witnessed, by.Absent, by.Status = false, eligibility.None, 0
	g.Save(by)
	g.look(d.Listed)
}

// borrowedBeside reports whether pages other than this one have borrowed a content.
func (m *Transaction) borrowedBeside(showing uint64, location string) bool {
	d := m.duplicates(showing)
	return d.BorrowedBeside(m.site.ID(location))
}

// borrow notes that the listed page has borrowed the content of a visit. If its record has that
// content already, no change is dated by it.
func (g page) borrow(v *observation.Observation) {
	p := g.p
	if p.MissingWhy != eligibility.Duplicate {
		g.stays()
	}
	looked := p.Looked || v.Explored
	p.PendingRemoval, _ = p.Told(eligibility.Duplicate, v.Moment())
	if p.Looked = looked; !looked {
		g.look(p.Loaded.Location)
	}
	g.setBorrowed(v.Showing)
	if p.Showing == v.Showing {
		if p.BodyHash = 0; p.Dates.Changed != 0 && p.Dates.Changed >= p.Turned.At.Second() {
			p.Dates.Undo()
		}
	}
	g.Save(p)
}

// setBorrowed notes which content the page shows that it has borrowed, 0 for none.
func (g page) setBorrowed(showing uint64) {
	id, of := g.site.ID(g.p.Loaded.Location), g.p.Borrowed
	if of != 0 && of != showing {
		d := g.duplicates(of)
		d.Return(id)
		left := Borrowed{Pages: len(d.Borrowers)}
		if showing == 0 {
			left.Back = 1
		}
		g.Effects.alike(of, left)
		if g.putDuplicates(of, d); showing == 0 {
			g.takeBack(d, 0)
		}
	}
	if showing != 0 {
		d := g.duplicates(showing)
		d.Borrow(id)
		g.Effects.alike(showing, Borrowed{Pages: len(d.Borrowers), Shown: true})
		if of != showing {
			g.putDuplicates(showing, d)
		}
	} else if of != 0 {
		g.p.Return()
	}
	g.p.Borrowed = showing
}

// alike notes how many pages show a content that is not theirs.
func (e *Effects) alike(showing uint64, b Borrowed) {
	if e.Alike == nil {
		e.Alike = map[uint64]Borrowed{}
	}
	before := e.Alike[showing]
	b.Shown, b.Back = b.Shown || before.Shown, b.Back+before.Back
	e.Alike[showing] = b
}
