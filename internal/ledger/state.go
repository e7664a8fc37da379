package ledger

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
)

// state is all that is remembered of one location. It does not name the
// location, so that it can be kept under a hash.
type state struct {
	verdict admit.Verdict
	reason  admit.Reason

	firstSeen int64 // Unix seconds, 0 if only a link is known
	lastSeen  int64 // Unix milliseconds
	status    int   // of the last sighting
	looks     uint64
	changes   uint64

	// witnessed says that the page was there when it was last asked for; absent
	// says why it was not. missing is since when, in Unix milliseconds, it may
	// be gone, and missingWhy why, until that is confirmed.
	witnessed  bool
	absent     admit.Reason
	missing    int64
	missingWhy admit.Reason
	content    admit.Reason // why the page itself forbids its listing
	ownURL     bool         // only its own canonical vouches for its query
	noFollow   bool         // the page's links count for nothing
	barred     bool         // the owner has it forgotten

	route    bool     // its route's template is exactly its location
	variable bool     // a variable of its route is named like a secret
	link     bool     // a listed page links to it
	linkAt   int64    // when a look first saw such a link, in Unix seconds, while it waits
	linkNet  uint32   // whose look that was: the client's network plus one, 0 if not known
	shown    bool     // looks a day apart, or from two networks, saw such a link
	hop      int      // entries that redirect here, one or two steps away
	networks []uint16 // while it waits
	group    uint64   // its route or folder
	counted  kinship  // how it counts in its group

	// target is where an entry redirects to, nextTarget another one that was
	// seen once since, both as hashes.
	target, nextTarget uint64

	bodyHash uint64
	tagHash  uint64 // of the entity tag
	read     bool   // parsed in full with this body hash, and its links followed
	mark     mark.Mark
	rate     rate.Estimate

	// open says what another reading of the same bytes may bring, since some
	// links were not settled at the last one: when that was, and whose look.
	open    openness
	readAt  int64
	readNet uint32

	// showing is a hash of the content, 0 if it is not known or too little to
	// tell pages apart; joined that under which the page claims to be listed,
	// see twin. shared says that another location showed the same lately, crowd
	// that many did.
	showing, joined uint64
	shared, crowd   bool
	self            bool   // it names itself as the canonical location
	canonical       []byte // the other location that it names so, sealed

	changed int64 // see part.Entry
	exact   int64
	exactBy part.Source
	given   [part.Page + 1]int64
	clock   part.Sources // those whose date was the time of the look itself
	isNew   bool         // a page read before without a link to it now has one
	fresh   int64
	until   int64 // when it is to leave, in Unix seconds (unavailable_after)

	claims []claim // what it names as itself in other languages
	peers  []peer  // those of them that are listed and name it in turn

	part   int
	unread []byte // fields of a later version

	// The verdict as it is stored, for who counts them.
	stored standing
}

// standing is a verdict with its reason.
type standing struct {
	verdict admit.Verdict
	reason  admit.Reason
}

// The fields of a stored state. Numbers are never used again.
const (
	fieldVerdict = 1 + iota
	fieldReason
	fieldFirstSeen
	fieldLastSeen
	fieldStatus
	fieldLooks
	fieldChanges
	fieldWitnessed
	fieldAbsent
	fieldMissing
	fieldMissingWhy
	fieldContent
	fieldNoFollow
	fieldOwnURL
	fieldBarred
	fieldRoute
	fieldLink
	fieldHop
	fieldNetworks
	fieldGroup
	fieldCounted
	fieldBodyHash
	fieldTagHash
	fieldRead
	fieldMark
	fieldRate
	fieldChanged
	fieldExact
	fieldExactBy
	fieldServer
	fieldPage
	fieldClock
	fieldIsNew
	fieldFresh
	fieldPart
	fieldTarget
	fieldNextTarget
	fieldVariable
	fieldLinkAt
	fieldLinkNet
	fieldShown
	fieldOpen
	fieldReadAt
	fieldReadNet
	fieldShowing
	fieldJoined
	fieldShared
	fieldSelf
	fieldCanonical
	fieldUntil
	fieldClaim
	fieldPeer
	fieldCrowd
)

