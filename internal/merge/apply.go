package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/pagerecord"
)

// Look is what a response showed, with what was known of the page before.
type Look struct {
	*look.Look
	Before *pagerecord.Page // what was known of the page

	Same  bool        // the body is that of the last look, which was read
	Again bool        // it is, and its links are to be followed again all the same
	Fresh []look.Link // links that were not merged lately

	Shared bool // another location showed the same lately
	Crowd  bool // many did
}

// Reading is what merging a look came to.
type Reading struct {
	pagerecord.Standing
	Linked bool // a listed page links to it
	News   Novelty
	Follow bool // its links count, and are still to be merged; see [Batch.Follow]
}

// Apply merges a look.
func (m *Batch) Apply(k *Look) Reading {
	p, known := m.Load(k.Location)
	follow, leads := m.merge(k, p, known), m.site.leads(p)
	if follow && !leads && !p.NoFollow && p.Content == admit.None && len(k.Links) > 0 {
		m.Effects.Early = append(m.Effects.Early, k)
	}
	return Reading{p.Standing, p.Link, k.novelty(p), follow && leads}
}

// merge merges a look at a page. follow says that it showed a page whose links are to be
// followed if they count.
func (m *Batch) merge(k *Look, p *pagerecord.Page, known bool) (follow bool) {
	switch {
	case k.Tagged:
		m.tagged(k, p)
	case k.Kind == admit.Witness:
		return m.witness(k, p)
	case k.Kind == admit.Redirected:
		m.redirected(k, p)
	case !known && !m.site.Entries[k.Location] && !k.Personal():
		// Nothing is remembered of what is not there.
	case !p.Witnessed:
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

// clockSkew is how far ahead of this clock that of another process may be. What was
// seen later than that was seen by a clock that was wrong.
const clockSkew = time.Minute

// late reports whether a look at the page came after a later one, because the store
// could not be reached for a while. No look is late beside one by a clock that was
// ahead: else what forbids the listing would wait until that time comes.
func (m *Batch) late(p *pagerecord.Page, at moment.Time) bool {
	return at < p.LastSeen && p.LastSeen <= moment.Of(m.Now.Add(clockSkew))
}

// follows reports whether a look is news beside the last one: neither the same look,
// merged again, nor one that came late.
func (m *Batch) follows(p *pagerecord.Page, at moment.Time) bool {
	return at != p.LastSeen && !m.late(p, at)
}

// refusedUnseen notes what a location answered that nobody got a page from yet, for
// who asks why it is not listed.
func (m *Batch) refusedUnseen(k *Look, p *pagerecord.Page) {
	m.settled(p, k.At)
	p.Status = k.Response.Status
	if p.Content = admit.None; k.Kind == admit.Forbidden {
		p.Content = k.Reason
	}
	if k.Personal() && p.FirstSeen == 0 {
		p.LastSeen = max(p.LastSeen, k.Moment()) // from when on it is forgotten in the end
	}
	m.Save(p)
}

// Stale returns the page if a look was taken to show the bytes of the last one and does
// not, as another process has merged a look since; else nil.
func (m *Batch) Stale(k *Look) *pagerecord.Page {
	if p, _ := m.Load(k.Location); k.Same && p.BodyHash != k.Hash {
		return p
	}
	return nil
}

// Guess returns the keys beyond the page's own that merging a look at now needs in most
// cases. filling is the part that a page was added to last.
func (site *Site) Guess(k *Look, filling int, now time.Time) (keys []string) {
	p := k.Before
	if p.Missing != 0 || p.Listed() && k.Kind == admit.Doubtful {
		keys = append(keys, site.Keys.Lost(k.Location), site.Keys.Refusals())
	}
	if p.Joined != 0 {
		keys = append(keys, site.Keys.Duplicates(p.Joined))
	}
	if p.Listed() {
		keys = append(keys, site.Book.Guess(p.Part, k.Location, false)...)
	}
	if !k.Parsed {
		return keys
	}
	if k.Showing != 0 && k.Showing != p.Joined {
		keys = append(keys, site.Keys.Duplicates(k.Showing))
	}
	enters := !p.Listed() && (p.Link || k.Exact)
	if !p.Listed() {
		keys = append(keys, site.Keys.Siblings(k.Group))
	}
	if enters {
		keys = append(keys, site.Book.Guess(filling, k.Location, true)...)
	}
	if p.Listed() || enters {
		keys = append(keys, site.Journal.Guess(int64(p.Logged), k.Location, now.UnixMilli())...)
	}
	return keys
}
