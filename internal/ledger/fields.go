package ledger

import (
	"bytes"
	"encoding/binary"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/mark"
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
	fieldVarieties
	fieldInbound
	fieldPriority
	fieldJoinedShowing
	fieldNewLinks
	fieldTargetAt
	fieldTargetNet
	fieldNextAt
	fieldUnprompted
	fieldQuery
	fieldMissingNet

	fieldDates = 100 // lastmod.DateFields from here on
)

func (s *state) encode() []byte {
	var e record.Encoder
	e.Uint(fieldVerdict, uint64(s.verdict))
	e.Uint(fieldReason, uint64(s.reason))
	e.Int(fieldFirstSeen, s.firstSeen)
	e.Int(fieldLastSeen, s.lastSeen)
	e.Uint(fieldStatus, uint64(s.status))
	e.Uint(fieldLooks, s.looks)
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
	s.dates.Encode(&e, fieldDates)
	e.Date(fieldUntil, s.until)
	addClaims(&e, fieldClaim, s.claims)
	addPeers(&e, fieldPeer, s.peers)
	e.Bool(fieldCrowd, s.crowd)
	e.Int(fieldLogged, s.logged)
	e.Bytes(fieldVarieties, encodeShorts(s.varieties))
	e.Uint(fieldInbound, uint64(s.inbound))
	e.Uint(fieldPriority, uint64(s.priority))
	e.Bool(fieldJoinedShowing, s.joined != 0 && s.joined == s.showing) // as nearly everywhere
	e.Bytes(fieldNewLinks, encodeNewLinks(s.newLinks))
	e.Int(fieldTargetAt, s.targetAt)
	e.Uint(fieldTargetNet, uint64(s.targetNet))
	e.Int(fieldNextAt, s.nextAt)
	e.Bool(fieldUnprompted, s.unprompted)
	e.Bool(fieldQuery, s.query)
	e.Uint(fieldMissingNet, uint64(s.missingNet))
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
		default:
			s.decodeStanding(f)
		}
	})
	if err != nil {
		return nil, err
	}
	if s.part > keys.MaxPart || s.listed() && !s.public() {
		return nil, record.ErrDamaged // no page is listed there
	}
	s.stored, s.storedChanged = standing{s.verdict, s.reason}, s.dates.LastChange()
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
	case fieldUntil:
		s.until = f.Date()
	default:
		s.decodeReading(f)
	}
}

func (s *state) decodeReading(f record.Field) {
	switch f.Num {
	case fieldOpen:
		s.open = openness(f.Value)
	case fieldReadAt:
		s.readAt = f.Seconds()
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
		s.decodeRest(f)
	}
}

func (s *state) decodeRest(f record.Field) {
	switch f.Num {
	case fieldVarieties:
		s.varieties = decodeShorts(f.Data)
	case fieldInbound:
		s.inbound = priority.Inbound(f.Value)
	case fieldPriority:
		s.priority = uint8(min(f.Value, priority.Most))
	case fieldJoinedShowing:
		s.joined = s.showing
	case fieldNewLinks:
		s.newLinks = decodeNewLinks(f.Data)
	case fieldTargetAt:
		s.targetAt = f.Millis()
	case fieldTargetNet:
		s.targetNet = uint32(f.Value)
	case fieldNextAt:
		s.nextAt = f.Millis()
	case fieldUnprompted:
		s.unprompted = true
	case fieldQuery:
		s.query = true
	case fieldMissingNet:
		s.missingNet = uint32(f.Value)
	default:
		if !s.dates.Decode(f, fieldDates) {
			s.unread = append(s.unread, f.Raw...)
		}
	}
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
