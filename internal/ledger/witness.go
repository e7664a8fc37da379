package ledger

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
)

// networksKept bounds the networks remembered of one waiting page.
const networksKept = 32

// clockSlack is how far back a sighting may lie behind the last one and still
// be taken for one that came late. Beyond that, the clock was wrong then.
const clockSlack = 24 * time.Hour

// clockSkew is how far ahead of this clock that of another process may be. What
// was seen later than that was seen by a clock that was wrong.
const clockSkew = time.Minute

// late reports whether a look at the page, at a time in Unix milliseconds, came
// after a later one: where it was seen, the store could not be reached for a
// while. No look is late beside one by a clock that was ahead: what forbids the
// listing would wait until that time comes.
func (m *merge) late(s *state, at int64) bool {
	behind := s.lastSeen - at
	return behind > 0 && behind < clockSlack.Milliseconds() && s.lastSeen <= m.now.Add(clockSkew).UnixMilli()
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
	forbids := k.content != admit.None && s.content == admit.None && at == s.lastSeen // of two looks in one moment the more cautious one counts
	if m.follows(s, at) || forbids || s.firstSeen == 0 {
		news = m.seen(k, s, at)
	}
	// Not only when it is new: a store may have taken the look, and lost the
	// answer, before its links were followed.
	m.effects.follow = k.full && (!s.read || k.again) && s.bodyHash == k.hash
	pairs := k.full && !s.read
	m.save(k.Location, s)
	m.announce(k, s.announced)
	if pairs && len(k.alternates)+len(s.peers) > 0 {
		m.pair(k)
	}
	if k.canonical != "" {
		m.feed(k, s, news)
	}
}

// follows reports whether a look, at a time in Unix milliseconds, is news beside
// the last one: neither that, merged again, nor one that came late.
func (m *merge) follows(s *state, at int64) bool { return at != s.lastSeen && !m.late(s, at) }

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
	if s.looks == 0 {
		s.firstSeen, before = k.At.Unix(), 0 // whatever was noted before was no look at the page
		if !k.undated {
			s.dates.FirstSeen(moment.Of(k.At))
		}
	}
	m.refuted(k, s)
	m.undoubt(k.Location, s)
	s.lastSeen, s.status = at, k.Response.Status
	if k.undated {
		s.lastSeen = max(at, before*1000)
	} else {
		s.firstSeen = min(s.firstSeen, k.At.Unix())
	}
	s.looks++
	s.witnessed, s.absent = true, admit.None
	if k.same {
		s.crowd = s.crowd || k.crowd
		s.mark = s.mark.Still()
		if !k.undated {
			m.settle(k, s, sighted{outcome: mark.Same, before: before})
		}
	} else {
		if k.full || k.content != admit.None || s.content != admit.NoIndex { // else what was not read may still say so
			s.content, s.until = k.content, k.until
		}
		s.noFollow, s.ownURL = k.noFollow, k.OwnURL
		s.self, s.canonical = k.self, nil
		if k.canonical != "" && !s.public() {
			s.canonical = m.l.secret.Key().Seal(k.Location, k.canonical, k.At.UnixNano())
		}
		news = m.content(k, s, before)
	}
	s.tagHash = tagHash(k)
	s.end(k.At)
	m.effects.settled[k.Location] = settlement{s.part, k.At}
	return news
}

// end applies the time for which the page has announced its end.
func (s *state) end(now time.Time) {
	if s.ended(now) && s.content == admit.None {
		s.content = admit.NoIndex
	}
}

func (s *state) ended(now time.Time) bool { return s.until != 0 && moment.Of(now) >= s.until }

// content merges what a page that was read says. A look that could not be
// afforded in full leaves the page unread, so that the next one is.
func (m *merge) content(k *look, s *state, before int64) (news canonicalNews) {
	f := sighted{outcome: mark.Variant, before: before}
	was := s.read
	s.read = s.read && s.bodyHash == k.hash
	switch {
	case !k.full || k.undated:
		s.bodyHash = 0
	case k.cut:
		s.bodyHash, s.showing, s.shared, s.crowd = k.hash, 0, false, false
	default:
		news.before = s.mark
		same := s.showing == k.showing
		s.shared, s.crowd = k.shared || s.shared && same, k.crowd || s.crowd && same
		s.bodyHash, s.showing = k.hash, k.showing
		s.claims = m.l.claims(k.alternates)
		f = m.mark(k, s, before)
		m.keepLinks(k, s, f)
		if s.renews(k, was, before, f.outcome) {
			m.media[k.Location] = k.media
		}
		news.read = true
	}
	if news.read {
		m.settle(k, s, f)
	} else if !k.undated {
		m.date(k, s, f)
	}
	return news
}

// evidence notes what the sighting adds to the reasons for listing.
func (m *merge) evidence(k *look, s *state) {
	s.route = s.route || k.Exact && k.whole
	s.query = strings.Contains(k.Location, "?")
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
	if !m.follows(s, at) {
		return
	}
	s.lastSeen, s.status = at, k.Response.Status
	if k.Response.Status == http.StatusNotModified && !variable(s.missingWhy) {
		m.refuted(k, s) // the client is let in, and has the page already
		m.undoubt(k.Location, s)
	}
	if k.Response.Status == http.StatusNotModified && !k.undated && s.tagHash != 0 && s.tagHash == tagHash(k) {
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
