package lastmod

import "time"

// History is what servemap knows of a page's changes, for the owner.
type History struct {
	FirstSeen time.Time   // zero if the page was not seen
	Times     []time.Time // of the last changes, the latest first, at most four
	Changed   time.Time   // the observation that first showed the present content, zero if no change was seen
	Unchanged time.Time   // the observation before that, zero if not known

	// Given is the last date of each source. The decided date is an earlier one if a date moved while no change was seen.
	Given Given[time.Time]
	Held  time.Time // the observation that first showed what may be a change, zero if there is none
	More  int       // so many more observations have to show it
}

// History returns the page's history without FirstSeen, Held and More.
func (d Dates) History() (h History) {
	if d.Count > 0 {
		h.Times = append(h.Times, d.Date.At.Time())
	}
	for _, t := range d.Earlier {
		if t != 0 {
			h.Times = append(h.Times, t.Time())
		}
	}
	h.Changed, h.Unchanged = d.Changed.Time(), d.Unchanged.Time()
	for _, s := range givers {
		h.Given[s] = d.Last[s].Time()
	}
	return h
}
