package ledger

import (
	"encoding/binary"
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
}

func readTwin(b []byte) (t twin) {
	t.unread, _ = record.Read(b, func(f record.Field) bool {
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
	key := m.l.keys.Twin(s.showing)
	t := m.twin(key)
	s.joined = s.showing
	if joins(location) {
		t.join(m.l.id(location))
	}
	rival, rivalRank := m.rival(location, t)
	preferred := rival != nil && admit.Prefer(m.claim(location, s), m.claim(rival.location, rival.state))
	verdict, why := admit.Represent(m.rank(location, s), len(t.members), rivalRank, preferred)
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

// claim returns what a page has to show beside others of its rank.
func (m *merge) claim(location string, s *state) admit.Claim {
	return admit.Claim{Location: location, Linked: s.link || s.hop > 0}
}

// leave gives the page's claim up. Who else shows the content takes its place
// when it is next looked at.
func (m *merge) leave(location string, s *state) {
	m.leaveTwin(m.l.id(location), location, s)
}

// leaveTwin is leave where perhaps only the hash of the location is known.
func (m *merge) leaveTwin(id uint64, location string, s *state) {
	key := m.l.keys.Twin(s.joined)
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

const (
	// crowdNeeded is how many locations showing one content are a crowd: then even
	// one that enough networks found does not stay. The others must have been shown
	// to as many networks, as one client can ask for any number of locations.
	crowdNeeded = 5
	// sharersNeeded is how many networks must have got the content elsewhere before
	// networks alone list no further location that shows it.
	sharersNeeded = 2
)

// contents remembers which locations showed a content lately, so that a content
// that many show is known before any of them has evidence. It belongs to one
// goroutine. The zero value is empty.
type contents struct{ slots [contentsKept]shown }

// shown is one content with networks that got it.
type shown struct {
	content  uint64
	networks [crowdNeeded]shownTo
}

// shownTo is a network with locations, as hashes, at which it got the content. Two
// are enough to know of each location that the network got it elsewhere too.
type shownTo struct {
	network uint32 // see look.net
	at      [2]uint32
}

// alias32 shortens a hash of a location. It is never 0.
func alias32(location uint64) uint32 { return uint32(location>>32) | 1 }

// slot returns the slot of a content. One that has none takes the place of one of
// two others: of the one that fewer locations show, so that what many show is not
// forgotten for what one does.
func (c *contents) slot(content uint64) *shown {
	i := content % contentsKept
	one, other := &c.slots[i], &c.slots[i^1]
	if one.content == content {
		return one
	}
	_, most := one.elsewhere(0)
	if _, n := other.elsewhere(0); other.content == content || n < most {
		return other
	}
	return one
}

// elsewhere returns how many networks got the content lately at other locations
// than that, and at how many such.
func (c *contents) elsewhere(content, location uint64) (networks, locations int) {
	slot := c.slot(content)
	if content == 0 || slot.content != content {
		return 0, 0
	}
	return slot.elsewhere(alias32(location))
}

func (s *shown) elsewhere(own uint32) (networks, locations int) {
	var kept [2 * crowdNeeded]uint32 // so that nothing is allocated
	others := kept[:0]
	for i := range s.networks {
		there := false
		for _, at := range s.networks[i].at {
			if at == 0 || at == own {
				continue
			}
			if there = true; !slices.Contains(others, at) {
				others = append(others, at)
			}
		}
		if there {
			networks++
		}
	}
	return networks, len(others)
}

// shows notes that a network got the content at a location. Where there is no room
// for the network, it takes the place of one whose location more have got.
func (c *contents) shows(content, location uint64, network uint32) {
	if content == 0 {
		return
	}
	slot, at := c.slot(content), alias32(location)
	if slot.content != content {
		*slot = shown{content: content}
	}
	times := func(at uint32) (n int) {
		for i := range slot.networks {
			if slices.Contains(slot.networks[i].at[:], at) {
				n++
			}
		}
		return n
	}
	most, least := -1, times(at)+1
	for i := range slot.networks {
		n := &slot.networks[i]
		switch {
		case n.at[0] == 0:
			*n = shownTo{network, [2]uint32{at}}
			return
		case n.network == network:
			if n.at[0] != at && n.at[1] == 0 {
				n.at[1] = at
			}
			return
		}
		if many := times(n.at[0]); n.at[1] == 0 && many > least {
			most, least = i, many
		}
	}
	if most >= 0 {
		slot.networks[most] = shownTo{network, [2]uint32{at}}
	}
}

// speaks reports whether what is shown at a location counts against others that
// show the same: neither where it names another page as the canonical one, or is
// not to be listed for what else it says, nor with a query, which changes nothing.
func speaks(location string, content admit.Reason) bool {
	return joins(location) && content == admit.None
}

// compare finds out who else shows the content of a look, and has it count in turn.
func (l *Ledger) compare(k *look, showing uint64, content admit.Reason) {
	networks, locations := l.contents.elsewhere(showing, l.id(k.Location))
	k.shared = networks >= sharersNeeded
	k.crowd = networks >= crowdNeeded-1 && locations >= crowdNeeded-1
	if speaks(k.Location, content) {
		l.contents.shows(showing, l.id(k.Location), k.net())
	}
}
