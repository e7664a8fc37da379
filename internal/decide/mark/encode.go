package mark

import (
	"encoding/binary"
	"slices"
)

// MarshalBinary returns the mark as it is stored. It takes 17 bytes, plus two for each block that the
// page showed, at most 3,600, plus up to 350 if its text moves.
func (m Mark) MarshalBinary() (b []byte, err error) {
	if !m.began {
		return nil, nil
	}
	watched, movers := full(m.watch[:]), full(m.movers[:])
	b = append(b, byte(len(watched)), byte(len(movers)), byte(len(m.places)/2))
	for _, part := range [...]any{&m.state, watched, movers} {
		b, _ = binary.Append(b, binary.BigEndian, part) // all have a fixed size
	}
	return append(append(b, m.places...), m.known...), nil
}

// formNow is the form of what is stored. A mark of another form has other hashes of texts, so it starts anew.
const formNow = 3

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
	if len(b) < 3 || b[0] > watchKept || b[1] > moversKept || b[2] > placesRemembered {
		return nil
	}
	var read Mark
	watched, movers, places, b := read.watch[:b[0]], read.movers[:b[1]], 2*int(b[2]), b[3:]
	for _, part := range [...]any{&read.state, watched, movers} {
		n, err := binary.Decode(b, binary.BigEndian, part)
		if err != nil {
			return nil
		}
		b = b[n:]
	}
	if len(b) < places {
		return nil
	}
	read.places, b = string(b[:places]), b[places:]
	if len(b)%2 != 0 || len(b) > 2*knownKept || read.Form != formNow {
		return nil
	}
	read.began, read.known = true, string(b)
	read.Own, read.Doubt = min(read.Own, uint16(len(b)/2)), min(read.Doubt, firstDoubt)
	for i := range watched {
		watched[i].Seen = max(1, watched[i].Seen)
	}
	for i := range movers {
		movers[i].N = max(1, movers[i].N)
	}
	*m = read
	return nil
}
