package ledger

import (
	"context"

	"github.com/servemap/servemap/internal/part"
)

// reviewParts notes which parts have more pages than they may, as they do once
// the limits were lowered, so that the review takes pages out of them, and has
// those filled again that have room.
func (l *Ledger) reviewParts(ctx context.Context) error {
	parts, err := part.ReadParts(ctx, l.cfg.Store, l.keys.parts())
	if err != nil {
		return err
	}
	l.review.over = map[int]bool{}
	for n, p := range parts {
		if l.book.Over(p) {
			l.review.over[n] = true
		}
	}
	return l.commit(ctx, nil, func(m *merge) { l.book.Mend(m.tx, parts) })
}

// refit moves a listed page to another part if its own has more than it may.
func (m *merge) refit(location string, s *state) {
	if s.listed() && m.move(location, s) {
		m.put(location, s)
	}
}

// move is refit without storing the state, and reports whether the page moved.
func (m *merge) move(location string, s *state) bool {
	to := m.l.book.Move(m.tx, s.part, location)
	if to == s.part {
		return false
	}
	m.effects.parts[s.part], m.effects.parts[to] = true, true
	m.l.journal.Moved(m.tx, s.logged, location, to)
	s.part = to
	return true
}
