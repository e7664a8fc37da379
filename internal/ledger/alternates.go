package ledger

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/record"
)

// What bounds the alternates of one page.
const (
	alternatesKept  = 100
	alternatesBytes = 16 << 10 // of languages and locations
)

// claim is an alternate that a page names: its language, and the id of its
// location, which may not be public.
type claim struct {
	lang string
	id   uint64
}

// peer is an alternate that is listed and names the page in turn.
type peer struct{ lang, location string }

// alternates returns what the page names as itself in other languages, each
// only once under each language.
func alternates(norm *location.Normalizer, from string, facts *page.Facts) (found []peer) {
	base, size := norm.Base(from, facts.Base), 0
	for _, a := range facts.Alternates {
		to := norm.Resolve(base, a.Href)
		p := peer{strings.ToLower(a.Lang), to.Location}
		if to.Reason != location.ReasonNone || strings.Contains(p.lang, " ") || slices.Contains(found, p) {
			continue
		}
		if size += len(p.lang) + len(p.location); size > alternatesBytes || len(found) == alternatesKept {
			break
		}
		found = append(found, p)
	}
	return found
}

// claims returns the alternates in the form in which they are kept.
func (l *Ledger) claims(found []peer) []claim {
	var claims []claim
	for _, p := range found {
		claims = append(claims, claim{p.lang, l.id(p.location)})
	}
	return claims
}

// pair brings the peers of a page that was just read, and of those it names, in
// line with what they say of each other.
func (m *merge) pair(k *look) {
	s, _ := m.load(k.Location)
	if !s.listed() {
		return
	}
	own := m.l.id(k.Location)
	var peers []peer
	for _, a := range k.alternates {
		if a.location == k.Location {
			continue
		}
		if to, known := m.load(a.location); known && to.listed() && to.names(own) != nil {
			peers = append(peers, a)
			m.befriend(a.location, to, k.Location, own)
		}
	}
	for _, old := range s.peers {
		if !slices.ContainsFunc(peers, func(p peer) bool { return p.location == old.location }) {
			m.unfriend(old.location, k.Location)
		}
	}
	if !slices.Equal(peers, s.peers) {
		s.peers = peers
		m.save(k.Location, s)
	}
}

// names returns the languages under which the page names a location, nil if it
// does not.
func (s *state) names(id uint64) (langs []string) {
	for _, c := range s.claims {
		if c.id == id {
			langs = append(langs, c.lang)
		}
	}
	return langs
}

// befriend adds a page to the peers of one that names it.
func (m *merge) befriend(location string, s *state, friend string, id uint64) {
	changed := false
	for _, lang := range s.names(id) {
		if p := (peer{lang, friend}); !slices.Contains(s.peers, p) && len(s.peers) < alternatesKept {
			s.peers, changed = append(s.peers, p), true
		}
	}
	if changed {
		m.save(location, s)
	}
}

// unfriend takes a page from the peers of another.
func (m *merge) unfriend(location, friend string) {
	s, _ := m.load(location)
	before := len(s.peers)
	s.peers = slices.DeleteFunc(s.peers, func(p peer) bool { return p.location == friend })
	if len(s.peers) != before {
		m.save(location, s)
	}
}

// separate has a page that leaves the sitemap leave its peers too.
func (m *merge) separate(location string, peers []peer) {
	for _, p := range peers {
		m.unfriend(p.location, location)
	}
}

// addClaims adds the claims to a record, each a field of that number.
func addClaims(e *record.Encoder, num int, claims []claim) {
	for _, c := range claims {
		e.Bytes(num, append(binary.BigEndian.AppendUint64(nil, c.id), c.lang...))
	}
}

func decodeClaim(b []byte) (claim, bool) {
	if len(b) < 8 {
		return claim{}, false
	}
	return claim{lang: string(b[8:]), id: binary.BigEndian.Uint64(b)}, true
}

// addPeers adds the peers to a record, each a field of that number.
func addPeers(e *record.Encoder, num int, peers []peer) {
	for _, p := range peers {
		e.Bytes(num, []byte(p.lang+" "+p.location))
	}
}

func decodePeer(b []byte) (peer, bool) {
	lang, location, ok := strings.Cut(string(b), " ")
	return peer{lang, location}, ok && isLocation(location)
}
