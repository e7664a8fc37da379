package ledger

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
)

// withdrawUnstored does at once what cannot wait for the store: it takes out of
// the files being served the pages that had their minute, and those that a
// sighting which waits to be stored shows to forbid their listing.
func (l *Ledger) withdrawUnstored() {
	for _, location := range l.overdue(time.Now()) {
		l.cfg.Files.Withdraw(location, l.doubts[location].from) // a witness since then, which waits as well, saves it
	}
	for _, s := range l.pending {
		l.peek(s)
	}
	for _, s := range l.queue.all() {
		l.peek(s)
	}
}

// peek reads the head of a page that was seen, once.
func (l *Ledger) peek(s *Sighting) {
	if s.peeked || s.Kind != admit.Witness || s.Tagged || !l.cfg.Files.Lists(s.Location) {
		return
	}
	s.peeked = true
	k := &look{Sighting: s}
	l.read(k, false)
	if k.content == admit.NoIndex {
		l.cfg.Files.Withdraw(s.Location, s.At)
	}
}
