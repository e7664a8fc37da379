package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// While a site is under maintenance, or asks everybody to log in, all its pages may show one text
// with status 200. So what others show is one more answer that contradicts a listed page, and that takes a day; see
// [pagerecord.PendingRemoval]. Nothing of it is merged meanwhile, so the page keeps its place, its date and its links.

// copied reports whether a listed page suddenly shows what other pages show: one of the two would leave if both had that content,
// or another page has turned to it within a day. If the latter was dated by that, it gets its date from before:
// it was the first page that somebody asked for, and it did not change.
func (u *visited) copied() bool {
	if u.Showing == 0 || u.Cut || u.Showing == u.p.Showing {
		return false
	}
	d := u.duplicates(u.Showing)
	rival := u.rival(u.Location, d)
	if rival != nil && rival.Turned != 0 && u.Moment().Sub(rival.Turned) < day {
		if rival.Dates.Changed >= rival.Turned.Second() {
			rival.Dates.Undo()
			u.Save(rival)
		}
		return true
	}
	r := u.p.Judged()
	r.Self = u.Canonized
	c := u.site.Context(&r, u.site.Robots, u.moment())
	c.Copies = u.copies(rival, d.Members()+1)
	is, _ := eligibility.Decide(r, c)
	return is.Reason == eligibility.Duplicate || is.Reason == eligibility.SoftNotFound
}
