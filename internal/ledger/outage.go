package ledger

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/pagerecord"
)

// withdrawUnstored does at once what cannot wait for the store: it takes out of
// the files being served the pages that had their minute, and those that a
// sighting which waits to be stored shows to forbid their listing.
func (l *Ledger) withdrawUnstored() {
	for _, location := range l.suspects.overdue(time.Now()) {
		l.cfg.Files.Withdraw(location, l.suspects[location]) // a witness since then, which waits as well, saves it
	}
	for _, s := range l.pending {
		l.peek(s)
	}
	for _, s := range l.queue.all() {
		l.peek(s)
	}
}

// peek reads the head of a page that was seen, once.
func (l *Ledger) peek(s *look.Sighting) {
	if s.Peeked || s.Kind != admit.Witness || s.Tagged || !l.cfg.Files.Lists(s.Location) {
		return
	}
	s.Peeked = true
	k := &merge.Look{Look: &look.Look{Sighting: s}, Before: new(pagerecord.Page)}
	l.read(k, false)
	if k.Forbids == admit.NoIndex {
		l.cfg.Files.Withdraw(s.Location, s.At)
	}
}
