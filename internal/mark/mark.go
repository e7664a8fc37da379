// Package mark tells a change of a page's content from everything else that
// makes two responses differ. A [Mark] is the small, bounded memory that one
// page needs for it: fingerprints of the main texts it showed last.
package mark

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Outcome is what a look at a page's main text showed.
type Outcome uint8

// The outcomes.
const (
	First   Outcome = iota // the first look: there is nothing to compare with
	Same                   // the text of the look before
	Variant                // a text this page has shown before: an alternation, not a change
	Changed                // a text not seen among the last ones
)

// memory is how many texts a mark remembers. Pages alternate between a few
// variants (languages, tests, cookie banners); a text that comes back among the
// last four is one of them.
const memory = 4

// Mark remembers the last distinct main texts of a page, the latest first. The
// zero value has seen none.
type Mark struct {
	n     uint8
	texts [memory]uint64
}

// Look compares text, the fingerprint of a page's main text, with the mark and
// returns the mark after this look.
func (m Mark) Look(text uint64) (Mark, Outcome) {
	for i, t := range m.texts[:m.n] {
		if t != text {
			continue
		}
		copy(m.texts[1:i+1], m.texts[:i])
		m.texts[0] = text
		if i == 0 {
			return m, Same
		}
		return m, Variant
	}
	first := m.n == 0
	copy(m.texts[1:], m.texts[:memory-1])
	m.texts[0] = text
	m.n = min(m.n+1, memory)
	if first {
		return m, First
	}
	return m, Changed
}

// Agrees reports whether both marks have seen the same text last.
func (m Mark) Agrees(other Mark) bool {
	return m.n > 0 && other.n > 0 && m.texts[0] == other.texts[0]
}

// version leads the encoding, so that a better mark can replace this one
// without taking every page for changed.
const version = 1

// AppendBinary appends the mark's encoding to dst: at most 33 bytes, none for
// the zero value.
func (m Mark) AppendBinary(dst []byte) []byte {
	if m.n == 0 {
		return dst
	}
	dst = append(dst, version)
	for _, t := range m.texts[:m.n] {
		dst = binary.BigEndian.AppendUint64(dst, t)
	}
	return dst
}

// Parse decodes what [Mark.AppendBinary] wrote. An encoding of a later version
// is an error; the caller then begins a new mark.
func Parse(b []byte) (Mark, error) {
	var m Mark
	if len(b) == 0 {
		return m, nil
	}
	if b[0] != version {
		return m, fmt.Errorf("mark: version %d is not known", b[0])
	}
	b = b[1:]
	if len(b) == 0 || len(b)%8 != 0 || len(b)/8 > memory {
		return m, errors.New("mark: malformed encoding")
	}
	for len(b) > 0 {
		m.texts[m.n] = binary.BigEndian.Uint64(b)
		m.n++
		b = b[8:]
	}
	return m, nil
}
