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
	Linked, Orphans int

	day    int64 // days since the Unix epoch
	grown  int
	unread codec.Unread
}

// ReadSiblings reads what Encode wrote. An unreadable record says that no page is listed, so
// networks alone get none listed.
func ReadSiblings(b []byte) (s Siblings) {
	s.unread, _ = codec.Read(b, codec.Into(s.fields))
	return s
}

func (s *Siblings) fields(f *codec.Fields) {
	f.Count(1, &s.Linked)
	f.Count(2, &s.Orphans)
	f.Int(3, &s.day)
	f.Count(4, &s.grown)
}

// Encode returns nil if there is nothing to remember.
func (s Siblings) Encode() []byte { return codec.Write(s.fields, s.unread) }

// GrownOn returns how many pages links got listed on a day.
func (s Siblings) GrownOn(day int64) int {
	if s.another(day) {
		return 0
	}
	return s.grown
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
		s.day, s.grown = day, 0
	}
	s.grown++
}

// another reports whether a day is not the one being counted. The day before counts as the same,
// since looks come late. A day long before means that a clock was ahead.
func (s Siblings) another(day int64) bool { return day > s.day || day < s.day-1 }
