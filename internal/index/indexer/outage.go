package indexer

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// withdrawUnstored does what cannot wait for a store in trouble. It takes two kinds of
// pages out of the served files: suspects whose minute is over, and pages that forbid
// their listing in a sighting that is not stored yet.
func (l *Ledger) withdrawUnstored() {
	for _, location := range l.suspects.overdue(time.Now()) {
		l.cfg.Files.Withdraw(location, l.suspects[location]) // a later witness in the queue saves the page
	}
	for _, s := range l.pending {
		l.peek(s)
	}
	for _, s := range l.queue.all() {
		l.peek(s)
	}
}

// peek reads the head of a sighted page, once.
func (l *Ledger) peek(s *observation.Exchange) {
	if s.Peeked || s.Kind != eligibility.Witness || s.Tracked || !l.cfg.Files.Lists(s.Location) {
		return
	}
	s.Peeked = true
	k := &merge.Visit{Observation: &observation.Observation{Exchange: s}, Before: new(pagerecord.Page)}
	l.read(k, false)
	if k.Forbids == eligibility.NoIndex {
		l.cfg.Files.Withdraw(s.Location, s.At)
	}
}
