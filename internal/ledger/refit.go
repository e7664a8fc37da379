package ledger

import (
	"context"

	"github.com/servemap/servemap/internal/book"
)

// reviewParts notes which parts have too many pages or too few, so that the review
// takes pages out of them.
func (l *Ledger) reviewParts(ctx context.Context) error {
	parts, err := book.ReadParts(ctx, l.cfg.Store, l.keys)
	if err != nil {
		return err
	}
	var filling int
	if err := l.commit(ctx, nil, func(m *merge) { filling = l.book.Mend(m.Tx, parts) }); err != nil {
		return err
	}
	l.review.over, l.review.thin = l.book.Uneven(parts, filling)
	return nil
}

// refit moves a listed page to another part if its own has too many or too few.
func (m *merge) refit(location string, s *state) {
	if s.listed() && (m.l.review.thin[s.part] || m.l.book.Over(m.Tx, s.part)) && m.move(location, s) {
		m.put(location, s)
	}
}

// move is refit without storing the state, and reports whether the page moved.
func (m *merge) move(location string, s *state) bool {
	to := m.l.book.Move(m.Tx, s.part, location)
	if to == s.part {
		return false
	}
	m.effects.parts[s.part], m.effects.parts[to] = true, true
	m.l.journal.Moved(m.Tx, s.logged, location, to)
	s.part = to
	return true
}
