package mark

// knownKept is how many keys of a page are kept at most.
const knownKept = 1800

// keySet is a set of keys.
type keySet [1 << 16 / 64]uint64

func (s *keySet) has(key uint16) bool { return s[key>>6]&(1<<(key&63)) != 0 }
func (s *keySet) add(key uint16)      { s[key>>6] |= 1 << (key & 63) }

// setOf returns keys as a set.
func setOf(keys string) *keySet {
	s := new(keySet)
	for i := 0; i < len(keys); i += 2 {
		s.add(keyAt(keys, i))
	}
	return s
}

func keyAt(keys string, i int) uint16 { return uint16(keys[i])<<8 | uint16(keys[i+1]) }

// missing returns the keys of the page's own texts of the last observation that a view lacks.
func (m *Mark) missing(v *View) (keys []uint16) {
	shown := new(keySet)
	for i := range v.blocks {
		shown.add(v.blocks[i].key)
	}
	for i := 0; i < 2*int(m.Own); i += 2 {
		if key := keyAt(m.known, i); !shown.has(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// adopt makes the texts of a view known. The page's own go first, and the oldest go when there are too many.
func (m *Mark) adopt(v *View) {
	var taken keySet
	keys := make([]byte, 0, len(m.known)+2*len(v.blocks))
	note := func(key uint16) {
		if !taken.has(key) && len(keys) < 2*knownKept {
			taken.add(key)
			keys = append(keys, byte(key>>8), byte(key))
		}
	}
	for i := range v.blocks {
		if b := &v.blocks[i]; m.isOwn(b) {
			note(b.key)
		}
	}
	m.Own = uint16(len(keys) / 2)
	for i := range v.blocks {
		note(v.blocks[i].key)
	}
	for i := 0; i < len(m.known); i += 2 {
		note(keyAt(m.known, i))
	}
	m.known = string(keys)
	m.adoptPlaces(v)
	m.Text, m.Links = v.text, uint16(min(v.links, 1<<16-1))
}

// placesRemembered is how many places and beginnings of lines a mark keeps.
const placesRemembered = 64

// adoptPlaces makes the places of a view known.
func (m *Mark) adoptPlaces(v *View) {
	var taken keySet
	keys := make([]byte, 0, len(m.places)+16)
	note := func(key uint16) {
		if key != 0 && !taken.has(key) && len(keys) < 2*placesRemembered {
			taken.add(key)
			keys = append(keys, byte(key>>8), byte(key))
		}
	}
	for i := range v.blocks {
		note(v.blocks[i].place)
	}
	for i := range v.blocks {
		note(v.blocks[i].line)
	}
	for i := 0; i < len(m.places); i += 2 {
		note(keyAt(m.places, i))
	}
	m.places = string(keys)
}
