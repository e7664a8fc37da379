package mark

import (
	"encoding/binary"
	"errors"
	"slices"
)

var errMark = errors.New("mark: not a mark")

// AppendBinary appends the mark in a form that [Parse] reads. It takes 17 bytes, plus two for each block that the
// page showed, at most 3,600, plus up to 216 if its text moves.
func (m Mark) AppendBinary(b []byte) []byte {
	if !m.began {
		return b
	}
	watched, movers := full(m.watch[:]), full(m.movers[:])
	b = append(b, byte(len(watched)), byte(len(movers)))
	for _, part := range [...]any{&m.state, watched, movers} {
		b, _ = binary.Append(b, binary.BigEndian, part) // all have a fixed size
	}
	return append(b, m.known...)
}

// full returns the entries of a list, which are in front.
func full[T comparable](list []T) []T {
	var empty T
	if i := slices.Index(list, empty); i >= 0 {
		return list[:i]
	}
	return list
}

// Parse reads what AppendBinary wrote. No bytes give the zero Mark.
func Parse(b []byte) (m Mark, err error) {
	if len(b) == 0 {
		return Mark{}, nil
	}
	if len(b) < 2 || b[0] > watchKept || b[1] > moversKept {
		return Mark{}, errMark
	}
	watched, movers, b := m.watch[:b[0]], m.movers[:b[1]], b[2:]
	for _, part := range [...]any{&m.state, watched, movers} {
		n, err := binary.Decode(b, binary.BigEndian, part)
		if err != nil {
			return Mark{}, errMark
		}
		b = b[n:]
	}
	if len(b)%2 != 0 || len(b) > 2*knownKept {
		return Mark{}, errMark
	}
	m.began, m.known = true, string(b)
	m.Own, m.Doubt = min(m.Own, uint16(len(b)/2)), min(m.Doubt, firstDoubt)
	for i := range watched {
		watched[i].Seen = max(1, watched[i].Seen)
	}
	for i := range movers {
		movers[i].N = max(1, movers[i].N)
	}
	return m, nil
}

// MarshalBinary returns the mark as it is stored.
func (m Mark) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil), nil }

// UnmarshalBinary reads what MarshalBinary wrote. A mark that cannot be read starts anew.
func (m *Mark) UnmarshalBinary(b []byte) error {
	*m, _ = Parse(b)
	return nil
}
