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
		if b := &v.blocks[i]; !m.List || b.item {
			note(b.key)
		}
	}
	for i := 0; i < len(m.known); i += 2 {
		note(keyAt(m.known, i))
	}
	m.known = string(keys)
	m.Text, m.Links = v.text, uint16(min(v.links, 1<<16-1))
}
