package merge

import (
	"net/http"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// witness merges a look that got a page. If the look is not newer than the last one, it
// was merged already or came out of order. Then it counts as evidence only.
func (m *Batch) witness(k *Look, p *pagerecord.Page) (follow bool) {
	if p.Listed() && !k.Same && pagerecord.Variable(k.Forbids) {
		m.suspect(k, p, k.Forbids)
		m.due(k.Location) // otherwise the next visitor would not be looked at
		return false
	}
	p.WitnessedBy(k.Look)
	if m.follows(p, k.Moment()) || p.FirstSeen == 0 {
		m.seen(k, p)
	}
	// The look need not be new: the store may have merged it and failed to confirm
	// that, before its links were followed.
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

// seen merges a look that is newer than the last one.
func (m *Batch) seen(k *Look, p *pagerecord.Page) {
	at := k.Moment()
	p.Loaded.Before = p.LastSeen.Second()
	if p.Looks == 0 {
		p.FirstSeen, p.Loaded.Before = at.Second(), 0 // earlier times are not of looks at the page
		p.Dates.FirstSeen(at)
	}
	m.refuted(k, p)
	m.trustAgain(p)
	p.LastSeen, p.Status = at, k.Response.Status
	p.FirstSeen = min(p.FirstSeen, at.Second())
	p.Looks++
	p.Witnessed, p.Absent = true, eligibility.None
	if k.Same {
		m.seenSame(k, p)
	} else {
		m.seenNew(k, p)
	}
	m.settled(p, k.At)
}

// seenSame merges a look that shows the bytes of the last one.
func (m *Batch) seenSame(k *Look, p *pagerecord.Page) {
	p.Crowd = p.Crowd || k.Crowd
	p.Mark = p.Mark.Still()
	m.outcome(k, p, comparison{outcome: mark.Same})
}

// seenNew merges a look that shows other bytes than the last one.
func (m *Batch) seenNew(k *Look, p *pagerecord.Page) {
	if k.Full || k.Forbids != eligibility.None || p.Content != eligibility.NoIndex { // a noindex may be in the part that was not read
		p.Content, p.Until = k.Forbids, k.Until
	}
	p.NoFollow, p.Self = k.NoFollow, k.Canonized
	if p.Canonical = nil; k.Canonical != "" && !p.Public() {
		p.Canonical = m.site.Names.Key().Seal(k.Location, k.Canonical, k.At.UnixNano())
	}
	m.content(k, p)
}

// alive merges an answer that proves that a known page exists, such as a 304.
func (m *Batch) alive(k *Look, p *pagerecord.Page) {
	if !m.follows(p, k.Moment()) {
		return
	}
	p.LastSeen, p.Status = k.Moment(), k.Response.Status
	if p.Status == http.StatusNotModified && !pagerecord.Variable(p.MissingWhy) {
		m.refuted(k, p) // the client may have the page, and has it already
		m.trustAgain(p)
	}
	m.Save(p)
}

// A tagged look is a look at a target with tracking parameters, as in links of a
// campaign. The site may answer it with anything: a landing page, a redirect, or a
// page for this visitor alone, since some parameters name the visitor. So a tagged
// look is evidence for the page and shows that it exists. It never takes the page out
// and never dates it. Its links and its content are ignored.

// tagged merges a tagged look at a page that does not forbid its listing.
func (m *Batch) tagged(k *Look, p *pagerecord.Page) {
	if k.Forbids != eligibility.None || !k.Parsed && !k.Same {
		return
	}
	switch {
	case p.Witnessed && p.Content == eligibility.None:
	case p.Unasked():
		p.Witnessed, p.Status = true, k.Response.Status
		p.FirstSeen, p.LastSeen = k.Moment().Second(), k.Moment()
		p.Self, p.NoFollow, p.Until = k.Canonized, k.NoFollow, k.Until
	default:
		return // the page itself is gone, or forbids its listing
	}
	if p.Looks == 0 {
		p.Shared = p.Shared || k.Shared // until the page itself was seen
	}
	p.WitnessedBy(k.Look)
	if m.site.fades(p, k.Moment()) {
		p.LastSeen = k.Moment()
	}
	m.Save(p)
}

// WantsTagged reports whether a tagged look may add anything. Then the page must be read,
// to see whether it forbids its listing.
func (site *Site) WantsTagged(k *observation.Look, before *pagerecord.Page) bool {
	if !before.Witnessed || before.Content != eligibility.None {
		return before.Unasked()
	}
	return !before.Public() || site.fades(before, k.Moment())
}

// fades reports whether a page was unseen for so long that a tagged look counts as a
// sighting of it. Earlier it does not, since its content is not known and the date of the
// next change would become less exact.
func (site *Site) fades(p *pagerecord.Page, at moment.Time) bool {
	return at.Sub(p.LastSeen) >= site.KeepFor/2
}
