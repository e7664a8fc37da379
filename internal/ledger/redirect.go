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
	to.point(k)
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
	target := m.l.secret.short("target", k.target)
	switch {
	case s.nextTarget == target && k.At.UnixNano() == s.readAt:
		return 0 // the same look, merged again
	case s.target == 0, s.nextTarget == target:
		s.target, s.nextTarget = target, 0
	case s.target != target:
		s.nextTarget, s.readAt, hop = target, k.At.UnixNano(), 0
	default:
		if s.nextTarget == 0 {
			return hop
		}
		s.nextTarget = 0
	}
	m.save(k.Location, s)
	return hop
}

// forAll reports whether a redirect leads everybody to the same target: because
// that is the same location in another spelling, or because looks a day apart,
// or from two networks, saw it.
func (m *merge) forAll(k *look, s *state) bool {
	if respelled(k.Location, k.target) {
		return true
	}
	target := m.l.secret.short("target", k.target)
	if s.target != target || s.readAt == 0 {
		s.target, s.readAt, s.readNet = target, k.At.Unix(), k.net()
		m.save(k.Location, s)
		return false
	}
	return k.At.Unix()-s.readAt >= int64(shownAfter.Seconds()) || s.readNet != 0 && k.net() != 0 && s.readNet != k.net()
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
		s.changed, s.exact, s.exactBy = from.changed, from.exact, from.exactBy
		s.looks, s.changes = from.looks, from.changes
	}
	if s.firstSeen == 0 || from.firstSeen < s.firstSeen {
		s.firstSeen = from.firstSeen
	}
}
