package mark

import "math/bits"

// A key is a part of the hash of a text, or of what says where it stands. One new text in 72 looks known on a page that
// has shown as many as are kept. With a bit less, pages where much moves get twice as many false dates.
const keyBits = 16

func keyOf(hash uint64) uint16 { return uint16(hash >> (64 - keyBits)) }

// knownKept is how many keys of a page are kept at most, beside those of its last observation, and countBits has room
// for both.
const (
	knownKept = 900
	countBits = 12
)

// keySet is a set of keys.
type keySet [1 << keyBits / 64]uint64

func (s *keySet) has(key uint16) bool { return s[key>>6]&(1<<(key&63)) != 0 }
func (s *keySet) add(key uint16)      { s[key>>6] |= 1 << (key & 63) }

// union returns the keys that are in either of two sets.
func (s *keySet) union(t *keySet) *keySet {
	all := *s
	for i := range t {
		all[i] |= t[i]
	}
	return &all
}

func (s *keySet) len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all goes through the keys in rising order.
func (s *keySet) all(yield func(uint16) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(uint16(64*i + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// write appends a set in few bits: the number of its keys, and the gaps between them in Golomb-Rice code.
func (s *keySet) write(to *bitString) {
	n, next := s.len(), 0
	to.put(n, countBits)
	for key := range s.all {
		gap, low := int(key)-next, keyBits-bits.Len(uint(n))
		for range gap >> low {
			to.put(1, 1)
		}
		to.put(0, 1)
		to.put(gap, low)
		next = int(key) + 1
	}
}

// readSet reads what write appended. Of damaged bits it returns some set.
func readSet(from *bitString) *keySet {
	s, n, next := new(keySet), from.take(countBits), 0
	for range n {
		gap, low := 0, keyBits-bits.Len(uint(n))
		for from.take(1) == 1 {
			gap += 1 << low
		}
		if next += gap + from.take(low); next >= 1<<keyBits || from.n > 8*len(from.b) {
			break
		}
		s.add(uint16(next))
		next++
	}
	return s
}

// keys is a set of keys as a mark keeps it.
type keys string

func (s *keySet) pack() keys {
	w := new(bitString)
	s.write(w)
	return keys(w.b)
}

func (k keys) set() *keySet { return readSet(&bitString{b: []byte(k)}) }

// bitString is a string of bits that is written or read from its begin.
type bitString struct {
	b      []byte
	n      int  // bits that were written or read
	writes bool // for what writes and reads by the same calls
}

// put appends the lowest bits of a number.
func (s *bitString) put(v, width int) {
	for ; width > 0; width-- {
		if s.n%8 == 0 {
			s.b = append(s.b, 0)
		}
		s.b[s.n/8] |= byte(v>>(width-1)&1) << (s.n % 8)
		s.n++
	}
}

// take returns the next bits as a number. Behind the end all are 0.
func (s *bitString) take(width int) (v int) {
	for range width {
		v <<= 1
		if s.n/8 < len(s.b) {
			v |= int(s.b[s.n/8]>>(s.n%8)) & 1
		}
		s.n++
	}
	return v
}

// known returns the keys of all that the page showed, as far as the mark remembers.
func (m *Mark) known() *keySet { return m.own.set().union(m.others.set()) }

// missing returns the keys of the page's own texts of the last observation that a view lacks, and how many it had.
func (m *Mark) missing(v *View) (gone []uint16, of int) {
	shown := new(keySet)
	for _, b := range v.blocks {
		shown.add(b.key)
	}
	for key := range m.own.set().all {
		if of++; !shown.has(key) {
			gone = append(gone, key)
		}
	}
	return gone, of
}

// adopt makes the texts of a view known, beside those that were known before. If there are too many, these go.
func (m *Mark) adopt(v *View, known *keySet) {
	own, others := new(keySet), new(keySet)
	for _, b := range v.blocks {
		if v.isOwn(b) {
			own.add(b.key)
		} else {
			others.add(b.key)
		}
		if b.card != 0 {
			others.add(b.card) // the link may be too short for a block
		}
	}
	if all := others.union(known); all.len() <= knownKept {
		others = all
	}
	for i := range others {
		others[i] &^= own[i]
	}
	m.own, m.others = own.pack(), others.pack()
	m.adoptPlaces(v)
	m.text, m.links, m.prices = v.text, uint16(min(v.links, 1<<16-1)), v.prices
}

// placesRemembered is how many places and beginnings of lines a mark keeps.
const placesRemembered = 64

// noLines is among the places of a page that had too many. Then no beginnings of lines are kept.
const noLines = 0

// adoptPlaces makes the places of a view known, and how lines begin there, beside those that were known before.
func (m *Mark) adoptPlaces(v *View) {
	before, here, n := m.places.set(), new(keySet), 0
	for _, b := range v.blocks {
		if p := b.place; p != noLines && !here.has(p) && n < placesRemembered {
			here.add(p)
			n++
		}
	}
	all := before.union(here)
	for _, b := range v.blocks {
		if b.line != 0 && !before.has(noLines) {
			all.add(b.line)
		}
	}
	if all.len() > placesRemembered {
		all = here
		all.add(noLines)
	}
	m.places = all.pack()
}
