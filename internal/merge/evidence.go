package merge

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// evidence is what speaks for listing the page. Looks at it add to it, and looks at
// pages that lead to it; see links.go and redirect.go.
type evidence struct {
	route    bool        // its route's template is exactly its location, and showed a whole document
	variable bool        // a variable of its route is named like a secret
	query    bool        // its location has one
	link     bool        // a listed page links to it
	linkAt   moment.Time // when a look first saw such a link, to the second, while it waits
	linkNet  uint32      // whose look that was; see look.Look.Net
	shown    bool        // looks a day apart, or from two networks, saw such a link

	// unprompted says that a look saw such a link whose request named no page but
	// public ones. It is only noted where the location has a risky word.
	unprompted bool

	hop      int      // entries that redirect here, one or two steps away
	networks []uint16 // that got the page while it waits
	group    uint64   // its route or folder
	counted  kinship  // how it counts in its group
}

const (
	evidenceRoute = fieldsEvidence + iota
	evidenceVariable
	evidenceQuery
	evidenceLink
	evidenceLinkAt
	evidenceLinkNet
	evidenceShown
	evidenceUnprompted
	evidenceHop
	evidenceNetworks
	evidenceGroup
	evidenceCounted
)

func (ev *evidence) encode(e *record.Encoder) {
	e.Bool(evidenceRoute, ev.route)
	e.Bool(evidenceVariable, ev.variable)
	e.Bool(evidenceQuery, ev.query)
	e.Bool(evidenceLink, ev.link)
	e.Date(evidenceLinkAt, ev.linkAt)
	e.Uint(evidenceLinkNet, uint64(ev.linkNet))
	e.Bool(evidenceShown, ev.shown)
	e.Bool(evidenceUnprompted, ev.unprompted)
	e.Uint(evidenceHop, uint64(ev.hop))
	e.Bytes(evidenceNetworks, encodeShorts(ev.networks))
	e.Fixed(evidenceGroup, ev.group)
	e.Uint(evidenceCounted, uint64(ev.counted))
}

func (ev *evidence) decode(f record.Field) bool {
	switch f.Num {
	case evidenceRoute:
		ev.route = true
	case evidenceVariable:
		ev.variable = true
	case evidenceQuery:
		ev.query = true
	case evidenceLink:
		ev.link = true
	case evidenceLinkAt:
		ev.linkAt = f.Date()
	case evidenceLinkNet:
		ev.linkNet = uint32(f.Value)
	case evidenceShown:
		ev.shown = true
	case evidenceUnprompted:
		ev.unprompted = true
	case evidenceHop:
		ev.hop = f.Count()
	case evidenceNetworks:
		ev.networks = decodeShorts(f.Data)
	case evidenceGroup:
		ev.group = f.Value
	case evidenceCounted:
		ev.counted = kinship(f.Value)
	default:
		return false
	}
	return true
}

func encodeShorts(list []uint16) []byte {
	var b []byte
	for _, n := range list {
		b = binary.BigEndian.AppendUint16(b, n)
	}
	return b
}

func decodeShorts(b []byte) (list []uint16) {
	for ; len(b) >= 2; b = b[2:] {
		list = append(list, binary.BigEndian.Uint16(b))
	}
	return list
}

// networksKept bounds the networks remembered of one waiting page.
const networksKept = 32

// witnessedBy notes what a look at the page adds to the reasons for listing it.
func (s *Page) witnessedBy(k *Look) {
	s.route = s.route || k.Exact && k.Whole
	s.query = strings.Contains(k.Location, "?")
	s.variable = s.variable || k.Route != "" && capability.Variable(k.Route)
	if k.Group != 0 && s.counted == stranger {
		s.group = k.Group
	}
	s.visited(k)
}

// visited notes the client's network, while that is evidence.
func (s *Page) visited(k *Look) {
	n := uint16(k.Net - 1)
	if k.Net != 0 && !s.Public() && len(s.networks) < networksKept && !slices.Contains(s.networks, n) {
		s.networks = append(s.networks, n)
	}
}

// shownAfter is how far apart two looks must be for a link that both saw to be taken
// as shown to everybody.
const shownAfter = 24 * time.Hour

// linkedFrom notes that a look saw a listed page lead to the page, and reports whether
// that is news. A link that looks a day apart, or from two networks, saw is shown to
// everybody.
func (s *Page) linkedFrom(k *Look) bool {
	at := k.Moment().Second()
	switch {
	case s.shown || s.Public():
		return false
	case s.linkAt == 0:
		s.linkAt, s.linkNet = at, k.Net
	case s.linkNet == 0 && k.Net != 0 && at.Sub(s.linkAt) < shownAfter:
		s.linkNet = k.Net
	case at.Sub(s.linkAt) >= shownAfter, s.linkNet != 0 && k.Net != 0 && s.linkNet != k.Net:
		s.shown = true
	default:
		return false
	}
	return true
}

// point notes that a look saw a listed page lead to the page, and reports whether that
// is news.
func (m *Batch) point(k *Look, to *Page) (changed bool) {
	changed = to.linkedFrom(k)
	if !to.unprompted && !to.Public() && to.word() == admit.Risky && m.unprompted(k) {
		to.unprompted, changed = true, true
	}
	return changed
}

// unprompted reports whether the request named no page but public ones, so that no link
// can be there for the visitor's sake.
func (m *Batch) unprompted(k *Look) bool {
	switch from := k.Echo.From; {
	case k.Echo.Prompted:
		return false
	case from == "" || m.site.Entries[from]:
		return true
	default:
		s, _ := m.Load(from)
		return s.Listed()
	}
}

// word returns what the location says by its words.
func (s *Page) word() admit.Word { return admit.WordOf(s.loaded.location, s.variable) }

// passes reports whether a link that one look saw would be enough for the location.
func (s *Page) passes() bool {
	word := s.word()
	return word != admit.Secret && (word != admit.Risky || s.unprompted)
}
