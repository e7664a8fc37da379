package mark

// Ignored counts what a mark leaves out when it looks for a change of its page.
// The zero value says that nothing is left out.
type Ignored struct {
	Volatile  int // places in the main text where it moves by itself, at most 8
	Variant   int // pieces of the main text that come and go or came only once, at most 61
	Furniture int // blocks of the main text that did not count at the last look: menus, notices, what other pages show too; 15 stands for more as well
	Held      int // what is new or missing and becomes a change if later looks show it again; at most 2
}

// maxFurniture is the highest count of furniture.
const maxFurniture = 15

// Ignored says what is left out.
func (m Mark) Ignored() (n Ignored) {
	for _, s := range m.slots {
		if s.moves >= movingSlot {
			n.Volatile++
		}
	}
	for _, k := range m.groups.list[:m.groups.n] {
		if k.state() == groupFlaps {
			n.Variant++
		}
	}
	for _, w := range m.news {
		if w.flags != 0 && w.flags&newsPublished == 0 {
			n.Held++
		}
	}
	n.Furniture = int(m.furniture)
	return n
}

// leftOut counts the blocks of a view that are no part of the text.
func (v *View) leftOut() uint8 {
	n := 0
	for i := range v.blocks {
		if b := &v.blocks[i]; b.kind == ignored || b.furniture {
			n++
		}
	}
	return uint8(min(n, maxFurniture))
}
