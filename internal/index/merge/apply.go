package merge

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// Look is what a response showed, with the record of the page before it.
type Look struct {
	*observation.Look
	Before *pagerecord.Page // the record before this look

	Same  bool               // the body is the same as at the last look, which was read
	Again bool               // the body is the same, but its links must be followed again
	Fresh []observation.Link // links that were not merged lately
	Apart bool               // its links are merged in transactions of their own

	Shared bool // another location showed the same content lately
	Crowd  bool // many other locations did
}

// Reading is the result of merging a look.
type Reading struct {
	eligibility.Standing
	News   Novelty
	Follow bool // its links count and must still be merged, see [Batch.Follow]
}

// Apply merges a look.
func (m *Batch) Apply(k *Look) Reading {
	p, known := m.Load(k.Location)
	follow := m.merge(k, p, known)
	return Reading{p.Standing, k.novelty(p), follow && m.site.leads(p)}
}

// merge merges a look at a page. follow says that the links of the page must be followed,
// if they count.
func (m *Batch) merge(k *Look, p *pagerecord.Page, known bool) (follow bool) {
	switch {
	case k.Tagged:
		m.tagged(k, p)
	case k.Kind == eligibility.Witness:
		return m.witness(k, p)
	case k.Kind == eligibility.Redirected:
		m.redirected(k, p)
	case !known && !m.site.Entries[k.Location] && !k.Personal():
		// An address that does not exist leaves no record.
	case !p.Witnessed:
		m.refusedUnseen(k, p)
	case k.Kind == eligibility.Alive:
		m.alive(k, p)
	case k.Kind == eligibility.Doubtful:
		m.suspect(k, p, k.Reason)
	case p.Listed() && m.late(p, k.Moment()):
		m.settled(p, k.At)
	default:
		m.withdraw(k, p, k.Reason)
	}
	return false
}

// clockSkew is how far the clock of another process may be ahead. A time further ahead
// comes from a wrong clock.
const clockSkew = time.Minute

// late reports whether a newer look was merged before this one, for example because the
// store could not be reached for a while. A newer look by a wrong clock does not count:
// otherwise a page that forbids its listing would stay until that time comes.
func (m *Batch) late(p *pagerecord.Page, at moment.Time) bool {
	return at < p.LastSeen && p.LastSeen <= moment.Of(m.Now.Add(clockSkew))
}

// follows reports whether a look comes after the last one. It may be the same look, merged
// again, or a late one.
func (m *Batch) follows(p *pagerecord.Page, at moment.Time) bool {
	return at != p.LastSeen && !m.late(p, at)
}

// refusedUnseen notes the answer of a location that nobody got a page from yet. Explain
// tells it.
func (m *Batch) refusedUnseen(k *Look, p *pagerecord.Page) {
	m.settled(p, k.At)
	p.Status = k.Response.Status
	if p.Content = eligibility.None; k.Kind == eligibility.Forbidden {
		p.Content = k.Reason
	}
	if !p.Public() { // a page that was listed keeps the reason why it left
		if p.Absent = eligibility.None; k.Kind == eligibility.Doubtful {
			p.Absent = k.Reason
		}
	}
	if k.Personal() && p.FirstSeen == 0 {
		p.LastSeen = max(p.LastSeen, k.Moment()) // the record expires by this time
	}
	m.Save(p)
}

// Stale returns the page if the look was judged to show the same bytes as the last look,
// but another process has merged a look since. Otherwise it returns nil.
func (m *Batch) Stale(k *Look) *pagerecord.Page {
	if p, _ := m.Load(k.Location); k.Same && p.BodyHash != k.Hash {
		return p
	}
	return nil
}

// Guess returns the keys, besides the page's own, that merging a look needs in most cases.
func (site *Site) Guess(k *Look, now time.Time) (keys []string) {
	p := k.Before
	if p.Missing != 0 || p.Listed() && k.Kind == eligibility.Doubtful {
		keys = append(keys, site.Keys.Lost(k.Location), site.Keys.Refusals())
	}
	if p.Joined != 0 {
		keys = append(keys, site.Keys.Duplicates(p.Joined))
	}
	if p.Listed() {
		keys = append(keys, site.Book.Guess(p.Part, k.Location)...)
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
		keys = append(keys, site.Book.Guess(0, k.Location)...)
	}
	if p.Listed() || enters {
		keys = append(keys, site.Journal.Guess(int64(p.Logged), k.Location, now.UnixMilli())...)
	}
	return keys
}
