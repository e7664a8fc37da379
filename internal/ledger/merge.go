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
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/mark"
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
	parts     map[int]bool         // whose listing changed
	due       []string             // locations to look at again soon
	doubted   map[string]int64     // locations to confirm a minute after, in Unix milliseconds
	undoubted []string             // locations of which that is off
	settled   map[string]int       // locations on which the store now holds the verdict, with their parts
	caught    bool                 // a source of dates lost its trust
	withdrew  bool                 // something left, which a power loss must not undo
	left      map[admit.Reason]int // how many left, and why
	moves     []move               // verdicts that became others
	waiting   int                  // change in the number of waiting locations
	follow    bool                 // the links of the page count
	damaged   int                  // records that could not be read
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
	page, wait := m.l.keys.page(location), m.l.keys.wait(m.l.secret, location)
	key := page
	if s.public() {
		if m.Get(wait) != nil {
			m.Put(wait, nil)
			m.effects.waiting--
			m.effects.moves = append(m.effects.moves, move{wait, s.stored, standing{}})
			s.stored = standing{}
		}
		s.networks, s.isNew, s.canonical = nil, false, nil // its location no longer hides what is sealed
		s.linkAt, s.linkNet = 0, 0
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

// public reports whether the page is or was listed. It has had a part since.
func (s *state) public() bool { return s.part != 0 }

// verdict decides on a location as its state now is.
func (m *merge) verdict(location string, s *state) (admit.Verdict, admit.Reason) {
	rule, _ := m.l.cfg.Rules.Match(location)
	disallowed := !m.l.Allows(location) || !s.public() && !m.l.allowsNew(location)
	switch {
	case !s.witnessed && rule.Listing == admit.Never:
		return admit.Excluded, admit.RuleNever
	case !s.witnessed && disallowed:
		return admit.Excluded, admit.Disallowed
	case s.barred && rule.Listing != admit.Always:
		return admit.Excluded, admit.Forgotten
	case !s.witnessed && s.absent != admit.None && s.public():
		return admit.Gone, s.absent
	case !s.witnessed && s.content == admit.Private, !s.witnessed && s.content == admit.NoStore:
		return admit.Excluded, s.content
	case !s.witnessed && (s.link || s.hop > 0):
		return admit.Waiting, admit.NotSeen
	case !s.witnessed:
		return admit.Waiting, admit.NoEvidence
	}
	content := s.content
	if content == admit.None && !s.self && m.l.foreignQuery(location) {
		content = admit.QueryNotCanonical // it was allowed once
	}
	ev := admit.Evidence{
		Entry:  m.l.entries[location],
		Led:    s.hop > 0,
		Route:  s.route,
		Link:   s.link,
		Before: s.public(),
		Crowd:  s.crowd,

		Disallowed: disallowed,
	}
	if !ev.Before {
		m.toEnter(&ev, location, s)
	}
	return admit.Decide(ev, rule.Listing, content, m.l.cfg.Networks, s.ownURL)
}

// foreignQuery reports whether the location has a query parameter that is not
// allowed, so that only its own canonical can vouch for it.
func (l *Ledger) foreignQuery(location string) bool {
	return strings.Contains(location, "?") && l.cfg.Normalizer.Parse(location).NeedsCanonical
}

// toEnter fills in what matters only of a page that has never been listed.
func (m *merge) toEnter(ev *admit.Evidence, location string, s *state) {
	ev.Word = admit.WordOf(location, s.variable)
	ev.Shown, ev.Shared, ev.Networks = s.shown, s.shared, len(s.networks)
	if s.group != 0 && (ev.Link || ev.Led || ev.Networks >= m.l.cfg.Networks) {
		n := readKin(m.Get(m.l.keys.kin(s.group)))
		ev.Siblings, ev.Orphans, ev.Grown = n.siblings, n.orphans, n.grownOn(s.day())
	}
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
}

func (m *merge) unlist(location string, s *state) {
	m.l.book.Remove(m.tx, s.part, location)
	m.effects.parts[s.part] = true
	m.effects.withdrew = true
	m.effects.due = append(m.effects.due, location) // one client's answer may not be the next one's
	m.effects.left[s.reason]++
	s.read = false
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
	case !known && !m.l.entries[k.Location]:
		// Nothing is remembered of what is not there.
	case !s.witnessed:
		s.status = k.Response.Status // for who asks why it is not listed
		if s.content = admit.None; k.Kind == admit.Forbidden {
			s.content = k.Reason
		}
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
		m.effects.due = append(m.effects.due, k.Location) // or this look hides the next visitor's
		return
	}
	m.evidence(k, s)
	var news canonicalNews
	at := k.At.UnixMilli()
	forbids := k.content != admit.None && at == s.lastSeen // two looks in one moment: the more cautious one counts
	if at > s.lastSeen || s.lastSeen-at > clockSlack.Milliseconds() || forbids {
		news = m.seen(k, s, at)
	}
	// Not only when it is new: a store may have taken the look, and lost the
	// answer, before its links were followed.
	m.effects.follow = k.full && (!s.read || k.again) && s.bodyHash == k.hash
	pairs := k.full && !s.read
	m.save(k.Location, s)
	if pairs && len(k.alternates)+len(s.peers) > 0 {
		m.pair(k)
	}
	if k.canonical != "" {
		m.feed(k, s, news)
	}
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

func (m *merge) seen(k *look, s *state, at int64) (news canonicalNews) {
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
		s.crowd = s.crowd || k.crowd
		s.mark = s.mark.Still()
		m.dates(k, s, mark.Same, before)
		s.rate = s.rate.Saw(k.At.Unix(), false)
	} else {
		s.content, s.noFollow, s.ownURL = k.content, k.noFollow, k.OwnURL
		s.self, s.until, s.canonical = k.self, k.until, nil
		if k.canonical != "" && !s.public() {
			s.canonical = m.l.secret.seal(k.Location, k.canonical, k.At.UnixNano())
		}
		news = m.content(k, s, before)
	}
	s.tagHash = tagHash(k)
	s.end(k.At)
	m.effects.settled[k.Location] = s.part
	return news
}

