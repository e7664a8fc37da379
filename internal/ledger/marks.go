package ledger

import (
	"context"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
)

// consult completes what the page shows by what is known of the whole site. A
// variant counts as the page that it names as its canonical one, so that a text
// which both show is not taken for the site's.
func (l *Ledger) consult(k *look, before *state) {
	if k.view == nil || k.cut {
		return
	}
	location := k.Location
	if k.canonical != "" {
		location = k.canonical
	}
	l.furniture.Consult(k.view, before.mark, l.secret.id(location))
}

// mark merges what the page shows into its mark, and dates its content. It
// returns what that says of a date which moves at this look: nothing, if a
// change was seen earlier and is only certain now.
func (m *merge) mark(k *look, s *state) mark.Outcome {
	at := k.At.Unix()
	held := s.mark.Holding()
	after, outcome, since := s.mark.Look(k.view, at)
	s.mark = after
	switch outcome {
	case mark.Changed:
		s.changes++
		s.changed, s.exact, s.exactBy = since, 0, part.NoSource
		s.rate = s.rate.Saw(since, true)
		if since != at {
			s.rate = s.rate.Saw(at, false)
		}
	case mark.Moving:
		s.rate = s.rate.Saw(at, true)
	default:
		if !s.mark.Holding() {
			s.rate = s.rate.Saw(at, false)
		}
	}
	if outcome == mark.Held && !held {
		m.effects.due = append(m.effects.due, k.Location)
	}
	if outcome == mark.Changed && since != at {
		return mark.Held
	}
	return outcome
}

// MarkSize returns how many bytes are remembered to tell a change of the page
// at a location, 0 if it is not known.
func (l *Ledger) MarkSize(ctx context.Context, location string) (n int, err error) {
	err = l.ask(ctx, func(key secret) error {
		keys := []string{l.keys.page(location), l.keys.wait(key, location)}
		return view(ctx, l.cfg.Store, keys, func(t *tx) {
			for _, k := range keys {
				if s, err := decodeState(t.Get(k)); err == nil {
					n = len(s.mark.AppendBinary(nil))
					return
				}
			}
		})
	})
	return n, err
}
