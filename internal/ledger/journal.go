package ledger

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/txn"
)

// pruneAfter is how many events are noted in the journal before it is looked
// whether there are too many.
const pruneAfter = 25_000

// happened notes in the journal what became of a listed page. A page that was
// never listed is in no journal.
func (m *merge) happened(location string, s *state, what journal.Happening) {
	s.logged = m.l.journal.Note(m.Tx, s.logged, location, what, m.now.UnixMilli(), s.part)
	s.storedChanged = s.dates.LastChange()
	m.effects.events++
}

// Events yields what happened to listed pages since a time, see
// [journal.Journal.Events]. It ends when ctx does, whatever the store does. It may be
// called concurrently.
func (l *Ledger) Events(ctx context.Context, since time.Time) iter.Seq2[journal.Event, error] {
	return txn.EachWithin(ctx, func(ctx context.Context) iter.Seq2[journal.Event, error] {
		return func(yield func(journal.Event, error) bool) {
			for e, err := range l.journal.Events(ctx, l.cfg.Store, since) {
				e.Location = strings.Clone(e.Location)
				if !yield(e, err) {
					return
				}
			}
		}
	})
}

// openJournal begins the journal, if nobody did: with the first page of a new
// site, or with the start of this process where there are pages already. If the store cannot
// tell or take that now, it is tried again later; nothing else depends on it.
func (l *Ledger) openJournal(ctx context.Context) {
	isNew := true
	for _, err := range l.cfg.Store.Scan(ctx, l.keys.Pages(), "") {
		if err != nil {
			return
		}
		isNew = false
		break
	}
	_ = l.journal.Begin(ctx, l.cfg.Store, l.journal.Started, isNew)
}

// pruneJournal drops what is too old or too much, once much has come in.
func (l *Ledger) pruneJournal(ctx context.Context) error {
	if l.events < pruneAfter {
		return nil
	}
	return l.reviewJournal(ctx)
}

// reviewJournal drops what is too old or too much.
func (l *Ledger) reviewJournal(ctx context.Context) error {
	if err := l.journal.Prune(ctx, l.cfg.Store, time.Now()); err != nil {
		return err
	}
	l.events = 0
	return nil
}
