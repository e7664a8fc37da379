package mark

import "slices"

// moversKept is how many places that move are remembered.
const moversKept = 32

// mover is a place, or the form of a text, that moves by itself: what came there did not
// stay.
type mover struct {
	Name uint16
	N    uint8 // how often, 0 for an empty entry
}

// moves reports whether the place of a new block moves. It must have moved several times if
// items of a list come and go there, or if the block is long: more likely it is new.
func (c *comparison) moves(n newsItem) bool {
	least := uint8(1)
	if c.List || n.block.size > smallNews {
		least = 3
	}
	return c.movesOf(&n.watched) >= least
}

// A place that has moved more often moves often.
const oftenMoves = 3

// movesOf returns how often the place of a block has moved. Both of its names must agree,
// since a change may have touched one of the blocks around it. In a list, only the gap
// between two items that stay is a place.
func (m *Mark) movesOf(w *watched) uint8 {
	n := min(m.mover(w.Prev), m.mover(w.Next))
	if m.List {
		return n
	}
	return max(n, m.mover(w.Form))
}

func (m *Mark) mover(name uint16) uint8 {
	for _, o := range m.movers {
		if o.Name == name && name != 0 {
			return o.N
		}
	}
	return 0
}

// manyMovers is the number of names that about three places have.
const manyMovers = 6

// oftenMoving counts the movers that have moved often.
func (m *Mark) oftenMoving() (n int) {
	for _, o := range m.movers {
		if o.N > oftenMoves {
			n++
		}
	}
	return n
}

// moved notes that a block did not stay, and reports whether its place was not known to
// move. The block's form becomes known: another text of that form differs only in its
// numbers.
func (c *comparison) moved(w *watched) (surprise bool) {
	surprise = c.movesOf(w) == 0
	for _, name := range [...]uint16{w.Prev, w.Next, w.Form} {
		if name != 0 {
			c.note(name)
		}
	}
	if w.Form != 0 && !c.known.has(w.Form) {
		c.known.add(w.Form)
		c.Mark.known += string([]byte{byte(w.Form >> 8), byte(w.Form)})
	}
	return surprise
}

// note counts a move, and puts its mover in front.
func (m *Mark) note(name uint16) {
	i := 0
	for i < moversKept-1 && m.movers[i].N > 0 && m.movers[i].Name != name {
		i++
	}
	o := mover{Name: name, N: 1}
	if was := m.movers[i]; was.N > 0 && was.Name == name {
		o.N = min(was.N, 254) + 1
	}
	copy(m.movers[1:i+1], m.movers[:i])
	m.movers[0] = o
}

// moveUp closes the gaps in a list.
func moveUp[T comparable](list []T) {
	var empty T
	full := slices.DeleteFunc(list, func(e T) bool { return e == empty })
	clear(list[len(full):])
}
