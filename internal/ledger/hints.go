package ledger

import (
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/pagerecord"
)

// shellsNeeded is how many locations must show what an entry shows before the
// site is taken for one whose pages a script makes in the browser.
const shellsNeeded = 5

// shells counts the paths that show the same as an entry. It belongs to the worker.
type shells struct {
	entry uint64          // what the entry showed last
	same  map[uint64]bool // ids of the paths
}

// sees notes what a path shows, and reports whether enough of them show what the
// entry does.
func (s *shells) sees(id, showing uint64, entry bool) bool {
	switch {
	case showing == 0:
		return false
	case entry && showing != s.entry:
		s.entry, s.same = showing, map[uint64]bool{}
	case !entry && showing == s.entry && len(s.same) < shellsNeeded:
		s.same[id] = true
	}
	return len(s.same) >= shellsNeeded
}

// hintTwin says that the site leads from the origin to its twin.
func (l *Ledger) hintTwin() {
	l.cfg.Hints.Tell(hint.WWW, fmt.Sprintf("That is %s.", l.cfg.Normalizer.Origin().Twin()))
}

// hintEntry gives the hints that an entry which was read gives rise to.
func (l *Ledger) hintEntry(k *merge.Look, s pagerecord.Standing) {
	if k.NoFollow {
		l.cfg.Hints.Give(hint.NoFollow, "entry", k.Location)
	}
	switch {
	case s.Verdict == admit.Listed && k.Full && len(k.Links) == 0 && k.Twin:
		l.hintTwin()
	case s.Verdict == admit.Listed && k.Full && len(k.Links) == 0 && !k.NoFollow:
		l.cfg.Hints.Give(hint.DeadEnd, "entry", k.Location)
	case s.Verdict == admit.Listed:
	case s.Reason == admit.NoIndex:
		l.cfg.Hints.Give(hint.NoIndex, "entry", k.Location)
	case s.Reason == admit.CanonicalElsewhere && k.Twin:
		l.hintTwin()
	case s.Reason == admit.CanonicalElsewhere && k.Canonical == "":
		l.cfg.Hints.Give(hint.Canonical, "entry", k.Location)
	}
}

// hintPage gives the hints that a page which was read gives rise to.
func (l *Ledger) hintPage(k *merge.Look, r merge.Reading) {
	s := r.Standing
	entry := l.site.Entries[k.Location]
	path, _, _ := strings.Cut(k.Location, "?") // a query that changes nothing is no other page
	if (entry || !l.site.Entries[path]) && l.owner.shells.sees(l.site.ID(path), k.Showing, entry) {
		l.cfg.Hints.Give(hint.ClientApp)
	}
	if entry {
		l.hintEntry(k, s)
	}
	if k.Full && s.Verdict == admit.Listed && !k.NoFollow {
		l.countLinks(k)
	}
	if r.Linked && !entry {
		l.hintLinked(k, s)
	}
	if s.Verdict == admit.Held && s.Reason == admit.Growth {
		l.cfg.Hints.Give(hint.Growth)
	}
}

const (
	// leavingWindow is how long withdrawals count together.
	leavingWindow = 10 * time.Minute
	// leavingNeeded is how many withdrawals are a mass, if they are also a
	// tenth of the listed pages.
	leavingNeeded = 20
)

// leaving counts the pages that left lately. It belongs to the worker.
type leaving struct {
	since time.Time
	pages int
}

// mass notes that n pages left at now, of which listed are left, and reports
// whether many have left in a short time.
func (v *leaving) mass(n, listed int, now time.Time) bool {
	if now.Sub(v.since) > leavingWindow {
		*v = leaving{since: now}
	}
	v.pages += n
	return v.pages >= leavingNeeded && v.pages*10 >= listed+v.pages
}

// hintAnswers gives a hint when an entry answers anything but a page.
func (l *Ledger) hintAnswers(looks []*sighted) {
	for _, k := range looks {
		if k.Kind == admit.Redirected && l.site.Entries[k.Location] && !l.cfg.Files.Lists(k.Location) && l.cfg.Normalizer.Twin(k.Location, k.Response.Header.Location) {
			l.hintTwin()
		}
		if k.Kind == admit.Doubtful && l.site.Entries[k.Location] && !l.cfg.Files.Lists(k.Location) {
			l.cfg.Hints.Give(hint.Entry, "entry", k.Location, "answer", k.Reason.String())
		}
	}
}

// hintLeft gives a hint when many pages left in a short time.
func (l *Ledger) hintLeft(left map[admit.Reason]int) {
	n, most := 0, admit.None
	for why, pages := range left {
		if n += pages; pages > left[most] || most == admit.None {
			most = why
		}
	}
	if n > 0 && l.owner.leaving.mass(n, l.tally.listed(), time.Now()) {
		l.cfg.Hints.Give(hint.Withdrawals, "pages", l.owner.leaving.pages, "reason", most.String())
	}
}

// owner is what is counted to tell the owner of the site what keeps it from being
// learned. It belongs to the worker.
type owner struct {
	census  census
	few     few
	shells  shells
	leaving leaving
}
