package mark

import "slices"

// moversKept is how many places that move are remembered.
const moversKept = 32

// mover is a place, or the form of a text, that moves by itself: what came there did not
// stay.
type mover struct {
	name uint16
	n    uint8 // how often, 0 for an empty entry
}

// leastMoves returns how often a place must have moved before its news are held. Items of a
// list come and go, and a long text is more likely a new one each time.
func (c *comparison) leastMoves(w *watched) uint8 {
	if c.list || w.size > smallNews {
		return 3
	}
	return 1
}

// A place that has moved more often moves often.
const oftenMoves = 3

// moves returns how the place of a block moves. Both of its names must agree, since a
// change may have touched one of the blocks around it. In a list, only the gap between two
// items that stay is a place.
func (m *Mark) moves(w *watched) (o mover) {
	prev, next, form := m.mover(w.prev), m.mover(w.next), m.mover(w.form)
	o.n = min(prev.n, next.n)
	if m.list {
		return o
	}
	o.n = max(o.n, form.n)
	return o
}

func (m *Mark) mover(name uint16) mover {
	for _, o := range m.movers {
		if o.n > 0 && o.name == name && name != 0 {
			return o
		}
	}
	return mover{}
}

// manyMovers is the number of names that about three places have.
const manyMovers = 6

// oftenMoving counts the movers that have moved often.
func (m *Mark) oftenMoving() (n int) {
	for _, o := range m.movers {
		if o.n > oftenMoves {
			n++
		}
	}
	return n
}

// moved notes that a block did not stay, and reports whether its place was not known to
// move. The block's form becomes known: another text of that form differs only in its
// numbers.
func (c *comparison) moved(w *watched) (surprise bool) {
	surprise = c.moves(w).n == 0
	for _, name := range [...]uint16{w.prev, w.next, w.form} {
		if name != 0 {
			c.note(name)
		}
	}
	if w.form != 0 && !c.known.has(w.form) {
		c.known.add(w.form)
		c.Mark.known += string([]byte{byte(w.form >> 8), byte(w.form)})
	}
	return surprise
}

// note counts a move, and puts its mover in front.
func (m *Mark) note(name uint16) {
	i := 0
	for i < moversKept-1 && m.movers[i].n > 0 && m.movers[i].name != name {
		i++
	}
	o := mover{name: name, n: 1}
	if was := m.movers[i]; was.n > 0 && was.name == name {
		o.n = min(was.n, 254) + 1
	}
	copy(m.movers[1:i+1], m.movers[:i])
	m.movers[0] = o
}

// calm forgets that a place moves, because something has come to stay there.
func (m *Mark) calm(w *watched) {
	for i := range m.movers {
		if o := &m.movers[i]; o.name == w.prev || o.name == w.next || o.name == w.form {
			*o = mover{}
		}
	}
	moveUp(m.movers[:])
}

// moveUp closes the gaps in a list.
func moveUp[T comparable](list []T) {
	var empty T
	full := slices.DeleteFunc(list, func(e T) bool { return e == empty })
	clear(list[len(full):])
}
