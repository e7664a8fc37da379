package merge

import (
	"net/http"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
)

// Look is what a response showed, with what was known of the page before.
type Look struct {
	*look.Look
	Confirm bool  // no response at all: a doubt that had its minute
	Before  *Page // what was known of the page, nil for Confirm

	Same  bool        // the body is that of the last look, which was read
	Again bool        // it is, and its links are to be followed again all the same
	Fresh []look.Link // links that were not merged lately

	Shared bool // another location showed the same lately
	Crowd  bool // many did
}

// Apply merges a look. follow says that it showed a page whose links are to be
// followed if they count; see [Batch.Follow].
func (m *Batch) Apply(k *Look) (follow bool) {
	s, known := m.Load(k.Location)
	switch {
	case k.Confirm:
		m.confirm(k, s)
	case k.Tagged:
		m.tagged(k, s)
	case k.Kind == admit.Witness:
		return m.witness(k, s)
	case k.Kind == admit.Redirected:
		m.redirected(k, s)
	case !known && !m.site.Entries[k.Location] && !k.Personal():
		// Nothing is remembered of what is not there.
	case !s.witnessed:
		m.refusedUnseen(k, s)
	case k.Kind == admit.Alive:
		m.alive(k, s)
	case k.Kind == admit.Doubtful:
		m.suspect(k, s, k.Reason)
	case s.Listed() && m.late(s, k.Moment()):
		m.settled(s, k.At)
	default:
		m.withdraw(k, s, k.Reason)
	}
	return false
}

// refusedUnseen notes what a location answered that nobody got a page from yet, for
// who asks why it is not listed.
func (m *Batch) refusedUnseen(k *Look, s *Page) {
	m.settled(s, k.At)
	s.status = k.Response.Status
	if s.content = admit.None; k.Kind == admit.Forbidden {
		s.content = k.Reason
	}
	if k.Personal() && s.firstSeen == 0 {
		s.lastSeen = max(s.lastSeen, k.Moment()) // from when on it is forgotten in the end
	}
	m.Save(s)
}

// witness merges a look that got a page. A look no newer than the last one has been
// merged already, or came out of order; it is still evidence.
func (m *Batch) witness(k *Look, s *Page) (follow bool) {
	if s.Listed() && !k.Same && variable(k.Forbids) {
		m.suspect(k, s, k.Forbids)
		m.due(k.Location) // or this look hides the next visitor's
		return false
	}
	s.witnessedBy(k)
	var news variantNews
	at := k.Moment()
	forbids := k.Forbids != admit.None && s.content == admit.None && at == s.lastSeen // of two looks in one moment the more cautious one counts
	if m.follows(s, at) || forbids || s.firstSeen == 0 {
		news = m.seen(k, s)
	}
	// Not only when it is new: a store may have taken the look, and lost the
	// answer, before its links were followed.
	follow = k.Full && (!s.read || k.Again) && s.bodyHash == k.Hash
	pairs := k.Full && !s.read
	m.Save(s)
	m.announce(k, s)
	if pairs && len(k.Alternates)+len(s.peers) > 0 {
		m.pair(k, s)
	}
	if k.Canonical != "" {
		m.credit(k, s, news)
	}
	return follow
}

// variable reports whether what forbids a listing may be true for one client and not
// for the next, such as a canonical that the site makes of a header.
func variable(why admit.Reason) bool {
	switch why {
	case admit.CanonicalElsewhere, admit.CanonicalConflict, admit.QueryNotCanonical, admit.HeadNotSeen, admit.Encoding:
		return true
	}
	return false
}

func (m *Batch) seen(k *Look, s *Page) (news variantNews) {
	at, before := k.Moment(), s.lastSeen.Second()
	if s.looks == 0 {
		s.firstSeen, before = at.Second(), 0 // whatever was noted before was no look at the page
		if !k.Undated {
			s.dates.FirstSeen(at)
		}
	}
	m.refuted(k, s)
	m.trustAgain(s)
	s.lastSeen, s.status = at, k.Response.Status
	if k.Undated {
		s.lastSeen = max(at, before)
	} else {
		s.firstSeen = min(s.firstSeen, at.Second())
	}
	s.looks++
	s.witnessed, s.absent = true, admit.None
	if k.Same {
		m.seenSame(k, s, before)
	} else {
		news = m.seenNew(k, s, before)
	}
	s.tagHash = tagHash(k)
	s.end(k.At)
	m.settled(s, k.At)
	return news
}

// seenSame merges a look that shows the bytes of the last one.
func (m *Batch) seenSame(k *Look, s *Page, before moment.Time) {
	s.crowd = s.crowd || k.Crowd
	s.mark = s.mark.Still()
	if !k.Undated {
		m.outcome(k, s, comparison{outcome: mark.Same, before: before})
	}
}

// seenNew merges a look that shows other bytes than the last one.
func (m *Batch) seenNew(k *Look, s *Page, before moment.Time) variantNews {
	if k.Full || k.Forbids != admit.None || s.content != admit.NoIndex { // else what was not read may still say so
		s.content, s.until = k.Forbids, k.Until
	}
	s.noFollow, s.ownURL = k.NoFollow, k.OwnURL
	s.self, s.canonical = k.Canonized, nil
	if k.Canonical != "" && !s.Public() {
		s.canonical = m.site.Names.Key().Seal(k.Location, k.Canonical, k.At.UnixNano())
	}
	return m.content(k, s, before)
}

// alive merges the proof that a known page is there. A 304 that repeats the entity tag
// of the last look proves that it is unchanged as well.
func (m *Batch) alive(k *Look, s *Page) {
	if !m.follows(s, k.Moment()) {
		return
	}
	s.lastSeen, s.status = k.Moment(), k.Response.Status
	notModified := k.Response.Status == http.StatusNotModified
	if notModified && !variable(s.missingWhy) {
		m.refuted(k, s) // the client is let in, and has the page already
		m.trustAgain(s)
	}
	if notModified && !k.Undated && s.tagHash != 0 && s.tagHash == tagHash(k) {
		s.rate = s.rate.Saw(k.At.Unix(), false)
	}
	m.Save(s)
}

// tagHash returns a hash of the entity tag without its weakness mark, which
// compressors add and drop, 0 if there is none.
func tagHash(k *Look) uint64 {
	tag := strings.TrimPrefix(k.Response.Header.ETag, "W/")
	if tag == "" {
		return 0
	}
	return xxh3.HashString(tag)
}
