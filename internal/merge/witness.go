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
	p, known := m.Load(k.Location)
	switch {
	case k.Confirm:
		m.confirm(k, p)
	case k.Tagged:
		m.tagged(k, p)
	case k.Kind == admit.Witness:
		return m.witness(k, p)
	case k.Kind == admit.Redirected:
		m.redirected(k, p)
	case !known && !m.site.Entries[k.Location] && !k.Personal():
		// Nothing is remembered of what is not there.
	case !p.witnessed:
		m.refusedUnseen(k, p)
	case k.Kind == admit.Alive:
		m.alive(k, p)
	case k.Kind == admit.Doubtful:
		m.suspect(k, p, k.Reason)
	case p.Listed() && m.late(p, k.Moment()):
		m.settled(p, k.At)
	default:
		m.withdraw(k, p, k.Reason)
	}
	return false
}

// refusedUnseen notes what a location answered that nobody got a page from yet, for
// who asks why it is not listed.
func (m *Batch) refusedUnseen(k *Look, p *Page) {
	m.settled(p, k.At)
	p.status = k.Response.Status
	if p.content = admit.None; k.Kind == admit.Forbidden {
		p.content = k.Reason
	}
	if k.Personal() && p.firstSeen == 0 {
		p.lastSeen = max(p.lastSeen, k.Moment()) // from when on it is forgotten in the end
	}
	m.Save(p)
}

// witness merges a look that got a page. A look no newer than the last one has been
// merged already, or came out of order; it is still evidence.
func (m *Batch) witness(k *Look, p *Page) (follow bool) {
	if p.Listed() && !k.Same && variable(k.Forbids) {
		m.suspect(k, p, k.Forbids)
		m.due(k.Location) // or this look hides the next visitor's
		return false
	}
	p.witnessedBy(k)
	var news variantNews
	at := k.Moment()
	forbids := k.Forbids != admit.None && p.content == admit.None && at == p.lastSeen // of two looks in one moment the more cautious one counts
	if m.follows(p, at) || forbids || p.firstSeen == 0 {
		news = m.seen(k, p)
	}
	// Not only when it is new: a store may have taken the look, and lost the
	// answer, before its links were followed.
	follow = k.Full && (!p.read || k.Again) && p.bodyHash == k.Hash
	pairs := k.Full && !p.read
	m.Save(p)
	m.announce(k, p)
	if pairs && len(k.Alternates)+len(p.peers) > 0 {
		m.pair(k, p)
	}
	if k.Canonical != "" {
		m.credit(k, p, news)
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

func (m *Batch) seen(k *Look, p *Page) (news variantNews) {
	at, before := k.Moment(), p.lastSeen.Second()
	if p.looks == 0 {
		p.firstSeen, before = at.Second(), 0 // whatever was noted before was no look at the page
		if !k.Undated {
			p.dates.FirstSeen(at)
		}
	}
	m.refuted(k, p)
	m.trustAgain(p)
	p.lastSeen, p.status = at, k.Response.Status
	if k.Undated {
		p.lastSeen = max(at, before)
	} else {
		p.firstSeen = min(p.firstSeen, at.Second())
	}
	p.looks++
	p.witnessed, p.absent = true, admit.None
	if k.Same {
		m.seenSame(k, p, before)
	} else {
		news = m.seenNew(k, p, before)
	}
	p.tagHash = tagHash(k)
	p.end(k.At)
	m.settled(p, k.At)
	return news
}

// seenSame merges a look that shows the bytes of the last one.
func (m *Batch) seenSame(k *Look, p *Page, before moment.Time) {
	p.crowd = p.crowd || k.Crowd
	p.mark = p.mark.Still()
	if !k.Undated {
		m.outcome(k, p, comparison{outcome: mark.Same, before: before})
	}
}

// seenNew merges a look that shows other bytes than the last one.
func (m *Batch) seenNew(k *Look, p *Page, before moment.Time) variantNews {
	if k.Full || k.Forbids != admit.None || p.content != admit.NoIndex { // else what was not read may still say so
		p.content, p.until = k.Forbids, k.Until
	}
	p.noFollow, p.ownURL = k.NoFollow, k.OwnURL
	p.self, p.canonical = k.Canonized, nil
	if k.Canonical != "" && !p.Public() {
		p.canonical = m.site.Names.Key().Seal(k.Location, k.Canonical, k.At.UnixNano())
	}
	return m.content(k, p, before)
}

// alive merges the proof that a known page is there. A 304 that repeats the entity tag
// of the last look proves that it is unchanged as well.
func (m *Batch) alive(k *Look, p *Page) {
	if !m.follows(p, k.Moment()) {
		return
	}
	p.lastSeen, p.status = k.Moment(), k.Response.Status
	notModified := k.Response.Status == http.StatusNotModified
	if notModified && !variable(p.missingWhy) {
		m.refuted(k, p) // the client is let in, and has the page already
		m.trustAgain(p)
	}
	if notModified && !k.Undated && p.tagHash != 0 && p.tagHash == tagHash(k) {
		p.rate = p.rate.Saw(k.At.Unix(), false)
	}
	m.Save(p)
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
