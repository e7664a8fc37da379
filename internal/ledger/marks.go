package ledger

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/txn"
)

// soon is how long after a look a counter may be what has changed. What is seen
// once a week has news at each look.
const soon = 48 * time.Hour

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
	k.view.Soon = k.At.UnixMilli()-before.lastSeen < soon.Milliseconds()
	l.furniture.Consult(k.view, before.mark, l.id(location))
	l.furniture.changed = true
}

// sighted is what a look showed of the page's content.
type sighted struct {
	outcome mark.Outcome
	since   int64 // the look that first showed a change, which may be an earlier one
	before  int64 // when the look before this one was, 0 if there was none
}

// mark merges what the page shows into its mark. before is when the look before
// was, 0 if there was none.
func (m *merge) mark(k *look, s *state, before int64) sighted {
	at := k.At.Unix()
	held := s.mark.Holding()
	if s.awaits(k.variety, at) {
		return sighted{outcome: mark.Variant, before: before}
	}
	after, outcome, since := s.mark.Look(k.view, at)
	meant, taken := s.meet(k.variety, outcome)
	if taken {
		s.mark = after
	}
	if meant != outcome {
		outcome, s.mark = meant, s.mark.Still() // what it took for news is none
	}
	if outcome == mark.Held && !held {
		m.effects.due = append(m.effects.due, k.Location)
	}
	return sighted{outcome, min(since, at), before}
}

// date merges what a look showed into the page's dates.
func (m *merge) date(k *look, s *state, f sighted) lastmod.Finding {
	given := lastmod.Given[moment.Time]{lastmod.Server: moment.Seconds(k.server), lastmod.Page: moment.Seconds(k.own)}
	if k.same {
		given[lastmod.Page] = s.dates.LastGiven(lastmod.Page)
	}
	dates, found := s.dates.Look(lastmod.Look{
		At: moment.Of(k.At), Before: moment.Seconds(f.before), First: s.looks <= 1,
		Outcome: f.outcome, Since: moment.Seconds(f.since), Holding: s.mark.Holding(), Variety: k.variety, Given: given,
	}, m.l.Doubts())
	s.dates = dates
	if !s.mark.Holding() {
		s.newLinks = nil
	}
	m.report(k.Location, found.Reports)
	return found
}

// settle merges what a look found: it dates a change, and tells the estimate of
// it. What is held is told once it is certain.
func (m *merge) settle(k *look, s *state, f sighted) {
	found, at := m.date(k, s, f), k.At.Unix()
	switch f.outcome {
	case mark.Changed:
		since := found.Since.Seconds()
		if found.Sure {
			s.rate = s.rate.SawChangeAt(since, found.Exact.Seconds())
		} else {
			s.rate = s.rate.Saw(since, true)
		}
		if since != at {
			s.rate = s.rate.Saw(at, false)
		}
	case mark.Moving:
		s.rate = s.rate.Saw(at, true)
	default:
		if !s.mark.Holding() {
			s.age(m.l.Doubts(), at)
			s.rate = s.rate.Saw(at, false)
		}
	}
}

// trial is how long a page must have been seen, in seconds, before the date that it
// had at the first look tells the estimate anything: one that moves by itself
// would have moved.
const trial = day

// age tells the estimate, once, for how long the page had been unchanged at its
// first look: since the given date that its lastmod goes by. That date may be
// the one on which the page was made, so it is not told as a change.
func (s *state) age(trust lastmod.Trust, at int64) {
	last := s.rate.LastVisit()
	if s.dates.Changes() > 0 || s.rate.LastChange() != 0 || at-s.firstSeen < trial || last < s.firstSeen || last-s.firstSeen >= trial {
		return
	}
	c := s.dates.Candidates()
	date, by, _ := c.Decide(trust, moment.Seconds(at))
	if by != lastmod.ByGiven || date.Seconds() >= s.firstSeen {
		return
	}
	e := rate.Estimate{}.Saw(date.Seconds(), false)
	for range min(s.looks-1, trialLooks) {
		e = e.Saw(last, false)
	}
	s.rate = e
}

// trialLooks bounds the looks before the age is told.
const trialLooks = uint64(trial / 60)

// MarkSize returns how many bytes are remembered to tell a change of the page
// at a location, 0 if it is not known.
func (l *Ledger) MarkSize(ctx context.Context, location string) (n int, err error) {
	err = l.ask(ctx, func(key secret.Key) error {
		keys := []string{l.keys.Page(location), l.keys.Wait(key.Name(location).Hash)}
		return txn.View(ctx, l.cfg.Store, keys, func(t *txn.Tx) {
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
