package mark

import (
	"encoding/binary"
	"slices"
)

// MarshalBinary returns the mark as it is stored. It takes 25 bytes, some eight bits for each block that the page
// showed, and up to 250 bytes more if its text moves.
func (m Mark) MarshalBinary() (b []byte, err error) {
	if !m.began {
		return nil, nil
	}
	watched, movers := full(m.watch[:]), full(m.movers[:])
	b = append(b, byte(len(watched)), byte(len(movers)), byte(len(m.places)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.own)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.others)))
	for _, part := range [...]any{&m.state, watched, movers} {
		b, _ = binary.Append(b, binary.BigEndian, part) // all have a fixed size
	}
	return append(append(append(b, m.places...), m.own...), m.others...), nil
}

// formNow is the form of what is stored. A mark of another form has other hashes or
// fields, so it starts anew.
const formNow = 9

// full returns the entries of a list, which are in front.
func full[T comparable](list []T) []T {
	var empty T
	if i := slices.Index(list, empty); i >= 0 {
		return list[:i]
	}
	return list
}

// UnmarshalBinary reads what MarshalBinary wrote. A mark that cannot be read starts anew.
func (m *Mark) UnmarshalBinary(b []byte) error {
	*m = Mark{}
	if len(b) < 7 || b[0] > watchKept || b[1] > moversKept {
		return nil
	}
	var read Mark
	watched, movers, others := read.watch[:b[0]], read.movers[:b[1]], int(binary.BigEndian.Uint16(b[5:]))
	places, own, b := int(b[2]), int(binary.BigEndian.Uint16(b[3:])), b[7:]
	for _, part := range [...]any{&read.state, watched, movers} {
		n, err := binary.Decode(b, binary.BigEndian, part)
		if err != nil {
			return nil
		}
		b = b[n:]
	}
	if read.Form != formNow || len(b) != places+own+others {
		return nil
	}
	read.began, read.Doubt = true, min(read.Doubt, firstDoubt)
	read.places, read.own, read.others = keys(b[:places]), keys(b[places:places+own]), keys(b[places+own:])
	for i := range watched {
		watched[i].Seen = max(1, watched[i].Seen)
	}
	for i := range movers {
		movers[i].N = max(1, movers[i].N)
	}
	*m = read
	return nil
}
