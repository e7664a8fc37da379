package ledger

import (
	"encoding/binary"
	"slices"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/record"
)

// twin is the record of one content: the pages that show it and would be listed
// if they were the only ones, as hashes, and the one that is.
type twin struct {
	listed  string // a location, "" for none
	members []uint64
}

func readTwin(b []byte) (t twin) {
	_ = record.Open(b, func(f record.Field) {
		switch f.Num {
		case 1:
			t.listed = string(f.Data)
		case 2:
			for b := f.Data; len(b) >= 8; b = b[8:] {
				t.members = append(t.members, binary.BigEndian.Uint64(b))
			}
		}
	})
	return t
}

// encode returns nil when there is nothing to remember.
func (t twin) encode() []byte {
	var e record.Encoder
	e.Bytes(1, []byte(t.listed))
	var b []byte
	for _, id := range t.members {
		b = binary.BigEndian.AppendUint64(b, id)
	}
	e.Bytes(2, b)
	return e.SealAny()
}

// join adds a member, unless it is one, or there are as many as make a cluster.
func (t *twin) join(id uint64) {
	if len(t.members) < admit.ClusterSize && !slices.Contains(t.members, id) {
		t.members = append(t.members, id)
	}
}

func (t *twin) leave(id uint64) {
	t.members = slices.DeleteFunc(t.members, func(m uint64) bool { return m == id })
}

// represent has a page that is to be listed claim its content, and decides
// whether it is the one that stands for all who show it. A page that is not to
// be listed gives its claim up. It returns the page that has lost its place by
// that, nil for none, which is to be saved after this one.
func (m *merge) represent(location string, s *state) (loser *held) {
	claims := s.listed() && s.showing != 0
	if s.joined != 0 && (!claims || s.joined != s.showing) {
		m.leave(location, s)
	}
	if !claims {
		return nil
	}
	s.joined = s.showing
	key := m.l.keys.twin(s.showing)
	t := readTwin(m.Get(key))
	t.join(m.l.secret.id(location))
	rival, rivalRank := m.rival(location, t)
	verdict, why := admit.Represent(m.rank(location, s), len(t.members), rivalRank)
	switch {
	case verdict != admit.Listed:
		s.verdict, s.reason = verdict, why
		if t.listed == location || rival == nil {
			t.listed = ""
		}
	case rivalRank < int(admit.Vouched):
		t.listed = location
	}
	m.Put(key, t.encode())
	if t.listed == location || why == admit.SoftNotFound {
		return rival
	}
	return nil
}

// held is a state with its location.
type held struct {
	location string
	*state
}

// rival returns the page that is listed for a content in place of location, nil
// if there is none, and its rank, or -1.
func (m *merge) rival(location string, t twin) (*held, int) {
	if t.listed == "" || t.listed == location {
		return nil, -1
	}
	s, known := m.load(t.listed)
	if !known || !s.listed() {
		return nil, -1
	}
	return &held{t.listed, s}, int(m.rank(t.listed, s))
}

// rank returns how good a claim a page has to represent its content.
func (m *merge) rank(location string, s *state) admit.Rank {
	rule, _ := m.l.cfg.Rules.Match(location)
	switch {
	case rule.Listing == admit.Always, m.l.entries[location], s.hop > 0:
		return admit.Vouched
	case s.self:
		return admit.Canonical
	case s.link:
		return admit.Linked
	}
	return admit.Orphaned
}

// leave gives the page's claim up. Who else shows the content takes its place
// when it is next looked at.
func (m *merge) leave(location string, s *state) {
	m.leaveTwin(m.l.secret.id(location), location, s)
}

// leaveTwin is leave where perhaps only the hash of the location is known.
func (m *merge) leaveTwin(id uint64, location string, s *state) {
	key := m.l.keys.twin(s.joined)
	t := readTwin(m.Get(key))
	t.leave(id)
	if t.listed == location {
		t.listed = ""
	}
	m.Put(key, t.encode())
	s.joined = 0
}

// contentsKept is how many contents are remembered, one location each.
const contentsKept = 1 << 14

// contents remembers which location showed a content last, so that a content
// that many show is known before any of them has evidence. It belongs to one
// goroutine. The zero value is empty.
type contents struct {
	slots [contentsKept]struct {
		content, location uint64
		many              bool
	}
}

// shared notes that location shows content, and reports whether another one did
// lately.
func (c *contents) shared(content, location uint64) bool {
	if content == 0 {
		return false
	}
	slot := &c.slots[content%contentsKept]
	if slot.content != content {
		slot.content, slot.location, slot.many = content, location, false
		return false
	}
	slot.many = slot.many || slot.location != location
	return slot.many
}