func (s *state) encode() []byte {
	var e record.Encoder
	e.Uint(fieldVerdict, uint64(s.verdict))
	e.Uint(fieldReason, uint64(s.reason))
	e.Int(fieldFirstSeen, s.firstSeen)
	e.Int(fieldLastSeen, s.lastSeen)
	e.Uint(fieldStatus, uint64(s.status))
	e.Uint(fieldLooks, s.looks)
	e.Uint(fieldChanges, s.changes)
	e.Bool(fieldWitnessed, s.witnessed)
	e.Uint(fieldAbsent, uint64(s.absent))
	e.Int(fieldMissing, s.missing)
	e.Uint(fieldMissingWhy, uint64(s.missingWhy))
	e.Uint(fieldContent, uint64(s.content))
	e.Bool(fieldNoFollow, s.noFollow)
	e.Bool(fieldOwnURL, s.ownURL)
	e.Bool(fieldBarred, s.barred)
	e.Bool(fieldRoute, s.route)
	e.Bool(fieldLink, s.link)
	e.Uint(fieldHop, uint64(s.hop))
	e.Bytes(fieldNetworks, encodeNetworks(s.networks))
	e.Fixed(fieldGroup, s.group)
	e.Uint(fieldCounted, uint64(s.counted))
	e.Fixed(fieldBodyHash, s.bodyHash)
	e.Fixed(fieldTagHash, s.tagHash)
	e.Bool(fieldRead, s.read)
	e.Bytes(fieldMark, s.mark.AppendBinary(nil))
	if s.rate != (rate.Estimate{}) {
		e.Bytes(fieldRate, s.rate.AppendBinary(nil))
	}
	e.Int(fieldChanged, s.changed)
	e.Int(fieldExact, s.exact)
	e.Uint(fieldExactBy, uint64(s.exactBy))
	e.Int(fieldServer, s.given[part.Server])
	e.Int(fieldPage, s.given[part.Page])
	e.Uint(fieldClock, uint64(s.clock))
	e.Bool(fieldIsNew, s.isNew)
	e.Int(fieldFresh, s.fresh)
	e.Uint(fieldPart, uint64(s.part))
	e.Fixed(fieldTarget, s.target)
	e.Fixed(fieldNextTarget, s.nextTarget)
	e.Bool(fieldVariable, s.variable)
	e.Int(fieldLinkAt, s.linkAt)
	e.Uint(fieldLinkNet, uint64(s.linkNet))
	e.Bool(fieldShown, s.shown)
	e.Uint(fieldOpen, uint64(s.open))
	e.Int(fieldReadAt, s.readAt)
	e.Uint(fieldReadNet, uint64(s.readNet))
	e.Fixed(fieldShowing, s.showing)
	e.Fixed(fieldJoined, s.joined)
	e.Bool(fieldShared, s.shared)
	e.Bool(fieldSelf, s.self)
	e.Bytes(fieldCanonical, s.canonical)
	e.Int(fieldUntil, s.until)
	addClaims(&e, fieldClaim, s.claims)
	addPeers(&e, fieldPeer, s.peers)
	e.Bool(fieldCrowd, s.crowd)
	e.Raw(s.unread)
	return e.Seal()
}

// decodeState reads what encode wrote. A mark or an estimate of a version that
// is not known begins anew; everything else is kept.
func decodeState(b []byte) (*state, error) {
	s := new(state)
	err := record.Open(b, func(f record.Field) {
		switch f.Num {
		case fieldVerdict:
			s.verdict = admit.Verdict(f.Value)
		case fieldReason:
			s.reason = admit.Reason(f.Value)
		case fieldFirstSeen:
			s.firstSeen = f.Int()
		case fieldLastSeen:
			s.lastSeen = f.Int()
		case fieldStatus:
			s.status = int(f.Value)
		case fieldLooks:
			s.looks = f.Value
		case fieldChanges:
			s.changes = f.Value
		default:
			s.decodeStanding(f)
		}
	})
	if err != nil {
		return nil, err
	}
	s.stored = standing{s.verdict, s.reason}
	return s, nil
}

