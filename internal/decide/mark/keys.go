package mark

import (
	"iter"
	"math/bits"
)

// A key is a part of the hash of a text, or of what says where it stands. One new text in 72 looks known on a page that
// has shown as many as are kept. With a bit less, pages where much moves get twice as many false dates.
const keyBits = 16

func keyOf(hash uint64) uint16 { return uint16(hash >> (64 - keyBits)) }

// knownKept is how many keys of a page are kept at most.
const knownKept = 900

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

// all returns the keys in rising order.
func (s *keySet) all() iter.Seq[uint16] {
	return func(yield func(uint16) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(uint16(64*i + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// keys is a set of keys as a mark keeps it: their number, and the gaps between them in Golomb-Rice code.
type keys string

// pack returns a set in few bytes.
func (s *keySet) pack() keys {
	n, next := s.len(), 0
	if n == 0 {
		return ""
	}
	w := bitString{}
	w.put(n, keyBits)
	for key := range s.all() {
		gap, low := int(key)-next, keyBits-bits.Len(uint(n))
		for range gap >> low {
			w.put(1, 1)
		}
		w.put(0, 1)
		w.put(gap, low)
		next = int(key) + 1
	}
	return keys(w.b)
}

// set returns the keys as a set. Of damaged ones it returns some set.
func (k keys) set() *keySet {
	s, r := new(keySet), bitString{b: []byte(k)}
	n, next := r.take(keyBits), 0
	for range n {
		gap, low := 0, keyBits-bits.Len(uint(n))
		for r.take(1) == 1 {
			gap += 1 << low
		}
		if next += gap + r.take(low); next >= 1<<keyBits || r.n > 8*len(r.b) {
			break
		}
		s.add(uint16(next))
		next++
	}
	return s
}

// bitString is a string of bits that is written or read from its begin.
type bitString struct {
	b []byte
	n int // bits that were written or read
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
	for i := range v.blocks {
		shown.add(v.blocks[i].key)
	}
	for key := range m.own.set().all() {
		if of++; !shown.has(key) {
			gone = append(gone, key)
		}
	}
	return gone, of
}

// adopt makes the texts of a view known, beside those that were known before. If there are too many, these go.
func (m *Mark) adopt(v *View, known *keySet) {
	own, others := new(keySet), new(keySet)
	for i := range v.blocks {
		b := &v.blocks[i]
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
	m.Text, m.Links, m.Prices = v.text, uint16(min(v.links, 1<<16-1)), v.prices
}

// placesRemembered is how many places and beginnings of lines a mark keeps.
const placesRemembered = 64

// adoptPlaces makes the places of a view known.
func (m *Mark) adoptPlaces(v *View) {
	places, n := new(keySet), 0
	note := func(key uint16) {
		if key != 0 && n < placesRemembered && !places.has(key) {
			places.add(key)
			n++
		}
	}
	for i := range v.blocks {
		note(v.blocks[i].place)
	}
	for i := range v.blocks {
		note(v.blocks[i].line)
	}
	for key := range m.places.set().all() {
		note(key)
	}
	m.places = places.pack()
}
