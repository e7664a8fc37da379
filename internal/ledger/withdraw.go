package ledger

import "github.com/servemap/servemap/internal/admit"

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

// doubt notes that a listed page may be gone, or that it is not for everybody, by
// what a client was told. A page that is not listed has nothing to lose.
func (m *merge) doubt(k *look, s *state, why admit.Reason) {
	if !s.listed() {
		m.withdraw(k, s, why)
		return
	}
	at := k.At.UnixMilli()
	if s.missing == 0 && m.late(s, at) {
		return
	}
	if !variable(why) && m.ignores(k.net(), why) {
		m.effects.refused = true
		if s.missing != 0 && s.missingNet == k.net() && !variable(s.missingWhy) {
			m.undoubt(k.Location, s) // what it was told before is worth no more
			m.save(k.Location, s)
		}
		return
	}
	switch second := m.isSecond(k, s, why); {
	case s.missing == 0, !second && m.doubtsAnew(s, why):
		s.status, s.missing, s.missingWhy, s.missingNet = k.Response.Status, at, why, k.net()
		m.giveMinute(k.Location, s)
	case second && at-s.missing >= confirmAfter.Milliseconds():
		m.withdraw(k, s, why)
		return
	case second:
		s.missingNet = severalNetworks
		m.giveMinute(k.Location, s)
	case s.hasMinute() && at-s.missing < confirmAfter.Milliseconds():
		m.effects.doubted[k.Location] = s.missing // it was noted before, and perhaps nobody knew
	}
	m.save(k.Location, s)
}

// isSecond reports whether a look shows that another client than the first one, or
// the same one on another day, is refused the page.
func (m *merge) isSecond(k *look, s *state, why admit.Reason) bool {
	if s.missing == 0 || variable(why) || variable(s.missingWhy) || m.ignores(s.missingNet, s.missingWhy) {
		return false
	}
	if k.At.UnixMilli()-s.missing >= anotherDay.Milliseconds() {
		return true
	}
	return k.net() != 0 && s.missingNet != 0 && s.missingNet != severalNetworks && k.net() != s.missingNet
}

// doubtsAnew reports whether what gives reason to doubt now takes the place of what
// did before: that counts for nothing by now, or it may wait for long while this
// has its minute.
func (m *merge) doubtsAnew(s *state, why admit.Reason) bool {
	switch {
	case variable(s.missingWhy):
		return false
	case variable(why), m.ignores(s.missingNet, s.missingWhy):
		return true
	case s.missingWhy == admit.NotFound || s.missingNet == severalNetworks:
		return false
	}
	return why == admit.NotFound || s.missing > m.now.Add(clockSkew).UnixMilli()
}

// hasMinute reports whether a doubt may be confirmed once its minute is over. Others
// wait until the page is seen or refused again.
func (s *state) hasMinute() bool {
	return variable(s.missingWhy) || s.missingWhy == admit.NotFound || s.missingNet == severalNetworks
}

// giveMinute has a doubt confirmed when its minute is over, if it has one.
func (m *merge) giveMinute(location string, s *state) {
	if s.hasMinute() {
		m.Put(m.l.keys.Lost(location), encodeCount(int(s.missing)))
		m.effects.doubts = true
		m.effects.doubted[location] = s.missing
	}
}

// undoubt ends the doubt, if there is one.
func (m *merge) undoubt(location string, s *state) {
	if s.missing != 0 {
		s.missing, s.missingWhy, s.missingNet = 0, admit.None, 0
		m.endMinute(location)
	}
}

// endMinute has a doubt confirmed no more by time alone.
func (m *merge) endMinute(location string) {
	m.Put(m.l.keys.Lost(location), nil)
	m.effects.undoubted = append(m.effects.undoubted, location)
}

// confirm ends that minute, unless the doubt is over.
func (m *merge) confirm(k *look, s *state) {
	if had := k.At.UnixMilli() - s.missing; s.missing != 0 && had >= 0 && had < confirmAfter.Milliseconds() {
		m.effects.doubted[k.Location] = s.missing // it was saved, and doubted anew by another process
		return
	}
	if s.missing != 0 && m.certain(s) {
		if s.missingWhy == admit.NotFound && s.missingNet != severalNetworks {
			m.changeRefusal(s.missingNet, func(r *refusal) { r.missing++ })
		}
		m.withdraw(k, s, s.missingWhy)
		return
	}
	m.endMinute(k.Location)
	m.effects.settled[k.Location] = settlement{s.part, k.At}
}

// certain reports whether a doubt that had its minute is borne out. One that is not
// goes on, until the page is seen or refused again.
func (m *merge) certain(s *state) bool {
	return variable(s.missingWhy) || s.missingNet == severalNetworks || s.missingWhy == admit.NotFound && m.suffices(s.missingNet)
}

// forget erases the state of location and bars it. What is left names nothing.
func (m *merge) forget(location string) {
	s, _ := m.load(location)
	if s.listed() {
		m.unlist(location, s)
		s.verdict = admit.Excluded
		m.count(s, false)
	}
	m.Put(m.l.keys.Page(location), nil)
	m.Put(m.l.keys.Lost(location), nil)
	m.effects.erased = true
	m.l.journal.Erase(m.Tx, s.logged, location)
	m.effects.settled[location] = settlement{s.part, m.now}
	if s.joined != 0 {
		m.leave(location, s)
	}
	barred := &state{barred: true}
	if s.public() {
		m.effects.moves = append(m.effects.moves, move{m.l.keys.Page(location), s.stored, standing{}})
	} else {
		barred.stored = s.stored
	}
	m.save(location, barred)
	m.separate(location, s.peers)
}