func (s *state) decodeStanding(f record.Field) {
	switch f.Num {
	case fieldWitnessed:
		s.witnessed = true
	case fieldAbsent:
		s.absent = admit.Reason(f.Value)
	case fieldMissing:
		s.missing = f.Int()
	case fieldMissingWhy:
		s.missingWhy = admit.Reason(f.Value)
	case fieldContent:
		s.content = admit.Reason(f.Value)
	case fieldNoFollow:
		s.noFollow = true
	case fieldOwnURL:
		s.ownURL = true
	case fieldBarred:
		s.barred = true
	case fieldRoute:
		s.route = true
	case fieldLink:
		s.link = true
	case fieldHop:
		s.hop = int(f.Value)
	case fieldNetworks:
		s.networks = decodeNetworks(f.Data)
	case fieldGroup:
		s.group = f.Value
	case fieldCounted:
		s.counted = kinship(f.Value)
	case fieldPart:
		s.part = int(f.Value)
	case fieldTarget:
		s.target = f.Value
	case fieldNextTarget:
		s.nextTarget = f.Value
	case fieldVariable:
		s.variable = true
	case fieldLinkAt:
		s.linkAt = f.Int()
	case fieldLinkNet:
		s.linkNet = uint32(f.Value)
	case fieldShown:
		s.shown = true
	default:
		s.decodeContent(f)
	}
}

func (s *state) decodeContent(f record.Field) {
	switch f.Num {
	case fieldBodyHash:
		s.bodyHash = f.Value
	case fieldTagHash:
		s.tagHash = f.Value
	case fieldRead:
		s.read = true
	case fieldMark:
		s.mark, _ = mark.Parse(f.Data)
	case fieldRate:
		s.rate, _ = rate.Parse(f.Data)
	case fieldChanged:
		s.changed = f.Int()
	case fieldExact:
		s.exact = f.Int()
	case fieldExactBy:
		s.exactBy = part.Source(f.Value)
	case fieldServer:
		s.given[part.Server] = f.Int()
	case fieldPage:
		s.given[part.Page] = f.Int()
	case fieldClock:
		s.clock = part.Sources(f.Value)
	case fieldIsNew:
		s.isNew = true
	case fieldFresh:
		s.fresh = f.Int()
	case fieldUntil:
		s.until = f.Int()
	default:
		s.decodeReading(f)
	}
}

func (s *state) decodeReading(f record.Field) {
	switch f.Num {
	case fieldOpen:
		s.open = openness(f.Value)
	case fieldReadAt:
		s.readAt = f.Int()
	case fieldReadNet:
		s.readNet = uint32(f.Value)
	case fieldShowing:
		s.showing = f.Value
	case fieldJoined:
		s.joined = f.Value
	case fieldShared:
		s.shared = true
	case fieldCrowd:
		s.crowd = true
	case fieldSelf:
		s.self = true
	case fieldCanonical:
		s.canonical = bytes.Clone(f.Data)
	case fieldClaim:
		if c, ok := decodeClaim(f.Data); ok {
			s.claims = append(s.claims, c)
		}
	case fieldPeer:
		if p, ok := decodePeer(f.Data); ok {
			s.peers = append(s.peers, p)
		}
	default:
		s.unread = append(s.unread, f.Raw...)
	}
}

func encodeNetworks(networks []uint16) []byte {
	var b []byte
	for _, n := range networks {
		b = binary.BigEndian.AppendUint16(b, n)
	}
	return b
}

func decodeNetworks(b []byte) (networks []uint16) {
	for ; len(b) >= 2; b = b[2:] {
		networks = append(networks, binary.BigEndian.Uint16(b))
	}
	return networks
}

func (s *state) listed() bool { return s.verdict == admit.Listed }

// entry returns what the sitemap is to tell of the page. confidence is the
// least probability that a changefreq needs; nothing is certain, so 1 admits
// none, whatever rounding says.
func (s *state) entry(confidence float64) part.Entry {
	e := part.Entry{Changed: s.changed, Exact: s.exact, ExactBy: s.exactBy, Fresh: s.fresh, Until: s.until}
	for src := part.Server; src <= part.Page; src++ {
		if !s.clock.Has(src) {
			e.Given[src] = s.given[src]
		}
	}
	freq, p := s.rate.Freq()
	if p >= confidence && confidence < 1 {
		e.Freq = freq
	}
	e.Volatile = freq == rate.Always && p >= 0.5
	return e
}

func seconds(millis int64) int64 { return millis / 1000 }

func fromMillis(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis)
}

func fromSeconds(sec int64) time.Time {
	if sec == 0 {
		return time.Time{}
	}
	return time.Unix(sec, 0)
}
