package merge

import (
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/sitewide"
)

// verdict decides on a page as it is now.
func (m *Batch) verdict(s *Page) (admit.Verdict, admit.Reason) {
	location := s.loaded.location
	rule, _ := m.site.Rules.Match(location)
	disallowed := m.site.disallowed(location, s)
	if s.barred && rule.Listing != admit.Always && (s.witnessed || rule.Listing != admit.Never && !disallowed) {
		return admit.Excluded, admit.Forgotten
	}
	if !s.witnessed {
		return s.unwitnessed(rule.Listing, disallowed)
	}
	content := s.content
	if content == admit.None && !s.self && m.site.ForeignQuery(location) {
		content = admit.QueryNotCanonical // it was allowed once
	}
	ev := admit.Evidence{
		Entry:  m.site.Entries[location],
		Led:    s.hop > 0,
		Route:  s.route,
		Link:   s.link,
		Before: s.Public(),
		Crowd:  s.crowd,

		Disallowed: disallowed,
	}
	if !ev.Before {
		m.toEnter(&ev, s)
	}
	return admit.Decide(ev, rule.Listing, content, m.site.Networks, s.ownURL)
}

// unwitnessed is the verdict on a page that was not there when it was last asked for.
func (s *Page) unwitnessed(rule admit.Listing, disallowed bool) (admit.Verdict, admit.Reason) {
	switch {
	case rule == admit.Never:
		return admit.Excluded, admit.RuleNever
	case disallowed:
		return admit.Excluded, admit.Disallowed
	case s.absent != admit.None && s.Public():
		return admit.Gone, s.absent
	case s.content == admit.Private, s.content == admit.NoStore:
		return admit.Excluded, s.content
	case s.link || s.hop > 0:
		return admit.Waiting, admit.NotSeen
	}
	return admit.Waiting, admit.NoEvidence
}

// toEnter fills in what matters only of a page that has never been listed.
func (m *Batch) toEnter(ev *admit.Evidence, s *Page) {
	ev.Word, ev.Unprompted = s.word(), s.unprompted
	ev.Shown, ev.Shared, ev.Networks = s.shown, s.shared, len(s.networks)
	if s.group != 0 && (ev.Link || ev.Led || ev.Networks >= m.site.Networks) {
		n := sitewide.ReadSiblings(m.Get(m.site.Keys.Siblings(s.group)))
		ev.Siblings, ev.Orphans, ev.Grown = n.Linked, n.Orphans, n.GrownOn(s.lastSeen.Day())
	}
}
