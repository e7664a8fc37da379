package merge

import (
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/sitewide"
)

// networksKept bounds the networks remembered of one waiting page.
const networksKept = 32

// witnessedBy notes what a look at the page adds to the reasons for listing it.
func (s *Page) witnessedBy(k *Look) {
	s.route = s.route || k.Exact && k.Whole
	s.query = strings.Contains(k.Location, "?")
	s.variable = s.variable || k.Route != "" && capability.Variable(k.Route)
	if k.Group != 0 && s.loaded.sibling == sitewide.Uncounted {
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
