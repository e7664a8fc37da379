package mark

// formNow is the form of what is stored. A mark of another form has other hashes or fields, so it starts anew.
const formNow = 12

// MarshalBinary returns the mark as it is stored. It takes 20 bytes, some eight bits for each block that the page
// showed, and up to 200 bytes more if its text moves.
func (m Mark) MarshalBinary() (b []byte, err error) {
	if !m.began {
		return nil, nil
	}
	s := bitString{writes: true}
	s.put(formNow, 8)
	m.code(&s)
	return s.b, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. A mark that cannot be read starts anew.
func (m *Mark) UnmarshalBinary(b []byte) error {
	*m = Mark{}
	read, s := Mark{began: true}, bitString{b: b}
	if s.take(8) != formNow {
		return nil
	}
	if read.code(&s); (s.n+7)/8 == len(b) {
		*m = read
	}
	return nil
}

// code writes or reads a mark.
func (m *Mark) code(s *bitString) {
	number(s, &m.doubt, 3)
	number(s, &m.led, 2)
	number(s, &m.links, 16)
	repeated(s, &m.prices, 0, 16)
	number(s, &m.text, 32)
	number(s, &m.size, 32)
	inTurn(s, m.watch[:], 3, (*watched).code)
	inTurn(s, m.movers[:], 5, (*mover).code)
	for _, set := range [...]*keys{&m.places, &m.own, &m.others} {
		if s.writes {
			set.set().write(s)
		} else {
			*set = readSet(s).pack()
		}
	}
}

// code writes or reads a watched block. Most that came together have much in common.
func (w *watched) code(s *bitString, before watched) {
	number(s, &w.Key, keyBits)
	repeated(s, &w.Form, before.Form, keyBits)
	repeated(s, &w.Prev, before.Prev, keyBits)
	repeated(s, &w.Next, before.Next, keyBits)
	repeated(s, &w.Since, before.Since, 32)
	repeated(s, &w.Seen, before.Seen, 4)
	repeated(s, &w.Patience, before.Patience, 3)
	repeated(s, &w.Wait, before.Wait, 16)
	repeated(s, &w.Hash, before.Hash, 32)
	repeated(s, &w.Place, before.Place, keyBits)
	repeated(s, &w.Wave, before.Wave, keyBits)
	repeated(s, &w.Most, before.Most, 4)
}

// code writes or reads a mover.
func (o *mover) code(s *bitString, before mover) {
	number(s, &o.Name, keyBits)
	repeated(s, &o.Stay, before.Stay, 16)
	number(s, &o.N, 3)
}

// number writes or reads a number.
func number[T uint8 | uint16 | uint32 | int](s *bitString, v *T, width int) {
	if s.writes {
		s.put(int(*v), width)
	} else {
		*v = T(s.take(width))
	}
}

// repeated writes or reads a number that takes one bit if it is the one before.
func repeated[T uint8 | uint16 | uint32](s *bitString, v *T, before T, width int) {
	other := 0
	if *v != before {
		other = 1
	}
	if number(s, &other, 1); other == 1 {
		number(s, v, width)
	} else {
		*v = before
	}
}

// inTurn writes or reads the entries of a list, which are in front. Each is told the one before.
func inTurn[T comparable](s *bitString, entries []T, width int, code func(*T, *bitString, T)) {
	var before T
	n := 0
	for n < len(entries) && entries[n] != before {
		n++
	}
	number(s, &n, width)
	for i := range entries[:min(n, len(entries))] {
		code(&entries[i], s, before)
		before = entries[i]
	}
}
