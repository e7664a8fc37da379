package ledger

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/part"
)

// pruneAfter is how many events are noted in the journal before it is looked
// whether there are too many.
const pruneAfter = 25_000

// happened notes in the journal what became of a listed page. A page that was
// never listed is in no journal.
func (m *merge) happened(location string, s *state, what part.Happening) {
	s.logged = m.l.journal.Note(m.tx, s.logged, location, what, m.now.UnixMilli(), s.part)
	s.storedChanged = s.changed
	m.effects.events++
}

// Events yields what happened to listed pages since a time, see
// [part.Journal.Events]. It may be called concurrently.
func (l *Ledger) Events(ctx context.Context, since time.Time) iter.Seq2[part.Event, error] {
	return l.journal.Events(ctx, l.cfg.Store, since)
}

// openJournal begins the journal, if nobody did: with the first page of a new
// site, or with the start of this process where there are pages already. If the store cannot
// tell or take that now, it is tried again later; nothing else depends on it.
func (l *Ledger) openJournal(ctx context.Context) {
	isNew := true
	for _, err := range l.cfg.Store.Scan(ctx, l.keys.pages(), "") {
		if err != nil {
			return
		}
		isNew = false
		break
	}
	_ = l.journal.Begin(ctx, l.cfg.Store, l.journal.Started, isNew)
}

// renote gives events more than clockSlack after now the time now: they are true,
// and nobody is told of them before their time comes, which may be in years. What
// is not so far ahead waits for that, as it may be this clock that is wrong.
func (l *Ledger) renote(ctx context.Context, now time.Time) error {
	var ahead []part.Event
	for e, err := range l.journal.Ahead(ctx, l.cfg.Store, now.Add(clockSlack)) {
		if err != nil {
			return err
		}
		e.Location = strings.Clone(e.Location)
		ahead = append(ahead, e)
	}
	for chunk := range slices.Chunk(ahead, batch) {
		err := l.commitAt(ctx, now, nil, func(m *merge) {
			for _, e := range chunk {
				m.renote(e)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// renote gives one event the time now. One of which its page knows nothing, as the
// page's record was lost, is dropped.
func (m *merge) renote(e part.Event) {
	s, _ := m.load(e.Location)
	switch at := e.At.UnixMilli(); {
	case m.later[e.Location]:
	case s.logged == at:
		s.logged = m.l.journal.Renote(m.tx, at, e.Location, m.now.UnixMilli())
		m.put(e.Location, s)
	default:
		m.l.journal.Erase(m.tx, at, e.Location)
	}
}

// pruneJournal drops what is too old or too much, once much has come in.
func (l *Ledger) pruneJournal(ctx context.Context) error {
	if l.events < pruneAfter {
		return nil
	}
	return l.reviewJournal(ctx)
}

// reviewJournal drops what is too old or too much, and mends what was noted by a
// clock that was ahead.
func (l *Ledger) reviewJournal(ctx context.Context) error {
	if err := l.renote(ctx, time.Now()); err != nil {
		return err
	}
	if err := l.journal.Prune(ctx, l.cfg.Store, time.Now()); err != nil {
		return err
	}
	l.events = 0
	return nil
}
