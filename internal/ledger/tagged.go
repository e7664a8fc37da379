package ledger

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
)

// A tagged look is one at a target with tracking parameters, as links in
// campaigns have. The site may answer it with anything: a landing page, a
// redirect, or, as some of these parameters name the visitor, what is for him
// alone. So it is evidence for the page, and shows that it is there; it never
// takes the page out, dates it or moves it, its links count for nothing, and what
// it shows is not remembered.

// tagged merges a tagged look at a page that does not forbid its listing.
func (m *merge) tagged(k *look, s *state) {
	if k.content != admit.None || !k.parsed && !k.same {
		return
	}
	switch {
	case s.witnessed && s.content == admit.None:
	case s.unasked():
		s.witnessed, s.status = true, k.Response.Status
		s.firstSeen, s.lastSeen = k.At.Unix(), k.At.UnixMilli()
		s.ownURL, s.self, s.noFollow, s.until = k.OwnURL, k.self, k.noFollow, k.until
	default:
		return // the page itself was seen to be gone, or not to be listed
	}
	if s.looks == 0 {
		s.shared = s.shared || k.shared // until it is known what the page itself shows
	}
	m.evidence(k, s)
	if m.l.fades(s, k.At) {
		s.lastSeen = k.At.UnixMilli()
	}
	m.save(k.Location, s)
}

// unasked reports whether nobody has asked for the location yet, as far as is
// known: at most a link to it was seen.
func (s *state) unasked() bool {
	return !s.witnessed && s.status == 0 && s.absent == admit.None && s.content == admit.None
}

// fades reports whether a page was not seen for so long that it is to be noted
// who gets it with tracking parameters. Sooner that would blur when the page
// changed, as nobody knows what it showed at that time.
func (l *Ledger) fades(s *state, at time.Time) bool {
	return at.Unix()-seconds(s.lastSeen) >= int64(l.cfg.KeepFor/2/time.Second)
}

// wantsTagged reports whether a tagged look may teach anything: whether the
// page is worth reading to see that it does not forbid its listing.
func (l *Ledger) wantsTagged(k *look, before *state) bool {
	if !before.witnessed || before.content != admit.None {
		return before.unasked()
	}
	return !before.public() || l.fades(before, k.At)
}

// dropContent forgets what a tagged look shows, but for what speaks against listing the page.
func (k *look) dropContent() {
	k.full, k.view, k.showing = false, nil, 0
	k.links, k.alternates, k.media = nil, nil, nil
}
