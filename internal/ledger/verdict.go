package ledger

import (
	"strings"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/journal"
)

// verdict decides on a location as its state now is.
func (m *merge) verdict(location string, s *state) (admit.Verdict, admit.Reason) {
	rule, _ := m.l.cfg.Rules.Match(location)
	disallowed := m.l.disallowed(location, s)
	switch {
	case !s.witnessed && rule.Listing == admit.Never:
		return admit.Excluded, admit.RuleNever
	case !s.witnessed && disallowed:
		return admit.Excluded, admit.Disallowed
	case s.barred && rule.Listing != admit.Always:
		return admit.Excluded, admit.Forgotten
	case !s.witnessed && s.absent != admit.None && s.public():
		return admit.Gone, s.absent
	case !s.witnessed && s.content == admit.Private, !s.witnessed && s.content == admit.NoStore:
		return admit.Excluded, s.content
	case !s.witnessed && (s.link || s.hop > 0):
		return admit.Waiting, admit.NotSeen
	case !s.witnessed:
		return admit.Waiting, admit.NoEvidence
	}
	content := s.content
	if content == admit.None && !s.self && m.l.foreignQuery(location) {
		content = admit.QueryNotCanonical // it was allowed once
	}
	ev := admit.Evidence{
		Entry:  m.l.entries[location],
		Led:    s.hop > 0,
		Route:  s.route,
		Link:   s.link,
		Before: s.public(),
		Crowd:  s.crowd,

		Disallowed: disallowed,
	}
	if !ev.Before {
		m.toEnter(&ev, location, s)
	}
	return admit.Decide(ev, rule.Listing, content, m.l.cfg.Networks, s.ownURL)
}

// foreignQuery reports whether the location has a query parameter that is not
// allowed, so that only its own canonical can vouch for it.
func (l *Ledger) foreignQuery(location string) bool {
	return strings.Contains(location, "?") && l.cfg.Normalizer.Parse(location).NeedsCanonical
}

// toEnter fills in what matters only of a page that has never been listed.
func (m *merge) toEnter(ev *admit.Evidence, location string, s *state) {
	ev.Word = admit.WordOf(location, s.variable)
	ev.Unprompted = s.unprompted
	ev.Shown, ev.Shared, ev.Networks = s.shown, s.shared, len(s.networks)
	if s.group != 0 && (ev.Link || ev.Led || ev.Networks >= m.l.cfg.Networks) {
		n := readKin(m.Get(m.l.keys.Kin(s.group)))
		ev.Siblings, ev.Orphans, ev.Grown = n.siblings, n.orphans, n.grownOn(s.day())
	}
}

func (m *merge) list(location string, s *state, was admit.Verdict) {
	e := s.entry(m.l.cfg.Confidence)
	if e.Extension = m.extension(location, s, was); m.l.cfg.InferPriority {
		e.Priority = s.priority
	}
	if was != admit.Listed {
		s.part = m.l.book.Add(m.Tx, s.part, location, e)
		m.effects.filling = s.part
		m.effects.parts[s.part] = true
		m.happened(location, s, journal.Added)
		if !s.read {
			m.effects.due = append(m.effects.due, location)
		}
	} else if m.l.book.Set(m.Tx, s.part, location, e) {
		m.effects.parts[s.part] = true
		if e.Extension != nil && m.l.book.Over(m.Tx, s.part) { // it may be more than the part has room for
			m.move(location, s)
		}
		if s.dates.LastChange() != s.storedChanged {
			m.happened(location, s, journal.Changed)
		}
	}
}

func (m *merge) unlist(location string, s *state) {
	m.l.book.Remove(m.Tx, s.part, location)
	m.effects.parts[s.part] = true
	m.happened(location, s, journal.Removed)
	m.effects.withdrew = true
	m.effects.due = append(m.effects.due, location) // one client's answer may not be the next one's
	m.effects.left[s.reason]++
	s.read = false
}
