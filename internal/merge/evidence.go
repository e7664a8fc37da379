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
func (p *Page) witnessedBy(k *Look) {
	p.route = p.route || k.Exact && k.Whole
	p.query = strings.Contains(k.Location, "?")
	p.variable = p.variable || k.Route != "" && capability.Variable(k.Route)
	if k.Group != 0 && p.loaded.sibling == sitewide.Uncounted {
		p.group = k.Group
	}
	p.visited(k)
}

// visited notes the client's network, while that is evidence.
func (p *Page) visited(k *Look) {
	n := uint16(k.Net - 1)
	if k.Net != 0 && !p.Public() && len(p.networks) < networksKept && !slices.Contains(p.networks, n) {
		p.networks = append(p.networks, n)
	}
}

// shownAfter is how far apart two looks must be for a link that both saw to be taken
// as shown to everybody.
const shownAfter = 24 * time.Hour

// linkedFrom notes that a look saw a listed page lead to the page, and reports whether
// that is news. A link that looks a day apart, or from two networks, saw is shown to
// everybody.
func (p *Page) linkedFrom(k *Look) bool {
	at := k.Moment().Second()
	switch {
	case p.shown || p.Public():
		return false
	case p.linkAt == 0:
		p.linkAt, p.linkNet = at, k.Net
	case p.linkNet == 0 && k.Net != 0 && at.Sub(p.linkAt) < shownAfter:
		p.linkNet = k.Net
	case at.Sub(p.linkAt) >= shownAfter, p.linkNet != 0 && k.Net != 0 && p.linkNet != k.Net:
		p.shown = true
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
		p, _ := m.Load(from)
		return p.Listed()
	}
}

// word returns what the location says by its words.
func (p *Page) word() admit.Word { return admit.WordOf(p.loaded.location, p.variable) }

// passes reports whether a link that one look saw would be enough for the location.
func (p *Page) passes() bool {
	word := p.word()
	return word != admit.Secret && (word != admit.Risky || p.unprompted)
}
