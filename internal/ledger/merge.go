package ledger

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/txn"
)

// merge is one transaction's worth of merging: it reads and writes states by
// location, and notes what follows from it once the transaction is stored.
type merge struct {
	*txn.Tx
	l       *Ledger
	now     time.Time // when it is stored
	effects effects

	// media is what the looks that are merged show of the extensions, if that
	// takes the place of what the entries have.
	media map[string]*book.Extension
}

// effects are what a stored transaction asks of the rest of the program.
type effects struct {
	parts     map[int]bool          // whose listing changed
	due       []string              // locations to look at again soon
	doubted   map[string]int64      // locations to confirm a minute after, in Unix milliseconds
	undoubted []string              // locations of which that is off
	settled   map[string]settlement // locations on which the store now holds the verdict
	reputes   bool                  // what is known of the sources of dates
	withdrew  bool                  // something left, which a power loss must not undo
	left      map[admit.Reason]int  // how many left, and why
	moves     []move                // verdicts that became others
	waiting   int                   // change in the number of waiting locations
	follow    bool                  // the links of the page count
	early     []*look               // that show where locations lead for which nothing vouches yet
	filling   int                   // the part that a page was added to last, 0 if none was
	events    int                   // of the journal
	damaged   int                   // records that could not be read
	doubts    bool                  // a doubt is new
	refused   bool                  // somebody is refused pages that others get
	erased    bool                  // states were erased
}

// settlement is the part of a page on which the store holds the verdict, by what was
// seen of it up to a time.
type settlement struct {
	part int
	at   time.Time
}

// moment returns when it is stored.
func (m *merge) moment() moment.Time { return moment.Of(m.now) }

// load returns the state of location, a new one if there is none.
func (m *merge) load(location string) (s *state, known bool) {
	for _, key := range []string{m.l.keys.Page(location), m.l.wait(location)} {
		b := m.Get(key)
		if b == nil {
			continue
		}
		s, err := decodeState(b)
		if err == nil && s.public() && key != m.l.keys.Page(location) {
			err = record.ErrDamaged // what was never listed is not to be named by it
		}
		if err == nil {
			return s, true
		}
		m.effects.damaged++
		if n := m.l.book.Find(m.Tx, location); n != 0 {
			return &state{verdict: admit.Listed, part: n, witnessed: true}, true
		}
	}
	return new(state), false
}

// save settles the verdict on location, brings the listing in line with it and
// stores the state: in clear if the page is or was listed, else under a hash.
func (m *merge) save(location string, s *state) {
	was, why := s.verdict, s.reason
	s.verdict, s.reason = m.verdict(location, s)
	if s.reason == admit.ByHistory && was == admit.Listed && why == admit.ByNetworks {
		s.reason = why // the networks themselves are forgotten by now
	}
	loser := m.represent(location, s)
	isNew := s.part == 0
	var peers []peer
	switch {
	case s.listed():
		m.list(location, s, was)
	case was == admit.Listed:
		m.unlist(location, s)
		peers, s.peers = s.peers, nil
	}
	m.count(s, isNew)
	m.put(location, s)
	m.separate(location, peers)
	if loser != nil {
		m.save(loser.location, loser.state)
	}
}

func (m *merge) put(location string, s *state) {
	page, wait := m.l.keys.Page(location), m.l.wait(location)
	key := page
	if s.public() {
		if m.Get(wait) != nil {
			m.Put(wait, nil)
			m.effects.waiting--
			m.effects.moves = append(m.effects.moves, move{wait, s.stored, standing{}})
			s.stored = standing{}
		}
		s.networks, s.canonical = nil, nil // its location no longer hides what is sealed
		s.dates.Listed()
		s.linkAt, s.linkNet, s.unprompted = 0, 0, false
	} else {
		key = wait
		if m.Get(wait) == nil {
			m.effects.waiting++
		}
	}
	now := standing{s.verdict, s.reason}
	m.effects.moves = append(m.effects.moves, move{key, s.stored, now})
	s.stored = now
	m.Put(key, s.encode())
}

// personal reports whether the look showed a page that its headers say is for one
// visitor. That is remembered, for who asks why it is not listed.
func (k *look) personal() bool {
	return k.Kind == admit.Forbidden && (k.Reason == admit.Private || k.Reason == admit.NoStore)
}

// public reports whether the page is or was listed. It has had a part since.
func (s *state) public() bool { return s.part != 0 }

// apply merges one look, whatever its kind.
func (m *merge) apply(k *look) {
	s, known := m.load(k.Location)
	switch {
	case k.confirm:
		m.confirm(k, s)
	case k.Tagged:
		m.tagged(k, s)
	case k.Kind == admit.Witness:
		m.witness(k, s)
	case k.Kind == admit.Redirected:
		m.redirect(k, s)
	case !known && !m.l.entries[k.Location] && !k.personal():
		// Nothing is remembered of what is not there.
	case !s.witnessed:
		m.effects.settled[k.Location] = settlement{s.part, k.At}
		s.status = k.Response.Status // for who asks why it is not listed
		if s.content = admit.None; k.Kind == admit.Forbidden {
			s.content = k.Reason
		}
		if k.personal() && s.firstSeen == 0 {
			s.lastSeen = max(s.lastSeen, k.At.UnixMilli()) // from when on it is forgotten in the end
		}
		m.save(k.Location, s)
	case k.Kind == admit.Alive:
		m.alive(k, s)
	case k.Kind == admit.Doubtful:
		m.doubt(k, s, k.Reason)
	case s.listed() && m.late(s, k.At.UnixMilli()):
		m.effects.settled[k.Location] = settlement{s.part, k.At}
	default:
		m.withdraw(k, s, k.Reason)
	}
}
