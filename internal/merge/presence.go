package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// presence says when a page was seen, and whether it was there. Looks change it (see
// witness.go and withdraw.go), and the review once the page was not seen for long.
type presence struct {
	firstSeen moment.Time // to the second, 0 if only a link is known
	lastSeen  moment.Time
	status    int // of the last answer
	looks     uint64
	witnessed bool         // it was there when it was last asked for
	absent    admit.Reason // why it was not
	barred    bool         // the owner had it forgotten
}

func (p *presence) encode(e *record.Encoder) {
	e.Date(fieldsPresence, p.firstSeen)
	e.Time(fieldsPresence+1, p.lastSeen)
	e.Uint(fieldsPresence+2, uint64(p.status))
	e.Uint(fieldsPresence+3, p.looks)
	e.Bool(fieldsPresence+4, p.witnessed)
	e.Uint(fieldsPresence+5, uint64(p.absent))
	e.Bool(fieldsPresence+6, p.barred)
}

func (p *presence) decode(f record.Field) bool {
	switch f.Num {
	case fieldsPresence:
		p.firstSeen = f.Date()
	case fieldsPresence + 1:
		p.lastSeen = f.Time()
	case fieldsPresence + 2:
		p.status = f.Count()
	case fieldsPresence + 3:
		p.looks = f.Value
	case fieldsPresence + 4:
		p.witnessed = true
	case fieldsPresence + 5:
		p.absent = admit.Reason(f.Value)
	case fieldsPresence + 6:
		p.barred = true
	default:
		return false
	}
	return true
}

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
	return s.lastSeen != 0 && now.Sub(s.lastSeen) >= site.KeepFor && site.Activity.since(s.lastSeen) >= activeEnough
}
