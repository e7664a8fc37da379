package tally

import (
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
)

// shellsNeeded is how many locations must show what an entry shows. Then the tally concludes that
// a script makes the pages in the browser.
const shellsNeeded = 5

// shells counts the paths that show the same as an entry. It belongs to the worker.
type shells struct {
	entry uint64          // what the entry showed last
	same  map[uint64]bool // IDs of the paths
}

// sees notes what a path shows. It reports whether enough paths show what the entry does.
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

// hintTwin gives the hint that the site leads from the origin to its twin.
func (s *Tally) hintTwin() { s.hintOrigin(s.site.Normalizer.Origin().Twin()) }

// hintOrigin gives the hint that the site has another origin.
func (s *Tally) hintOrigin(is fmt.Stringer) {
	s.hints.Give(messages.OtherOrigin, fmt.Sprintf("It seems to be %s.", is))
}

// hintForbidden gives the hint that something keeps crawlers from an entry.
func (s *Tally) hintForbidden(by, entry string) {
	s.hints.Give(messages.Forbidden, fmt.Sprintf("Here it is %s.", by), "entry", entry)
}

// Read takes in a page that was read and is not a variant, and its verdict.
func (s *Tally) Read(k *merge.Visit, r merge.Merged) {
	entry := s.site.Entries[k.Location]
	path, _, _ := strings.Cut(k.Location, "?") // a query that changes nothing makes no other page
	if (entry || !s.site.Entries[path]) && s.shells.sees(s.site.ID(path), k.Showing, entry) {
		s.hints.Give(messages.ClientApp, "")
	}
	if entry {
		s.hintEntry(k, r.Standing)
	}
}

// hintEntry gives the hints that follow from an entry that was read.
func (s *Tally) hintEntry(k *merge.Visit, is eligibility.Standing) {
	if k.NoFollow {
		s.hintForbidden("nofollow", k.Location)
	}
	if k.Scheme {
		s.hintOrigin(s.site.Normalizer.Origin().WithOtherScheme())
	}
	switch {
	case is.Listed() && k.Full && len(k.Links) == 0 && k.Twin:
		s.hintTwin()
	case is.Listed() && k.Full && !k.NoFollow && s.deadEnds(k.Location, len(k.Links) == 0):
		s.hints.Give(messages.DeadEnd, "", "entry", k.Location)
	case is.Listed():
	case is.Reason == eligibility.NoIndex:
		s.hintForbidden("noindex", k.Location)
	case is.Reason == eligibility.CanonicalElsewhere && k.Twin:
		s.hintTwin()
	case is.Reason == eligibility.CanonicalElsewhere && k.Canonical == "":
		s.hints.Give(messages.OtherOrigin, "The page where visitors enter names another host as canonical.", "entry", k.Location)
	}
}

// EntryAnswered takes in the answer of an entry that the sitemap does not list.
func (s *Tally) EntryAnswered(k *merge.Visit) {
	if k.Kind == eligibility.Redirected && s.site.Normalizer.Twin(k.Location, k.Response.Header.Location) {
		s.hintTwin()
	}
	if k.Kind == eligibility.Doubtful {
		s.hints.Give(messages.NoPageYet, "", "entry", k.Location, "answer", k.Reason.String())
	}
}

// Robots gives a hint if robots.txt keeps crawlers from an entry.
func (s *Tally) Robots() {
	for entry := range s.site.Entries {
		if !s.site.Robots.Allows(entry) {
			s.hintForbidden("robots.txt", entry)
			return
		}
	}
}

const (
	// leavingWindow is how long withdrawals are counted together.
	leavingWindow = 10 * time.Minute
	// leavingNeeded is how many withdrawals are a mass, if they are also a tenth of the listed
	// pages.
	leavingNeeded = 20
)

// leaving counts the pages that left lately.
type leaving struct {
	since time.Time
	pages int
}

// left gives a hint if many pages left in a short time.
func (s *Tally) left(pages map[eligibility.Reason]int, now time.Time) {
	n, most := 0, eligibility.None
	for why, of := range pages {
		if n += of; of > pages[most] || most == eligibility.None {
			most = why
		}
	}
	if n == 0 {
		return
	}
	v := &s.leaving
	if now.Sub(v.since) > leavingWindow {
		*v = leaving{since: now}
	}
	if v.pages += n; v.pages >= leavingNeeded && v.pages*10 >= s.Listed()+v.pages {
		s.hints.Give(messages.Leaving, "", "pages", v.pages, "reason", most.String())
	}
}

// deadEnds notes whether an entry links to no page of the site. It reports whether no entry links
// to any.
func (s *Tally) deadEnds(entry string, dead bool) bool {
	if s.dead == nil {
		s.dead = map[string]bool{}
	}
	if s.dead[entry] = true; !dead {
		delete(s.dead, entry)
	}
	return len(s.dead) == len(s.site.Entries)
}
