package sitewide

import "github.com/servemap/servemap/internal/schema/codec"

// Sibling says how a page counts among its siblings, the pages of its route or folder.
type Sibling uint8

// How a page counts.
const (
	Uncounted Sibling = iota
	Linked            // listed because of a link
	Orphan            // listed because of networks alone
)

// Siblings is the record of one route or folder. It says how many of its pages are listed. For the
// latest day on which links got pages listed, it also says how many.
type Siblings struct {
	Linked  int   `cbor:"1,keyasint,omitzero"`
	Orphans int   `cbor:"2,keyasint,omitzero"`
	Day     int64 `cbor:"3,keyasint,omitzero"` // days since the Unix epoch
	Grown   int   `cbor:"4,keyasint,omitzero"`
}

// ReadSiblings reads what Encode wrote. An unreadable record says that no page is listed, so
// networks alone get none listed.
func ReadSiblings(b []byte) (s Siblings) {
	if codec.Unmarshal(b, &s) != nil || min(s.Linked, s.Orphans, s.Grown) < 0 {
		return Siblings{}
	}
	return s
}

// Encode returns nil if there is nothing to remember.
func (s Siblings) Encode() []byte { return codec.MarshalOrNil(s) }

// GrownOn returns how many pages links got listed on a day.
func (s Siblings) GrownOn(day int64) int {
	if s.another(day) {
		return 0
	}
	return s.Grown
}

// Recount changes how one page counts.
func (s *Siblings) Recount(from, to Sibling) {
	s.add(from, -1)
	s.add(to, 1)
}

func (s *Siblings) add(as Sibling, by int) {
	switch as {
	case Linked:
		s.Linked += by
	case Orphan:
		s.Orphans += by
	}
}

// Grow counts a page that a link got listed on a day.
func (s *Siblings) Grow(day int64) {
	if s.another(day) {
		s.Day, s.Grown = day, 0
	}
	s.Grown++
}

// another reports whether a day is not the one being counted. The day before counts as the same,
// since observations come late. A day long before means that a clock was ahead.
func (s Siblings) another(day int64) bool { return day > s.Day || day < s.Day-1 }
