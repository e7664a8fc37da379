package merge

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/record"
)

// copies says what the page shows, to find others that show the same. Looks change it,
// and [Batch.represent].
type copies struct {
	showing uint64 // a hash of the content, 0 if it is not known or too little to tell pages apart
	joined  uint64 // that under which the page claims to be listed, see duplicates
	shared  bool   // another location showed the same lately
	crowd   bool   // many did
}

func (c *copies) encode(e *record.Encoder) {
	e.Fixed(fieldsCopies, c.showing)
	if c.joined != c.showing {
		e.Fixed(fieldsCopies+1, c.joined)
	}
	e.Bool(fieldsCopies+2, c.joined != 0 && c.joined == c.showing) // as nearly everywhere
	e.Bool(fieldsCopies+3, c.shared)
	e.Bool(fieldsCopies+4, c.crowd)
}

func (c *copies) decode(f record.Field) bool {
	switch f.Num {
	case fieldsCopies:
		c.showing = f.Value
	case fieldsCopies + 1:
		c.joined = f.Value
	case fieldsCopies + 2:
		c.joined = c.showing
	case fieldsCopies + 3:
		c.shared = true
	case fieldsCopies + 4:
		c.crowd = true
	default:
		return false
	}
	return true
}

// duplicates is the record of one content: the pages that show it and would be listed
// if they were the only ones, by their IDs, and the one that is.
type duplicates struct {
	listed  string // a location, "" for none
	members []uint64
	unread  record.Unread
}

func readDuplicates(b []byte) (d duplicates) {
	d.unread, _ = record.Read(b, func(f record.Field) bool {
		switch f.Num {
		case 1:
			if listed := string(f.Data); keys.IsLocation(listed) {
				d.listed = listed
			}
		case 2:
			for b := f.Data; len(b) >= 8; b = b[8:] {
				d.members = append(d.members, binary.BigEndian.Uint64(b))
			}
		default:
			return false
		}
		return true
	})
	return d
}

// encode returns nil when there is nothing to remember.
func (d duplicates) encode() []byte {
	var e record.Encoder
	e.Bytes(1, []byte(d.listed))
	var b []byte
	for _, id := range d.members {
		b = binary.BigEndian.AppendUint64(b, id)
	}
	e.Bytes(2, b)
	e.Keep(d.unread)
	return e.SealAny()
}

// duplicates returns the record of a content. A lone member that is listed is not
// stored, since most contents have no other: it follows from the location.
func (m *Batch) duplicates(showing uint64) duplicates {
	d := readDuplicates(m.Get(m.site.Keys.Twin(showing)))
	if len(d.members) == 0 && OwnPage(d.listed) {
		d.join(m.site.ID(d.listed))
	}
	return d
}

func (m *Batch) putDuplicates(showing uint64, d duplicates) {
	if len(d.members) == 1 && OwnPage(d.listed) && d.members[0] == m.site.ID(d.listed) {
		d.members = nil
	}
	m.Put(m.site.Keys.Twin(showing), d.encode())
}

// OwnPage reports whether a location counts as a page of its own among those that show
// one content. A query that changes nothing makes none.
func OwnPage(location string) bool { return location != "" && !strings.Contains(location, "?") }

// membersKept bounds the members of one content. It is more than make a cluster, so
// that one that leaves does not end it.
const membersKept = admit.ClusterSize + 12

// join adds a member, unless it is one, or there are enough.
func (d *duplicates) join(id uint64) {
	if len(d.members) < membersKept && !slices.Contains(d.members, id) {
		d.members = append(d.members, id)
	}
}

func (d *duplicates) leave(id uint64) {
	d.members = slices.DeleteFunc(d.members, func(m uint64) bool { return m == id })
}

// represent decides whether a page that is to be listed stands for all pages that show
// the same. A page that is not to be listed gives its claim up. It returns the page that
// has lost its place by that, nil for none, which is to be saved next.
func (m *Batch) represent(s *Page) (loser *Page) {
	claims := s.Listed() && s.showing != 0
	if s.joined != 0 && (!claims || s.joined != s.showing) {
		m.leave(s, m.site.ID(s.loaded.location))
	}
	if !claims {
		return nil
	}
	location := s.loaded.location
	d := m.duplicates(s.showing)
	s.joined = s.showing
	if OwnPage(location) {
		d.join(m.site.ID(location))
	}
	rival, rivalRank := m.rival(location, d)
	preferred := rival != nil && admit.Prefer(s.claim(), rival.claim())
	verdict, why := admit.Represent(m.rank(s), len(d.members), rivalRank, preferred)
	switch {
	case verdict != admit.Listed:
		s.Verdict, s.Reason = verdict, why
		if d.listed == location || rival == nil {
			d.listed = ""
		}
	case rivalRank < int(admit.Vouched):
		d.listed = location
	}
	m.putDuplicates(s.showing, d)
	if d.listed == location || why == admit.SoftNotFound {
		return rival
	}
	return nil
}

// rival returns the page that is listed for a content in place of location, nil if
// there is none, and its rank, or -1.
func (m *Batch) rival(location string, d duplicates) (*Page, int) {
	if d.listed == "" || d.listed == location {
		return nil, -1
	}
	s, known := m.Load(d.listed)
	if !known || !s.Listed() {
		return nil, -1
	}
	return s, int(m.rank(s))
}

// establishedAfter is how long a page must have been known to stay listed when others
// come to show the same.
const establishedAfter = day

// rank returns how good a claim a page has to represent its content.
func (m *Batch) rank(s *Page) admit.Rank {
	rule, _ := m.site.Rules.Match(s.loaded.location)
	switch {
	case rule.Listing == admit.Always, m.site.Entries[s.loaded.location], s.hop > 0:
		return admit.Vouched
	case s.self:
		return admit.Canonical
	case s.part != 0 && s.lastSeen.Second().Sub(s.firstSeen) >= establishedAfter:
		return admit.Established
	case s.link:
		return admit.Linked
	}
	return admit.Orphaned
}

// claim returns what a page has to show beside others of its rank.
func (s *Page) claim() admit.Claim {
	return admit.Claim{Location: s.loaded.location, Linked: s.link || s.hop > 0}
}

// leave gives the claim of a page up, whose ID is given. Who else shows the content
// takes its place when it is next looked at.
func (m *Batch) leave(s *Page, id uint64) {
	d := m.duplicates(s.joined)
	d.leave(id)
	if d.listed == s.loaded.location {
		d.listed = ""
	}
	m.putDuplicates(s.joined, d)
	s.joined = 0
}

// Showing is what a page that waits showed: the hash of its content, and the networks
// that got it. ok is false for what counts against no other page.
func (s *Page) Waiting() (showing uint64, networks []uint16, ok bool) {
	return s.showing, s.networks, !s.query && s.content == admit.None
}
