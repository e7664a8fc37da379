package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
)

// clockSlack is how far back a look may lie behind the last one and still be taken for
// one that came late. Beyond that, the clock was wrong then.
const clockSlack = 24 * time.Hour

// clockSkew is how far ahead of this clock that of another process may be. What was
// seen later than that was seen by a clock that was wrong.
const clockSkew = time.Minute

// late reports whether a look at the page came after a later one, because the store
// could not be reached for a while. No look is late beside one by a clock that was
// ahead: else what forbids the listing would wait until that time comes.
func (m *Batch) late(p *Page, at moment.Time) bool {
	behind := p.lastSeen.Sub(at)
	return behind > 0 && behind < clockSlack && p.lastSeen <= moment.Of(m.Now.Add(clockSkew))
}

// follows reports whether a look is news beside the last one: neither the same look,
// merged again, nor one that came late.
func (m *Batch) follows(p *Page, at moment.Time) bool { return at != p.lastSeen && !m.late(p, at) }

// unasked reports whether nobody has asked for the location yet, as far as is known.
func (p *Page) unasked() bool {
	return !p.witnessed && p.status == 0 && p.absent == admit.None && p.content == admit.None
}

// fades reports whether a page was not seen for so long that it matters who gets it
// with tracking parameters. Sooner that would blur when the page changed, as nobody
// knows what it showed at that time.
func (site *Site) fades(p *Page, at moment.Time) bool { return at.Sub(p.lastSeen) >= site.KeepFor/2 }

// expired reports whether a page was not seen for so long that it is not kept.
func (site *Site) expired(p *Page, now moment.Time) bool {
	return p.lastSeen != 0 && now.Sub(p.lastSeen) >= site.KeepFor && site.Activity.Enough(p.lastSeen)
}
