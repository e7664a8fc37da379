package pagerecord

import (
	"slices"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
)

// variantsKept bounds how many variants of one page are told apart.
const variantsKept = 8

// familiar is a bit of a variant: the mark knows its text.
const familiar = 1

// Meet says what an observation in a variant means. The first observation in a variant decides nothing: if it
// shows another text, that may be the variant's own, or a change. At the second observation the mark
// learns the text. taken is false if the mark must stay as it was.
func (v *Variants) Meet(variant uint16, o mark.Outcome) (meant mark.Outcome, taken bool) {
	if variant == 0 {
		return o, true
	}
	i := slices.IndexFunc(*v, func(w uint16) bool { return w&^familiar == variant })
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
		variant |= familiar
	}
	all := append(Variants{variant}, *v...)
	*v = all[:min(len(all), variantsKept)]
	return meant, taken
}

// Untold reports whether the mark does not know the text of the last observation yet. Then the same bytes
// may still show a change.
func (v Variants) Untold() bool { return len(v) > 0 && v[0]&familiar == 0 }

// Awaits reports whether the mark holds something that was seen in another variant. An observation in this
// one cannot tell whether it is still there. Awaits gives up if that was not seen again for a day,
// or if the clock was ahead then.
func (p *Page) Awaits(variant uint16, at moment.Time) bool {
	heldAt, held := p.Dates.Held()
	passed := at.Second().Sub(heldAt.Second())
	return variant != 0 && held != 0 && held != variant && p.Mark.Holding() && -day < passed && passed < day
}
