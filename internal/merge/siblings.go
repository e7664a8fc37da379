package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/record"
)

// kinship says how a page counts among its siblings, the pages of its route or folder.
// The numbers are stored.
type kinship uint8

const (
	stranger kinship = iota // not at all
	sibling                 // listed by a link
	orphan                  // listed by networks alone
)

// siblings is the record of one route or folder: how many of its pages are listed, and
// how many of those became so by a link on the last day that had any.
type siblings struct {
	siblings, orphans int
	day               int64 // days since the Unix epoch
	grown             int
	unread            record.Unread
}

// readSiblings reads what encode wrote. Of a record that it cannot read it says that no
// page is listed, so that networks alone list none.
func readSiblings(b []byte) (n siblings) {
	n.unread, _ = record.Read(b, func(f record.Field) bool {
		switch f.Num {
		case 1:
			n.siblings = f.Count()
		case 2:
			n.orphans = f.Count()
		case 3:
			n.day = f.Int()
		case 4:
			n.grown = f.Count()
		default:
			return false
		}
		return true
	})
	return n
}

// encode returns nil when there is nothing to remember.
func (n siblings) encode() []byte {
	var e record.Encoder
	e.Uint(1, uint64(max(0, n.siblings)))
	e.Uint(2, uint64(max(0, n.orphans)))
	e.Int(3, n.day)
	e.Uint(4, uint64(n.grown))
	e.Keep(n.unread)
	return e.SealAny()
}

// grownOn returns how many pages became listed by a link on a day.
func (n siblings) grownOn(day int64) int {
	if n.another(day) {
		return 0
	}
	return n.grown
}

// add counts a page, or with by -1 no longer.
func (n *siblings) add(as kinship, by int) {
	switch as {
	case sibling:
		n.siblings += by
	case orphan:
		n.orphans += by
	}
}

// grow counts a page that a link made listed.
func (n *siblings) grow(day int64) {
	if n.another(day) {
		n.day, n.grown = day, 0
	}
	n.grown++
}

// another reports whether a day is not the one that is counted. The day before it is,
// as looks come late; a day long before it says that a clock was ahead.
func (n siblings) another(day int64) bool { return day > n.day || day < n.day-1 }

// kinship returns how the page counts, as it is now.
func (s *Page) kinship() kinship {
	switch {
	case !s.Listed() || s.group == 0:
		return stranger
	case s.link:
		return sibling
	case s.Reason == admit.ByNetworks, s.Reason == admit.ByHistory:
		return orphan
	}
	return stranger
}

// count brings the record of the page's siblings in line with the page. isNew says that
// the page was never listed before.
func (m *Batch) count(s *Page, isNew bool) {
	as := s.kinship()
	grows := isNew && as == sibling
	if as == s.counted && !grows {
		return
	}
	key := m.site.Keys.Kin(s.group)
	n := readSiblings(m.Get(key))
	n.add(s.counted, -1)
	n.add(as, 1)
	if grows {
		n.grow(s.lastSeen.Day())
	}
	s.counted = as
	m.Put(key, n.encode())
}
