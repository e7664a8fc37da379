package ledger

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/record"
)

// twin is the record of one content: the pages that show it and would be listed
// if they were the only ones, as hashes, and the one that is.
type twin struct {
	listed  string // a location, "" for none
	members []uint64
	unread  record.Unread
	later   bool // only a later version can read it
}

func readTwin(b []byte) (t twin) {
	var err error
	t.unread, err = record.Read(b, func(f record.Field) bool {
		switch f.Num {
		case 1:
			if listed := string(f.Data); isLocation(listed) {
				t.listed = listed
			}
		case 2:
			for b := f.Data; len(b) >= 8; b = b[8:] {
				t.members = append(t.members, binary.BigEndian.Uint64(b))
			}
		default:
			return false
		}
		return true
	})
	t.later = errors.Is(err, record.ErrVersion)
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
	e.Keep(t.unread)
	return e.SealAny()
}

// twin returns the record at key. A lone member that is listed is not stored,
// since most contents have no other: it follows from the location.
func (m *merge) twin(key string) twin {
	t := readTwin(m.Get(key))
	if len(t.members) == 0 && joins(t.listed) {
		t.join(m.l.id(t.listed))
	}
	return t
}

func (m *merge) putTwin(key string, t twin) {
	if len(t.members) == 1 && joins(t.listed) && t.members[0] == m.l.id(t.listed) {
		t.members = nil
	}
	m.Put(key, t.encode())
}

// joins reports whether a location counts as a page of its own among those that
// show one content. A query that changes nothing makes none.
func joins(location string) bool { return location != "" && !strings.Contains(location, "?") }

// membersKept bounds the members of one content. It is more than make a cluster,
// so that one that leaves does not end it.
const membersKept = admit.ClusterSize + 12

// join adds a member, unless it is one, or there are enough.
func (t *twin) join(id uint64) {
	if len(t.members) < membersKept && !slices.Contains(t.members, id) {
		t.members = append(t.members, id)
	}
}

func (t *twin) leave(id uint64) {
	t.members = slices.DeleteFunc(t.members, func(m uint64) bool { return m == id })
}

// represent has a page that is to be listed claim its content, and decides
// whether it is the one that stands for all who show it. A page that is not to
// be listed gives its claim up. It returns the page that has lost its place by
// that, nil for none, which is to be saved after this one. Where only a later
// version knows who else shows the content, what is listed stays, and nothing is
// listed anew.
func (m *merge) represent(location string, s *state) (loser *held) {
	claims := s.listed() && s.showing != 0
	if s.joined != 0 && (!claims || s.joined != s.showing) {
		m.leave(location, s)
	}
	if !claims {
		return nil
	}
	key := m.l.keys.twin(s.showing)
	t := m.twin(key)
	if t.later {
		if s.stored.verdict != admit.Listed && m.rank(location, s) != admit.Vouched {
			s.verdict, s.reason = admit.Held, admit.Duplicate
		}
		return nil
	}
	s.joined = s.showing
	if joins(location) {
		t.join(m.l.id(location))
	}
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
	m.putTwin(key, t)
	if t.listed == location || why == admit.SoftNotFound {
		return rival
	}
	return nil
}

// establishedAfter is how long a page must have been known to stay listed when
// others come to show the same.
const establishedAfter = 24 * time.Hour

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
	case s.public() && seconds(s.lastSeen)-s.firstSeen >= int64(establishedAfter.Seconds()):
		return admit.Established
	case s.link:
		return admit.Linked
	}
	return admit.Orphaned
}

// leave gives the page's claim up. Who else shows the content takes its place
// when it is next looked at.
func (m *merge) leave(location string, s *state) {
	m.leaveTwin(m.l.id(location), location, s)
}

// leaveTwin is leave where perhaps only the hash of the location is known.
func (m *merge) leaveTwin(id uint64, location string, s *state) {
	key := m.l.keys.twin(s.joined)
	t := m.twin(key)
	t.leave(id)
	if t.listed == location {
		t.listed = ""
	}
	m.putTwin(key, t)
	s.joined = 0
}

// contentsKept is how many contents are remembered, one location each.
const contentsKept = 1 << 13

// crowdNeeded is how many locations showing one content are a crowd: then even
// one that enough networks found does not stay.
const crowdNeeded = 5

// contents remembers which locations showed a content lately, so that a content
// that many show is known before any of them has evidence. It belongs to one
// goroutine. The zero value is empty.
type contents struct{ slots [contentsKept]shown }

// shown is one content with the locations that showed it, in the order in which
// they came.
type shown struct {
	content   uint64
	locations [crowdNeeded]uint64
}

// count returns how many locations there are.
func (s *shown) count() (n int) {
	for n < crowdNeeded && s.locations[n] != 0 {
		n++
	}
	return n
}

// shows notes that location shows content, and returns how many locations did
// lately, this one included, crowdNeeded at most.
func (c *contents) shows(content, location uint64) int {
	if content == 0 {
		return 0
	}
	slot := &c.slots[content%contentsKept]
	if slot.content != content {
		*slot = shown{content: content}
	}
	for i, known := range slot.locations {
		switch known {
		case location:
			return slot.count()
		case 0:
			slot.locations[i] = location
			return slot.count()
		}
	}
	return crowdNeeded
}
