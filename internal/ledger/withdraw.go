package ledger

import (
	"github.com/servemap/servemap/internal/admit"
)

// withdraw takes the page out: because the site no longer serves it, or
// because it now says that it is not to be listed.
func (m *merge) withdraw(k *look, s *state, why admit.Reason) {
	m.undoubt(k.Location, s)
	if k.Response != nil {
		s.status = k.Response.Status
	}
	switch why {
	case admit.Private, admit.NoStore:
		s.witnessed, s.content, s.absent = false, why, admit.None
	default:
		if variable(why) || why == admit.NoIndex {
			s.content, s.bodyHash = why, 0 // the page is there; what it showed last was not merged
			break
		}
		s.witnessed, s.absent = false, why
	}
	m.effects.settled[k.Location] = settlement{s.part, k.At}
	m.save(k.Location, s)
}

// doubt begins the minute in which a witness can still save the page. A page
// that is not listed has nothing to lose.
func (m *merge) doubt(k *look, s *state, why admit.Reason) {
	if !s.listed() {
		m.withdraw(k, s, why)
		return
	}
	at := k.At.UnixMilli()
	if s.missing == 0 && m.late(s, at) {
		return
	}
	if s.missing == 0 {
		s.status, s.missing, s.missingWhy = k.Response.Status, at, why
		m.Put(m.l.keys.lost(k.Location), encodeCount(int(at)))
		m.effects.doubts = true
	}
	m.effects.doubted[k.Location] = s.missing // also if it was noted before, and nobody knew
	m.save(k.Location, s)
}

// undoubt ends the doubt, if there is one.
func (m *merge) undoubt(location string, s *state) {
	if s.missing != 0 {
		s.missing, s.missingWhy = 0, admit.None
		m.Put(m.l.keys.lost(location), nil)
		m.effects.undoubted = append(m.effects.undoubted, location)
	}
}

// confirm ends that minute, unless the doubt is over.
func (m *merge) confirm(k *look, s *state) {
	if s.missing == 0 {
		m.Put(m.l.keys.lost(k.Location), nil)
		m.effects.undoubted = append(m.effects.undoubted, k.Location)
		m.effects.settled[k.Location] = settlement{s.part, k.At}
		return
	}
	if had := k.At.UnixMilli() - s.missing; had >= 0 && had < confirmAfter.Milliseconds() {
		m.effects.doubted[k.Location] = s.missing // it was saved, and doubted anew by another process
		return
	}
	m.withdraw(k, s, s.missingWhy)
}

// bar takes a page out for good, with no event, and keeps its state, by which what
// is stored of it under a later version's records is found.
func (m *merge) bar(location string, s *state) {
	m.undoubt(location, s)
	if s.listed() {
		m.l.book.Remove(m.tx, s.part, location)
		m.effects.parts[s.part] = true
		m.effects.withdrew = true
		s.verdict = admit.Excluded
	}
	s.barred, s.witnessed, s.read = true, false, false
	m.effects.settled[location] = settlement{s.part, m.now}
	m.save(location, s)
}

// forget erases the state of location and bars it. What is left names nothing. It
// reports false if it is a later version's to do that: a record that only such a
// one can read names the page. Unless that is its state, the page is barred then.
func (m *merge) forget(location string) bool {
	s, _ := m.load(location)
	switch {
	case m.later[location]:
		return false
	case m.l.book.Later(m.tx, s.part, location), m.l.journal.Later(m.tx, s.logged, location):
		m.bar(location, s)
		return false
	}
	if s.listed() {
		m.unlist(location, s)
		s.verdict = admit.Excluded
		m.count(s, false)
	}
	m.Put(m.l.keys.page(location), nil)
	m.Put(m.l.keys.lost(location), nil)
	m.effects.erased = true
	m.l.journal.Erase(m.tx, s.logged, location)
	m.effects.settled[location] = settlement{s.part, m.now}
	if s.joined != 0 {
		m.leave(location, s)
	}
	barred := &state{barred: true}
	if s.public() {
		m.effects.moves = append(m.effects.moves, move{m.l.keys.page(location), s.stored, standing{}})
	} else {
		barred.stored = s.stored
	}
	m.save(location, barred)
	m.separate(location, s.peers)
	return true
}
