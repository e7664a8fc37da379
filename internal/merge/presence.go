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
func (m *Batch) late(s *Page, at moment.Time) bool {
	behind := s.lastSeen.Sub(at)
	return behind > 0 && behind < clockSlack && s.lastSeen <= moment.Of(m.Now.Add(clockSkew))
}

// follows reports whether a look is news beside the last one: neither the same look,
// merged again, nor one that came late.
func (m *Batch) follows(s *Page, at moment.Time) bool { return at != s.lastSeen && !m.late(s, at) }

// unasked reports whether nobody has asked for the location yet, as far as is known.
func (s *Page) unasked() bool {
	return !s.witnessed && s.status == 0 && s.absent == admit.None && s.content == admit.None
}

// fades reports whether a page was not seen for so long that it matters who gets it
// with tracking parameters. Sooner that would blur when the page changed, as nobody
// knows what it showed at that time.
func (site *Site) fades(s *Page, at moment.Time) bool { return at.Sub(s.lastSeen) >= site.KeepFor/2 }

// expired reports whether a page was not seen for so long that it is not kept.
func (site *Site) expired(s *Page, now moment.Time) bool {
	return s.lastSeen != 0 && now.Sub(s.lastSeen) >= site.KeepFor && site.Activity.Enough(s.lastSeen)
}
