package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/pagerecord"
)

// point notes that a look saw a listed page lead to the page, and reports whether that
// is news.
func (m *Batch) point(k *Look, to *pagerecord.Page) (changed bool) {
	changed = to.LinkedFrom(k.Look)
	if !to.Unprompted && !to.Public() && to.Word() == admit.Risky && m.unprompted(k) {
		to.Unprompted, changed = true, true
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
