package merge

import (
	"net/http"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/pagerecord"
)

// witness merges a look that got a page. A look no newer than the last one has been
// merged already, or came out of order; it is still evidence.
func (m *Batch) witness(k *Look, p *pagerecord.Page) (follow bool) {
	if p.Listed() && !k.Same && pagerecord.Variable(k.Forbids) {
		m.suspect(k, p, k.Forbids)
		m.due(k.Location) // or this look hides the next visitor's
		return false
	}
	p.WitnessedBy(k.Look)
	if m.follows(p, k.Moment()) || p.FirstSeen == 0 {
		m.seen(k, p)
	}
	// Not only when it is new: a store may have taken the look, and lost the
	// answer, before its links were followed.
	follow = k.Full && (!p.Read || k.Again) && p.BodyHash == k.Hash
	pairs := k.Full && !p.Read
	m.Save(p)
	if pairs && len(k.Alternates)+len(p.Peers) > 0 {
		m.pair(k, p)
	}
	if k.Canonical != "" {
		m.credit(k, p)
	}
	return follow
}

// seen merges what a look newer than the last one shows.
func (m *Batch) seen(k *Look, p *pagerecord.Page) {
	at := k.Moment()
	p.Loaded.Before = p.LastSeen.Second()
	if p.Looks == 0 {
		p.FirstSeen, p.Loaded.Before = at.Second(), 0 // whatever was noted before was no look at the page
		if !k.Undated {
			p.Dates.FirstSeen(at)
		}
	}
	m.refuted(k, p)
	m.trustAgain(p)
	p.LastSeen, p.Status = at, k.Response.Status
	if k.Undated {
		p.LastSeen = max(at, p.Loaded.Before)
	} else {
		p.FirstSeen = min(p.FirstSeen, at.Second())
	}
	p.Looks++
	p.Witnessed, p.Absent = true, admit.None
	if k.Same {
		m.seenSame(k, p)
	} else {
		m.seenNew(k, p)
	}
	p.TagHash = tagHash(k)
	p.End(k.At)
	m.settled(p, k.At)
}

// seenSame merges a look that shows the bytes of the last one.
func (m *Batch) seenSame(k *Look, p *pagerecord.Page) {
	p.Crowd = p.Crowd || k.Crowd
	p.Mark = p.Mark.Still()
	if !k.Undated {
		m.outcome(k, p, comparison{outcome: mark.Same})
	}
}

// seenNew merges a look that shows other bytes than the last one.
func (m *Batch) seenNew(k *Look, p *pagerecord.Page) {
	if k.Full || k.Forbids != admit.None || p.Content != admit.NoIndex { // else what was not read may still say so
		p.Content, p.Until = k.Forbids, k.Until
	}
	p.NoFollow, p.Self = k.NoFollow, k.Canonized
	if p.Canonical = nil; k.Canonical != "" && !p.Public() {
		p.Canonical = m.site.Names.Key().Seal(k.Location, k.Canonical, k.At.UnixNano())
	}
	m.content(k, p)
}

// alive merges the proof that a known page is there. A 304 that repeats the entity tag
// of the last look proves that it is unchanged as well.
func (m *Batch) alive(k *Look, p *pagerecord.Page) {
	if !m.follows(p, k.Moment()) {
		return
	}
	p.LastSeen, p.Status = k.Moment(), k.Response.Status
	notModified := k.Response.Status == http.StatusNotModified
	if notModified && !pagerecord.Variable(p.MissingWhy) {
		m.refuted(k, p) // the client is let in, and has the page already
		m.trustAgain(p)
	}
	if notModified && !k.Undated && p.TagHash != 0 && p.TagHash == tagHash(k) {
		p.Rate = p.Rate.Saw(k.At.Unix(), false)
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
func (m *Batch) tagged(k *Look, p *pagerecord.Page) {
	if k.Forbids != admit.None || !k.Parsed && !k.Same {
		return
	}
	switch {
	case p.Witnessed && p.Content == admit.None:
	case p.Unasked():
		p.Witnessed, p.Status = true, k.Response.Status
		p.FirstSeen, p.LastSeen = k.Moment().Second(), k.Moment()
		p.Self, p.NoFollow, p.Until = k.Canonized, k.NoFollow, k.Until
	default:
		return // the page itself was seen to be gone, or not to be listed
	}
	if p.Looks == 0 {
		p.Shared = p.Shared || k.Shared // until it is known what the page itself shows
	}
	p.WitnessedBy(k.Look)
	if m.site.fades(p, k.Moment()) {
		p.LastSeen = k.Moment()
	}
	m.Save(p)
}

// WantsTagged reports whether a tagged look may teach anything, so that the page is worth
// reading to see that it does not forbid its listing.
func (site *Site) WantsTagged(k *look.Look, before *pagerecord.Page) bool {
	if !before.Witnessed || before.Content != admit.None {
		return before.Unasked()
	}
	return !before.Public() || site.fades(before, k.Moment())
}

// fades reports whether a page was not seen for so long that a tagged look counts as
// having seen it. Earlier it does not: as nobody knows what it showed, it would blur
// when the page changed.
func (site *Site) fades(p *pagerecord.Page, at moment.Time) bool {
	return at.Sub(p.LastSeen) >= site.KeepFor/2
}
