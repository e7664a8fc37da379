package pagerecord

import (
	"slices"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
)

// varietiesKept bounds the varieties that are told apart on one page.
const varietiesKept = 8

// familiar is set in a variety whose text the mark has taken in.
const familiar = 1

// Meet says what a look in a variety is worth. The first look in a variety may show a
// text of its own, which is no change; but it may also be the first to show a change.
// So the first look is left to others, and at the second one the mark takes its text
// in, if no other variety has shown it by then. taken is false if the mark is to stay
// as it was.
func (v *Varieties) Meet(variety uint16, o mark.Outcome) (meant mark.Outcome, taken bool) {
	if variety == 0 {
		return o, true
	}
	i := slices.IndexFunc(*v, func(w uint16) bool { return w&^familiar == variety })
	met := i >= 0
	known := met && (*v)[i]&familiar != 0 || len(*v) == 0
	if met {
		*v = slices.Delete(*v, i, i+1)
	}
	switch {
	case known, o == mark.First, o == mark.Same, o == mark.Variant:
		meant, taken = o, true
	case met && o != mark.Held:
		meant, taken = mark.Variant, true
	default:
		meant, taken = mark.Variant, false
	}
	if taken {
		variety |= familiar
	}
	all := append(Varieties{variety}, *v...)
	*v = all[:min(len(all), varietiesKept)]
	return meant, taken
}

// Untold reports whether the mark did not take the last look in, so that the same bytes
// may yet be news.
func (v Varieties) Untold() bool { return len(v) > 0 && v[0]&familiar == 0 }

// Awaits reports whether something is held that was seen in another variety: a look in
// this one cannot tell whether it is still there. Nothing waits for what was not seen
// again for a day, or was seen by a clock that was ahead.
func (p *Page) Awaits(variety uint16, at moment.Time) bool {
	heldAt, held := p.Dates.Held()
	passed := at.Second().Sub(heldAt.Second())
	return variety != 0 && held != 0 && held != variety && p.Mark.Holding() && -day < passed && passed < day
}