// end applies the time for which the page has announced its end.
func (s *state) end(now time.Time) {
	if s.ended(now) && s.content == admit.None {
		s.content = admit.NoIndex
	}
}

func (s *state) ended(now time.Time) bool { return s.until != 0 && now.Unix() > s.until }

// content merges what a page that was read says. A look that could not be
// afforded in full leaves the page unread, so that the next one is.
func (m *merge) content(k *look, s *state, before int64) (news canonicalNews) {
	outcome := mark.Variant
	s.read = s.read && s.bodyHash == k.hash
	switch {
	case !k.full:
		s.bodyHash = 0
	case k.cut:
		s.bodyHash, s.showing, s.shared, s.crowd = k.hash, 0, false, false
	default:
		news.before = s.mark
		same := s.showing == k.showing
		s.shared, s.crowd = k.shared || s.shared && same, k.crowd || s.crowd && same
		s.bodyHash, s.showing = k.hash, k.showing
		s.claims = m.l.secret.claims(k.alternates)
		outcome = m.mark(k, s)
		news.read, news.outcome = true, outcome
	}
	m.dates(k, s, outcome, before)
	return news
}

// evidence notes what the sighting adds to the reasons for listing.
func (m *merge) evidence(k *look, s *state) {
	s.route = s.route || k.Exact
	s.variable = s.variable || k.Route != "" && capability.Variable(k.Route)
	if k.group != 0 && s.counted == stranger {
		s.group = k.group
	}
	s.visited(k)
}

// visited notes the client's network, while that is evidence.
func (s *state) visited(k *look) {
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
		if variable(why) || why == admit.NoIndex {
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

// forget erases the state of location and bars it. What is left names nothing.
func (m *merge) forget(location string) {
	s, _ := m.load(location)
	if s.listed() {
		m.unlist(location, s)
		s.verdict = admit.Excluded
		m.count(s, false)
	}
	m.Put(m.l.keys.page(location), nil)
	m.Put(m.l.keys.lost(location), nil)
	m.effects.settled[location] = s.part
	if s.joined != 0 {
		m.leave(location, s)
	}
	barred := &state{barred: true}
	if s.public() {
		m.effects.moves = append(m.effects.moves, move{m.l.keys.page(location), s.stored, standing{}})
	} else {
		barred.stored = s.stored
	}
	m.save(location, barred)
	m.separate(location, s.peers)
}
