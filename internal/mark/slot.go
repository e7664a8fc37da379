package mark

// slot is a place in the page, as its kin of blocks after a known block, where
// the text moved by itself so many times.
type slot struct {
	at    uint16
	moves uint8
}

const (
	slotsKept = 8
	slotBits  = 12
	maxMoves  = 15
)

// calm halves the counts of moving slots from time to time.
func (m *Mark) calm() {
	if m.quiet++; m.quiet < calmLooks {
		return
	}
	m.quiet = 0
	for i := range m.slots {
		if m.slots[i].moves /= 2; m.slots[i].moves == 0 {
			m.slots[i] = slot{}
		}
	}
}

const calmLooks = 32

// slot returns where a group stands. What moves goes on to move where a block more,
// or less, makes another slot of its place.
func (m *Mark) slot(v *View, g *group, anchor uint16) uint16 {
	at, other := v.slots(g, anchor)
	if m.moves(at) < movingSlot && m.moves(other) >= movingSlot {
		return other
	}
	return at
}

// moves returns how often a slot moved.
func (m *Mark) moves(at uint16) int {
	for _, s := range m.slots {
		if s.moves > 0 && s.at == at {
			return int(s.moves)
		}
	}
	return 0
}

// moved notes that a slot moved.
func (m *Mark) moved(at uint16) {
	least := 0
	for i := range m.slots {
		if s := &m.slots[i]; s.moves > 0 && s.at == at {
			s.moves = min(s.moves+1, maxMoves)
			return
		}
		if m.slots[i].moves < m.slots[least].moves {
			least = i
		}
	}
	m.slots[least] = slot{at, 1}
}

// movingSlot is how often a slot must have moved for what moves there to be no
// news.
const movingSlot = 2

// moveAlike makes a slot move as much as another one does.
func (m *Mark) moveAlike(at, other uint16) {
	for n := m.moves(other); m.moves(at) < n; {
		m.moved(at)
	}
}

// movers is how many groups are at moving places, by kind, without the prose that
// stays. Links come and go too often to be counted.
type movers [link]uint8

// maxMovers is the largest count. A page with more movers shows no news there.
const maxMovers = 7

// moversIn counts the movers among the groups of a look.
func (m *Mark) moversIn(list []group) (n movers) {
	for i := range list {
		g := &list[i]
		if g.kind < link && !g.furniture && !g.stays && g.place != dataPlace && m.moves(g.slot) >= movingSlot {
			n[g.kind] = min(n[g.kind]+1, maxMovers)
		}
	}
	return n
}

// joined reports for which kinds there are more movers than before, so that one of
// them may be no mover but beside one to stay. Where a slot has only begun to move,
// they are just learned.
func (m *Mark) joined(list []group, learn bool) (more [link]bool) {
	n := m.moversIn(list)
	for k := range n {
		switch was := m.movers[k]; {
		case n[k] > was:
			more[k] = !learn && was > 0
			m.movers[k] = n[k]
		case n[k] < was && m.quiet == 0:
			m.movers[k]--
		}
	}
	return more
}

// movingSlots counts the slots where the text moves.
func (m *Mark) movingSlots() (n int) {
	for _, s := range m.slots {
		if s.moves >= movingSlot {
			n++
		}
	}
	return n
}

// movingAge is how soon, in seconds, the next text must follow one that was taken
// for a change, to make that a move.
const movingAge = 2 * daySeconds
