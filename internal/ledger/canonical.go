package ledger

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
)

// canonicalNews is what a look at a variant says of the page that the variant
// names as its canonical one: the variant's mark before the look, and what the
// look showed, if it was read.
type canonicalNews struct {
	read   bool
	before mark.Mark
}

// feed has the page that a variant names as its canonical one profit from the
// visit: whatever speaks for the variant speaks for it, and while both show one
// text, what happens to the one happens to the other. A page that nobody got
// under its own location stays unlisted.
func (m *merge) feed(k *look, variant *state, news canonicalNews) {
	if k.content != admit.CanonicalElsewhere && k.content != admit.QueryNotCanonical {
		return
	}
	s, _ := m.load(k.canonical)
	changed := false
	if !s.public() {
		changed = m.feedEvidence(k, variant, s)
	}
	if at := k.At.UnixMilli(); s.witnessed && s.content == admit.None && m.follows(s, at) {
		before := seconds(s.lastSeen)
		s.lastSeen, changed = at, true
		m.feedContent(k, s, news, before)
	}
	if changed {
		m.save(k.canonical, s)
	}
}

// feedEvidence passes on what speaks for a variant. A link to it is as good as
// one to the page, since every visitor of the one is told of the other.
func (m *merge) feedEvidence(k *look, variant, s *state) (changed bool) {
	networks := len(s.networks)
	if s.witnessed {
		s.visited(k)
	}
	changed = len(s.networks) != networks
	if (variant.link || variant.hop > 0 || m.l.entries[k.Location]) && !variant.noFollow {
		changed = m.point(k, k.canonical, s) || !s.link || changed
		s.link = true
	}
	return changed
}

// feedContent dates the page by what the variant shows, if both showed the same
// text before.
func (m *merge) feedContent(k *look, s *state, news canonicalNews, before int64) {
	if !news.read || !news.before.Agrees(s.mark) {
		return
	}
	variant := *k
	variant.server, variant.own, variant.same = 0, 0, false // its dates are its own
	m.settle(&variant, s, m.mark(k, s, before))
}
