package indexer

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// withdrawUnstored does what cannot wait for a store in trouble. It takes two kinds of pages out of
// the served files: those whose minute is over, and those that forbid their listing in an exchange
// that is not stored yet.
func (m *merging) withdrawUnstored() {
	for _, location := range m.removals.overdue(time.Now()) {
		m.cfg.Files.Withdraw(location, m.removals.since[location]) // a later witness in the queue saves the page
	}
	waiting := m.queue.all()
	if m.pending != nil {
		waiting = append(waiting, m.pending)
	}
	for _, s := range waiting {
		m.peek(s)
	}
}

// peek reads the head of a page, once.
func (m *merging) peek(s *observation.Exchange) {
	if s.Peeked || s.Kind != eligibility.Witness || s.Tracked || !m.cfg.Files.Lists(s.Location) {
		return
	}
	s.Peeked = true
	k := &merge.Visit{Observation: &observation.Observation{Exchange: s}, Before: new(pagerecord.Page)}
	m.read(k, func() { m.site.Read(k, false) })
	if k.Forbids == eligibility.NoIndex {
		m.cfg.Files.Withdraw(s.Location, s.At)
	}
}
