package ledger

import (
	"bytes"
	"encoding/binary"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
)

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
	fieldYoung
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
	fieldLogged
	fieldMoved
	fieldKeptServer
	fieldKeptPage
	fieldPast
	fieldHeld
	fieldBehind
	fieldUndated
	fieldVarieties
	fieldInbound
	fieldPriority
	fieldAside
	fieldWord
	fieldJoinedShowing
	fieldNewLinks
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
	e.Bytes(fieldNetworks, encodeShorts(s.networks))
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
	e.Uint(fieldYoung, uint64(s.young))
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
	if s.joined != s.showing {
		e.Fixed(fieldJoined, s.joined)
	}
	e.Bool(fieldShared, s.shared)
	e.Bool(fieldSelf, s.self)
	e.Bytes(fieldCanonical, s.canonical)
	e.Int(fieldUntil, s.until)
	addClaims(&e, fieldClaim, s.claims)
	addPeers(&e, fieldPeer, s.peers)
	e.Bool(fieldCrowd, s.crowd)
	e.Int(fieldLogged, s.logged)
	e.Uint(fieldMoved, uint64(s.moved))
	e.Int(fieldKeptServer, s.kept[part.Server])
	e.Int(fieldKeptPage, s.kept[part.Page])
	if s.unchanged != 0 || len(s.earlier) > 0 {
		e.Bytes(fieldPast, encodeTimes(s.changed, append([]int64{s.unchanged}, s.earlier...)...))
	}
	if s.held != (heldDate{}) {
		e.Bytes(fieldHeld, s.held.encode())
	}
	e.Int(fieldBehind, s.behind)
	e.Bool(fieldUndated, s.undated)
	e.Bytes(fieldVarieties, encodeShorts(s.varieties))
	e.Uint(fieldInbound, uint64(s.inbound))
	e.Uint(fieldPriority, uint64(s.priority))
	e.Uint(fieldWord, s.word.encode(s.rate))
	if s.aside != (mended{}) {
		e.Bytes(fieldAside, s.aside.encode(s.changed))
	}
	e.Bool(fieldJoinedShowing, s.joined != 0 && s.joined == s.showing) // as nearly everywhere
	e.Bytes(fieldNewLinks, encodeNewLinks(s.newLinks))
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
			s.firstSeen = f.Seconds()
		case fieldLastSeen:
			s.lastSeen = f.Millis()
		case fieldStatus:
			s.status = f.Count()
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
	if s.part > part.MaxParts || s.listed() && !s.public() {
		return nil, record.ErrDamaged // no page is listed there
	}
	s.stored, s.storedChanged = standing{s.verdict, s.reason}, s.changed
	return s, nil
}

func (s *state) decodeStanding(f record.Field) {
	switch f.Num {
	case fieldWitnessed:
		s.witnessed = true
	case fieldAbsent:
		s.absent = admit.Reason(f.Value)
	case fieldMissing:
		s.missing = f.Millis()
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
		s.hop = f.Count()
	case fieldNetworks:
		s.networks = decodeShorts(f.Data)
	case fieldGroup:
		s.group = f.Value
	case fieldCounted:
		s.counted = kinship(f.Value)
	case fieldPart:
		s.part = f.Count()
	case fieldTarget:
		s.target = f.Value
	case fieldNextTarget:
		s.nextTarget = f.Value
	case fieldVariable:
		s.variable = true
	case fieldLinkAt:
		s.linkAt = f.Seconds()
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
		s.changed = f.Seconds()
	case fieldExact:
		s.exact = f.Seconds()
	case fieldExactBy:
		s.exactBy = sourceOf(f.Value)
	case fieldServer:
		s.given[part.Server] = f.Seconds()
	case fieldPage:
		s.given[part.Page] = f.Seconds()
	case fieldYoung:
		s.young = part.Sources(f.Value)
	case fieldIsNew:
		s.isNew = true
	case fieldFresh:
		s.fresh = f.Seconds()
	case fieldUntil:
		s.until = f.Seconds()
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
	case fieldLogged:
		s.logged = f.Millis()
	default:
		s.decodeDates(f)
	}
}

func (s *state) decodeDates(f record.Field) {
	switch f.Num {
	case fieldMoved:
		s.moved = part.Sources(f.Value)
	case fieldKeptServer:
		s.kept[part.Server] = f.Seconds()
	case fieldKeptPage:
		s.kept[part.Page] = f.Seconds()
	case fieldPast:
		if t := decodeTimes(s.changed, f.Data); len(t) > 0 {
			s.unchanged, s.earlier = t[0], t[1:min(len(t), 1+changesKept)]
		}
	case fieldHeld:
		s.held = decodeHeld(f.Data)
	case fieldBehind:
		s.behind = f.Seconds()
	case fieldUndated:
		s.undated = true
	case fieldVarieties:
		s.varieties = decodeShorts(f.Data)
	case fieldInbound:
		s.inbound = priority.Inbound(f.Value)
	case fieldPriority:
		s.priority = uint8(min(f.Value, priority.Most))
	case fieldWord:
		s.word = decodeWord(f.Value, s.rate) // which stands before it
	case fieldAside:
		s.aside = decodeMended(s.changed, f.Data)
	case fieldJoinedShowing:
		s.joined = s.showing
	case fieldNewLinks:
		s.newLinks = decodeNewLinks(f.Data)
	default:
		s.unread = append(s.unread, f.Raw...)
	}
}

// encodeTimes writes times, each as its distance from the one before, the first
// as that from a time which the reader knows.
func encodeTimes(last int64, times ...int64) (b []byte) {
	for _, t := range times {
		b = binary.AppendVarint(b, t-last)
		last = t
	}
	return b
}

func decodeTimes(last int64, b []byte) (times []int64) {
	for len(b) > 0 {
		d, n := binary.Varint(b)
		if n <= 0 {
			return nil
		}
		last = record.Seconds(last + d)
		times, b = append(times, last), b[n:]
	}
	return times
}

func (h heldDate) encode() []byte {
	head := binary.BigEndian.AppendUint16([]byte{byte(h.by)}, h.variety)
	return append(head, encodeTimes(0, h.at, h.before, h.exact)...)
}

func decodeHeld(b []byte) (h heldDate) {
	if len(b) < 3 {
		return h
	}
	if t := decodeTimes(0, b[3:]); len(t) == 3 {
		h = heldDate{at: t[0], before: t[1], exact: t[2], by: sourceOf(uint64(b[0])), variety: binary.BigEndian.Uint16(b[1:])}
	}
	return h
}

// sourceOf returns the source with a stored number, none for one that is not known.
func sourceOf(n uint64) part.Source {
	if n > uint64(part.Page) {
		return part.NoSource
	}
	return part.Source(n)
}

func encodeShorts(list []uint16) []byte {
	var b []byte
	for _, n := range list {
		b = binary.BigEndian.AppendUint16(b, n)
	}
	return b
}

func decodeShorts(b []byte) (list []uint16) {
	for ; len(b) >= 2; b = b[2:] {
		list = append(list, binary.BigEndian.Uint16(b))
	}
	return list
}
