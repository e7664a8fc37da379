package ledger

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
)

// networksKept bounds the networks remembered of one waiting page.
const networksKept = 32

// clockSlack is how far back a sighting may lie behind the last one and still
// be taken for one that came late. Beyond that, the clock was wrong then.
const clockSlack = 24 * time.Hour

// merge is one transaction's worth of merging: it reads and writes states by
// location, and notes what follows from it once the transaction is stored.
type merge struct {
	*tx
	l       *Ledger
	effects effects
}

// effects are what a stored transaction asks of the rest of the program.
type effects struct {
	parts     map[int]bool     // whose listing changed
	due       []string         // locations to look at again soon
	doubted   map[string]int64 // locations to confirm a minute after, in Unix milliseconds
	undoubted []string         // locations of which that is off
	settled   map[string]int   // locations on which the store now holds the verdict, with their parts
	caught    bool             // a source of dates lost its trust
	withdrew  bool             // something left, which a power loss must not undo
	waiting   int              // change in the number of waiting locations
	follow    bool             // the links of the page count
	damaged   int              // records that could not be read
}

// load returns the state of location, a new one if there is none.
func (m *merge) load(location string) (s *state, known bool) {
	for _, key := range []string{m.l.keys.page(location), m.l.keys.wait(m.l.secret, location)} {
		b := m.Get(key)
		if b == nil {
			continue
		}
		s, err := decodeState(b)
		switch {
		case err == nil:
			return s, true
		case errors.Is(err, record.ErrVersion):
			m.failed = fmt.Errorf("a page's record: %w; it needs a later version of this program", err)
			return new(state), false
		}
		m.effects.damaged++
		if n := m.l.book.Find(m.tx, location); n != 0 {
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
	switch {
	case s.listed():
		m.list(location, s, was)
	case was == admit.Listed:
		m.unlist(location, s)
	}
	page, wait := m.l.keys.page(location), m.l.keys.wait(m.l.secret, location)
	if s.public() {
		if m.Get(wait) != nil {
			m.Put(wait, nil)
			m.effects.waiting--
		}
		s.networks, s.isNew = nil, false
		m.Put(page, s.encode())
		return
	}
	if m.Get(wait) == nil {
		m.effects.waiting++
	}
	m.Put(wait, s.encode())
}

// public reports whether the page is or was listed. It has had a part since.
func (s *state) public() bool { return s.part != 0 }

// verdict decides on a location as its state now is.
func (m *merge) verdict(location string, s *state) (admit.Verdict, admit.Reason) {
	rule, _ := m.l.cfg.Rules.Match(location)
	switch {
	case s.barred && rule.Listing != admit.Always:
		return admit.Excluded, admit.Forgotten
	case !s.witnessed && s.absent != admit.None && s.public():
		return admit.Gone, s.absent
	case !s.witnessed && s.content == admit.Private, !s.witnessed && s.content == admit.NoStore:
		return admit.Excluded, s.content
	case !s.witnessed && s.link:
		return admit.Waiting, admit.NotSeen
	case !s.witnessed:
		return admit.Waiting, admit.NoEvidence
	}
	ev := admit.Evidence{
		Entry:    s.hop > 0 || m.l.entries[location],
		Route:    s.route,
		Link:     s.link,
		Networks: len(s.networks),
		Before:   s.public(),
		Word:     admit.WordOf(location),
	}
	if ev.Networks >= m.l.cfg.Networks && s.group != 0 {
		ev.Siblings = readCount(m.Get(m.l.keys.kin(s.group)))
	}
	return admit.Decide(ev, rule.Listing, s.content, m.l.cfg.Networks, s.ownURL)
}

func (m *merge) list(location string, s *state, was admit.Verdict) {
	e := s.entry(m.l.cfg.Confidence)
	if was != admit.Listed {
		s.part = m.l.book.Add(m.tx, s.part, location, e)
		m.effects.parts[s.part] = true
		if !s.read {
			m.effects.due = append(m.effects.due, location)
		}
	} else if m.l.book.Set(m.tx, s.part, location, e) {
		m.effects.parts[s.part] = true
	}
	if s.link && !s.counted && s.group != 0 {
		s.counted = true
		m.count(s.group, 1)
	}
}

func (m *merge) unlist(location string, s *state) {
	m.l.book.Remove(m.tx, s.part, location)
	m.effects.parts[s.part] = true
	m.effects.withdrew = true
	s.read = false
	if s.counted {
		s.counted = false
		m.count(s.group, -1)
	}
}

func (m *merge) count(group uint64, by int) {
	key := m.l.keys.kin(group)
	m.Put(key, encodeCount(readCount(m.Get(key))+by))
}

// apply merges one look, whatever its kind.
func (m *merge) apply(k *look) {
	s, known := m.load(k.Location)
	switch {
	case k.confirm:
		m.confirm(k, s)
	case k.Kind == admit.Witness:
		m.witness(k, s)
	case k.Kind == admit.Redirected:
		m.redirect(k, s)
	case !known:
		// Nothing is remembered of what is not there.
	case !s.witnessed:
		s.status = k.Response.Status // for who asks why it is not listed
		m.save(k.Location, s)
	case k.Kind == admit.Alive:
		m.alive(k, s)
	case k.Kind == admit.Doubtful:
		m.doubt(k, s, k.Reason)
	default:
		m.withdraw(k, s, k.Reason)
	}
}

// witness merges the sighting of a page. A sighting no newer than the last one
// has been merged already, or came out of order; it is still evidence.
func (m *merge) witness(k *look, s *state) {
	if s.listed() && !k.same && variable(k.content) {
		m.doubt(k, s, k.content)
		return
	}
	m.evidence(k, s)
	at := k.At.UnixMilli()
	forbids := k.content != admit.None && at == s.lastSeen // two looks in one moment: the more cautious one counts
	if at > s.lastSeen || s.lastSeen-at > clockSlack.Milliseconds() || forbids {
		m.seen(k, s, at)
	}
	// Not only when it is new: a store may have taken the look, and lost the
	// answer, before its links were followed.
	m.effects.follow = k.full && !s.read && s.bodyHash == k.hash
	m.save(k.Location, s)
}

// variable reports whether what forbids a listing may be true for one client
// and not for the next, such as a canonical that the site makes of a header.
func variable(why admit.Reason) bool {
	switch why {
	case admit.CanonicalElsewhere, admit.CanonicalConflict, admit.QueryNotCanonical, admit.HeadNotSeen, admit.Encoding:
		return true
	}
	return false
}

func (m *merge) seen(k *look, s *state, at int64) {
	before := seconds(s.lastSeen)
	if s.firstSeen == 0 {
		s.firstSeen = k.At.Unix()
		if s.isNew {
			s.fresh = s.firstSeen
		}
	}
	m.undoubt(k.Location, s)
	s.lastSeen, s.status = at, k.Response.Status
	s.looks++
	s.witnessed, s.absent = true, admit.None
	if k.same {
		m.dates(k, s, mark.Same, before)
		s.rate = s.rate.Saw(k.At.Unix(), false)
	} else {
		s.content, s.noFollow, s.ownURL = k.content, k.noFollow, k.OwnURL
		m.content(k, s, before)
	}
	s.tagHash = tagHash(k)
	m.effects.settled[k.Location] = s.part
}

// content merges what a page that was read says. A look that could not be
// afforded in full leaves the page unread, so that the next one is.
func (m *merge) content(k *look, s *state, before int64) {
	outcome := mark.Variant
	s.read = s.read && s.bodyHash == k.hash
	switch {
	case !k.full:
		s.bodyHash = 0
	case k.cut:
		s.bodyHash = k.hash
	default:
		s.bodyHash = k.hash
		s.mark, outcome = s.mark.Look(k.text)
		s.rate = s.rate.Saw(k.At.Unix(), outcome == mark.Changed)
		if outcome == mark.Changed {
			s.changes++
			s.changed, s.exact, s.exactBy = k.At.Unix(), 0, part.NoSource
		}
	}
	m.dates(k, s, outcome, before)
}

// evidence notes what the sighting adds to the reasons for listing.
func (m *merge) evidence(k *look, s *state) {
	s.route = s.route || k.Exact
	if k.group != 0 && !s.counted {
		s.group = k.group
	}
	if k.network != nil && !s.public() && len(s.networks) < networksKept && !slices.Contains(s.networks, *k.network) {
		s.networks = append(s.networks, *k.network)
	}
}

// alive merges the proof that a known page is there. A 304 that repeats the
// entity tag of the last look proves that it is unchanged as well.
func (m *merge) alive(k *look, s *state) {
	at := k.At.UnixMilli()
	if at <= s.lastSeen {
		return
	}
	s.lastSeen, s.status = at, k.Response.Status
	if k.Response.Status == http.StatusNotModified && s.tagHash != 0 && s.tagHash == tagHash(k) {
		s.rate = s.rate.Saw(k.At.Unix(), false)
	}
	m.save(k.Location, s)
}

// tagHash returns a hash of the entity tag without its weakness mark, which
// compressors add and drop, 0 if there is none.
func tagHash(k *look) uint64 {
	tag := strings.TrimPrefix(k.Response.Header.ETag, "W/")
	if tag == "" {
		return 0
	}
	return xxh3.HashString(tag)
}

// withdraw takes the page out: because the site no longer serves it, or
// because it now says that it is not to be listed.
func (m *merge) withdraw(k *look, s *state, why admit.Reason) {
	m.undoubt(k.Location, s)
	if k.Response != nil {
		s.status = k.Response.Status
	}
	switch why {
	case admit.Private, admit.NoStore:
		s.witnessed, s.content, s.absent = false, why, admit.None
	default:
		if variable(why) {
			s.content, s.bodyHash = why, 0 // the page is there; what it showed last was not merged
			break
		}
		s.witnessed, s.absent = false, why
	}
	m.effects.settled[k.Location] = s.part
	m.save(k.Location, s)
}

// doubt begins the minute in which a witness can still save the page. A page
// that is not listed has nothing to lose.
func (m *merge) doubt(k *look, s *state, why admit.Reason) {
	if !s.listed() {
		m.withdraw(k, s, why)
		return
	}
	at := k.At.UnixMilli()
	if s.missing == 0 && at < s.lastSeen && s.lastSeen-at < clockSlack.Milliseconds() {
		return // a page has been seen since
	}
	if s.missing == 0 {
		s.status, s.missing, s.missingWhy = k.Response.Status, at, why
		m.Put(m.l.keys.lost(k.Location), encodeCount(int(at)))
	}
	m.effects.doubted[k.Location] = s.missing // also if it was noted before, and nobody knew
	m.save(k.Location, s)
}

// undoubt ends the doubt, if there is one.
func (m *merge) undoubt(location string, s *state) {
	if s.missing != 0 {
		s.missing, s.missingWhy = 0, admit.None
		m.Put(m.l.keys.lost(location), nil)
		m.effects.undoubted = append(m.effects.undoubted, location)
	}
}

// confirm ends that minute, unless the doubt is over.
func (m *merge) confirm(k *look, s *state) {
	if s.missing == 0 {
		m.Put(m.l.keys.lost(k.Location), nil)
		m.effects.settled[k.Location] = s.part
		return
	}
	m.withdraw(k, s, s.missingWhy)
}

// redirect merges a redirect: the target of an entry's is an entry too, and a
// page that has moved for good hands its history on.
func (m *merge) redirect(k *look, s *state) {
	if s.link && !s.witnessed && s.status != k.Response.Status {
		s.status = k.Response.Status
		m.save(k.Location, s)
	}
	permanent := k.Response.Status == http.StatusMovedPermanently || k.Response.Status == http.StatusPermanentRedirect
	switch k.target {
	case "":
		if permanent && s.listed() {
			m.doubt(k, s, admit.Moved)
		}
		return
	case k.Location:
		return
	}
	hop := 0
	if m.l.entries[k.Location] {
		hop = 1
	} else if s.hop == 1 {
		hop = 2
	}
	hop = m.steady(k, s, hop)
	moved := permanent && s.listed()
	led := permanent && (moved || s.link) // what a public link leads to, by a redirect that stays
	if hop == 0 && !led {
		return
	}
	to, _ := m.load(k.target)
	if hop != 0 && (to.hop == 0 || hop < to.hop) {
		to.hop = hop
	}
	to.link = to.link || led
	if moved {
		to.inherit(s)
		m.withdraw(k, s, admit.Moved)
	}
	m.save(k.target, to)
}

// steady returns hop if the redirect leads to the same target as before, and 0
// for one that leads each visitor to a page of his own. The first target that
// is seen counts at once; another one when it is seen twice running.
func (m *merge) steady(k *look, s *state, hop int) int {
	if hop == 0 {
		return 0
	}
	target := m.l.secret.short("target", k.target)
	switch {
	case s.target == 0, s.nextTarget == target:
		s.target, s.nextTarget = target, 0
	case s.target != target:
		s.nextTarget, hop = target, 0
	default:
		if s.nextTarget == 0 {
			return hop
		}
		s.nextTarget = 0
	}
	m.save(k.Location, s)
	return hop
}

// inherit takes over the history of the page that has moved here.
func (s *state) inherit(from *state) {
	if s.firstSeen == 0 {
		s.mark, s.rate = from.mark, from.rate
		s.changed, s.exact, s.exactBy = from.changed, from.exact, from.exactBy
		s.looks, s.changes = from.looks, from.changes
	}
	if s.firstSeen == 0 || from.firstSeen < s.firstSeen {
		s.firstSeen = from.firstSeen
	}
}

// forget erases the state of location and bars it. What is left names nothing.
func (m *merge) forget(location string) {
	s, _ := m.load(location)
	if s.listed() {
		m.unlist(location, s)
	}
	m.Put(m.l.keys.page(location), nil)
	m.Put(m.l.keys.lost(location), nil)
	m.effects.settled[location] = s.part
	m.save(location, &state{barred: true})
}
