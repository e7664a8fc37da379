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

// witness merges a look that got a page. A look no newer than the last one has been
// merged already, or came out of order; it is still evidence.
func (m *Batch) witness(k *Look, p *Page) (follow bool) {
	if p.Listed() && !k.Same && variable(k.Forbids) {
		m.suspect(k, p, k.Forbids)
		m.due(k.Location) // or this look hides the next visitor's
		return false
	}
	p.witnessedBy(k)
	var was *mark.Mark
	at := k.Moment()
	forbids := k.Forbids != admit.None && p.content == admit.None && at == p.lastSeen // of two looks in one moment the more cautious one counts
	if m.follows(p, at) || forbids || p.firstSeen == 0 {
		was = m.seen(k, p)
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
		m.credit(k, p, was)
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

func (m *Batch) seen(k *Look, p *Page) (was *mark.Mark) {
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
		was = m.seenNew(k, p, before)
	}
	p.tagHash = tagHash(k)
	p.end(k.At)
	m.settled(p, k.At)
	return was
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
func (m *Batch) seenNew(k *Look, p *Page, before moment.Time) *mark.Mark {
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

// A tagged look is one at a target with tracking parameters, as links in
// campaigns have. The site may answer it with anything: a landing page, a
// redirect, or, as some of these parameters name the visitor, what is for him
// alone. So it is evidence for the page, and shows that it is there; it never
// takes the page out, dates it or moves it, its links count for nothing, and what
// it shows is not remembered.

// tagged merges a tagged look at a page that does not forbid its listing.
func (m *Batch) tagged(k *Look, p *Page) {
	if k.Forbids != admit.None || !k.Parsed && !k.Same {
		return
	}
	switch {
	case p.witnessed && p.content == admit.None:
	case p.unasked():
		p.witnessed, p.status = true, k.Response.Status
		p.firstSeen, p.lastSeen = k.Moment().Second(), k.Moment()
		p.ownURL, p.self, p.noFollow, p.until = k.OwnURL, k.Canonized, k.NoFollow, k.Until
	default:
		return // the page itself was seen to be gone, or not to be listed
	}
	if p.looks == 0 {
		p.shared = p.shared || k.Shared // until it is known what the page itself shows
	}
	p.witnessedBy(k)
	if m.site.fades(p, k.Moment()) {
		p.lastSeen = k.Moment()
	}
	m.Save(p)
}

// WantsTagged reports whether a tagged look may teach anything, so that the page is worth
// reading to see that it does not forbid its listing.
func (site *Site) WantsTagged(k *look.Look, before *Page) bool {
	if !before.witnessed || before.content != admit.None {
		return before.unasked()
	}
	return !before.Public() || site.fades(before, k.Moment())
}

// unasked reports whether nobody has asked for the location yet, as far as is known.
func (p *Page) unasked() bool {
	return !p.witnessed && p.status == 0 && p.absent == admit.None && p.content == admit.None
}

// fades reports whether a page was not seen for so long that it matters who gets it
// with tracking parameters. Sooner that would blur when the page changed, as nobody
// knows what it showed at that time.
func (site *Site) fades(p *Page, at moment.Time) bool { return at.Sub(p.lastSeen) >= site.KeepFor/2 }
