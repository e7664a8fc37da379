package mark

// setSize is how many groups a mark knows. An encoding with so many takes up to
// 160 bytes.
const setSize = 61

// set holds groups in the order of their fingerprints.
type set struct {
	n    uint8
	list [setSize]known
}

// known is the fingerprint of a group and its state.
type known uint16

// state says what has become of a group.
type state uint8

const (
	groupPlain  state = iota // on the page
	groupStays               // prose that has been on the page for longer
	groupFlaps               // it comes and goes
	groupAbsent              // not on the page now
)

func (k known) print() uint16 { return uint16(k) >> 2 }
func (k known) state() state  { return state(k & 3) }

func newKnown(print uint16, s state) known { return known(print<<2) | known(s) }

// at returns the place of a fingerprint, or where it would be.
func (s *set) at(print uint16) (i int, found bool) {
	lo, hi := 0, int(s.n)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.list[mid].print() < print {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < int(s.n) && s.list[lo].print() == print
}

func (s *set) has(print uint16) bool {
	_, ok := s.at(print)
	return ok
}

func (s *set) get(print uint16) (st state, ok bool) {
	i, ok := s.at(print)
	if ok {
		st = s.list[i].state()
	}
	return st, ok
}

func (s *set) set(print uint16, st state) {
	if i, ok := s.at(print); ok {
		s.list[i] = newKnown(print, st)
	}
}

// update adds the groups of a look, without what moves by itself, and notes
// which are missing. Prose is one that stays if a second look shows it, or the
// first look of all. The turn is any number that differs from look to look.
func (s *set) update(list []group, first bool, turn uint8) {
	var here, read, shared [setSize]bool
	fresh := 0
	for i := range list {
		if j, ok := s.at(list[i].print); ok {
			here[j], read[j] = true, list[i].kind == prose && !list[i].moving && !list[i].furniture
			shared[j] = list[i].furniture
		} else if !list[i].moving {
			fresh++
		}
	}
	out := s.outgoing(&here, fresh, turn)
	var next set
	for j := range s.n {
		k := s.list[j]
		switch st := k.state(); {
		case out[j]:
			continue
		case here[j] && st == groupAbsent:
			k = newKnown(k.print(), groupFlaps)
		case here[j] && st == groupStays && shared[j]:
			k = newKnown(k.print(), groupPlain)
		case here[j] && st == groupPlain && read[j]:
			k = newKnown(k.print(), groupStays)
		case !here[j] && st != groupFlaps:
			k = newKnown(k.print(), groupAbsent)
		}
		next.list[next.n] = k
		next.n++
	}
	*s = next
	for i := range list {
		s.add(&list[i], first)
	}
}

// outgoing chooses which missing groups make room for so many new ones: first
// those that have never come back, beginning at another one each time.
func (s *set) outgoing(here *[setSize]bool, fresh int, turn uint8) (out [setSize]bool) {
	excess := int(s.n) + fresh - setSize
	for _, flaps := range [...]bool{false, true} {
		for j := range int(s.n) {
			j = (j + int(turn)*7) % int(s.n)
			if excess > 0 && !here[j] && (s.list[j].state() == groupFlaps) == flaps {
				out[j] = true
				excess--
			}
		}
	}
	return out
}

func (s *set) add(g *group, first bool) {
	i, ok := s.at(g.print)
	if ok || g.moving || s.n == setSize {
		return
	}
	copy(s.list[i+1:s.n+1], s.list[i:s.n])
	st := groupPlain
	if first && g.kind == prose && !g.furniture {
		st = groupStays
	}
	s.list[i] = newKnown(g.print, st)
	s.n++
}
