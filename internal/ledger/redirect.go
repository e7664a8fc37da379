package ledger

import (
	"net/http"
	"strings"

	"github.com/servemap/servemap/internal/admit"
)

// redirect merges a redirect: the target of an entry's is an entry too, and a
// page that has moved for good hands its history on.
func (m *merge) redirect(k *look, s *state) {
	if (s.link || m.l.entries[k.Location]) && !s.witnessed && s.status != k.Response.Status {
		s.status = k.Response.Status
		m.save(k.Location, s)
	}
	permanent := k.Response.Status == http.StatusMovedPermanently || k.Response.Status == http.StatusPermanentRedirect
	switch k.target {
	case "":
		if permanent && s.listed() {
			m.doubt(k, s, admit.Moved)
		}
		return
	case k.Location:
		return
	}
	if k.echo.repeats(k.target) && !respelled(k.Location, k.target) {
		return // it leads the visitor back, and nobody else
	}
	hop := 0
	if m.l.entries[k.Location] {
		hop = 1
	} else if s.hop == 1 {
		hop = 2
	}
	hop = m.steady(k, s, hop)
	moved := permanent && s.listed() && !m.late(s, k.At.UnixMilli())
	led := permanent && (moved || s.link && m.forAll(k, s)) // what a public link leads to, by a redirect that stays
	if hop == 0 && !led {
		if permanent && !s.link {
			m.effects.early = append(m.effects.early, k)
		}
		return
	}
	if moved {
		before := *s
		m.withdraw(k, s, admit.Moved)
		s = &before
	}
	to, _ := m.load(k.target)
	if hop != 0 && (to.hop == 0 || hop < to.hop) {
		to.hop = hop
	}
	m.point(k, k.target, to)
	to.link = to.link || led
	if moved {
		to.inherit(s)
	}
	m.save(k.target, to)
}

// steady returns hop if the redirect leads to the same target as before, and 0
// for one that leads each visitor to a page of his own. The first target that
// is seen counts at once; another one when it is seen twice running.
func (m *merge) steady(k *look, s *state, hop int) int {
	if hop == 0 {
		return 0
	}
	target := m.l.secret.Key().Hash("target", k.target)
	switch {
	case s.nextTarget == target && k.At.UnixMilli() == s.nextAt:
		return 0 // the same look, merged again
	case s.target == 0, s.nextTarget == target:
		s.leadTo(target, k)
		s.nextTarget, s.nextAt = 0, 0
	case s.target != target:
		s.nextTarget, s.nextAt, hop = target, k.At.UnixMilli(), 0
	default:
		if s.nextTarget == 0 {
			return hop
		}
		s.nextTarget, s.nextAt = 0, 0
	}
	m.save(k.Location, s)
	return hop
}

// leadTo notes that the look is the first that counts of those that saw the
// location lead to a target.
func (s *state) leadTo(target uint64, k *look) {
	s.target, s.targetAt, s.targetNet = target, k.At.UnixMilli(), k.net()
}

// forAll reports whether a redirect leads everybody to the same target: because
// that is the same location in another spelling, or because looks a day apart,
// or from two networks, saw it.
func (m *merge) forAll(k *look, s *state) bool {
	if respelled(k.Location, k.target) {
		return true
	}
	target := m.l.secret.Key().Hash("target", k.target)
	if s.target != target {
		s.leadTo(target, k)
		m.save(k.Location, s)
		return false
	}
	return k.At.UnixMilli()-s.targetAt >= shownAfter.Milliseconds() || s.targetNet != 0 && k.net() != 0 && s.targetNet != k.net()
}

// respelled reports whether two locations differ only in what names the same
// page: the case, a slash at the end, an extension, the name of an index.
func respelled(a, b string) bool {
	return bare(a) == bare(b)
}

func bare(location string) string {
	path, _, _ := strings.Cut(strings.ToLower(location), "?")
	for _, end := range []string{"/", ".html", ".htm", ".php", "/index", "/default"} {
		path = strings.TrimSuffix(path, end)
	}
	return path
}

// inherit takes over the history of the page that has moved here.
func (s *state) inherit(from *state) {
	if s.firstSeen == 0 {
		s.mark, s.rate = from.mark, from.rate
		s.dates.Inherit(from.dates)
		s.looks = from.looks
	}
	if s.firstSeen == 0 || from.firstSeen < s.firstSeen {
		s.firstSeen = from.firstSeen
	}
}
