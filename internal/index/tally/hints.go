package tally

import (
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
)

// shellsNeeded is how many locations must show what an entry shows. Unless the site lists more, the tally concludes
// that a script makes the pages in the browser.
const shellsNeeded = 5

// shells holds the paths that show the same as an entry, by their ID. It belongs to the worker.
type shells struct {
	entry uint64 // what the entry showed last
	same  map[uint64]bool
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

// lasting is how long visitors must get answers that show a cause, since a single visitor may bring about the answers
// that he gets. One answer that the site itself got is enough.
const lasting = time.Minute

// A cause is the reason for a hint, and the time since which answers have shown it.
type cause struct {
	since time.Time
	hint  messages.Hint
	text  string
	args  []any
}

// answer names answers of a kind at a location.
type answer struct {
	location string
	kind     eligibility.Kind
}

// noteCauses notes the causes that the answer to a visit shows, in place of those of the last answer of its kind.
func (s *Tally) noteCauses(v *observation.Observation, found ...cause) {
	before := s.causes[answer{v.Location, v.Kind}]
	for i, c := range found {
		found[i].since = v.At
		for _, b := range before {
			if b.hint == c.hint && b.text == c.text {
				found[i].since = b.since
			}
		}
	}
	if s.causes == nil {
		s.causes = map[answer][]cause{}
	}
	s.causes[answer{v.Location, v.Kind}] = found
	s.Again(v)
}

// Again takes in the visit of an entry that got the same answer as the one before it.
func (s *Tally) Again(v *observation.Observation) {
	for _, c := range s.causes[answer{v.Location, v.Kind}] {
		if v.Explored || v.At.Sub(c.since) >= lasting {
			s.hints.Give(c.hint, c.text, c.args...)
		}
	}
}

// twin is the cause for the hint that the site leads from the origin to its twin.
func (s *Tally) twin() cause { return other(s.site.Normalizer.Origin().Twin().String()) }

// other is the cause for the hint that the site has another origin.
func other(origin string) cause {
	return cause{hint: messages.OtherOrigin, text: fmt.Sprintf("It seems to be %s.", origin)}
}

// noPage is the cause for the hint that an entry was no page.
func noPage(k *observation.Observation) cause {
	return cause{hint: messages.NoPageYet, text: fmt.Sprintf("The answer to %s is %d.", k.Location, k.Response.Status),
		args: []any{"entry", k.Location, "answer", k.Reason.String()}}
}

// away is the cause that follows from an entry that leads to another host. That host has the site, unless it shows a
// log-in or asks for consent, and then leads back.
func away(k *observation.Observation) cause {
	if k.Reason == eligibility.LoginRedirect {
		return noPage(k)
	}
	return other(k.Away)
}

// keeps is the cause for the hint that something keeps crawlers from an entry.
func keeps(by, entry string) cause {
	return cause{hint: messages.Forbidden, text: fmt.Sprintf("Here it is %s.", by), args: []any{"entry", entry}}
}

// keepingWords says which words of an entry keep crawlers away, and whether its header has them.
func keepingWords(k *observation.Observation, standing eligibility.Standing) string {
	var all []string
	if standing.Reason == eligibility.NoIndex {
		all = append(all, "noindex")
	}
	if k.NoFollow {
		all = append(all, "nofollow")
	}
	text := strings.Join(all, ", ")
	if strings.Contains(strings.ToLower(k.Response.Header.RobotsTag), all[0]) {
		text += ", in the header X-Robots-Tag"
	}
	return text
}

// Read takes in a page that was read and is not a variant, and its verdict.
func (s *Tally) Read(k *observation.Observation, r merge.Merged) {
	entry := s.site.Entries[k.Location]
	path, _, _ := strings.Cut(k.Location, "?") // a query that changes nothing makes no other page
	if (entry || !s.site.Entries[path]) && s.shells.sees(s.site.ID(path), k.Showing, entry) && s.Listed() <= shellsNeeded {
		s.hints.Give(messages.ClientApp, "")
	} else if entry {
		s.hints.End(messages.ClientApp)
	}
	defer s.canonical(k, r)
	if r.Listed() && (k.Cut || k.Many) {
		s.hints.Give(messages.Cut, "The first was "+s.site.Normalizer.Origin().URL(k.Location)+".")
	}
	if !entry {
		return
	}
	if r.Listed() && k.Full && !k.NoFollow && len(k.Links) > 0 {
		s.hints.End(messages.NoPageYet, messages.Circles, messages.ForOne, messages.Forbidden, messages.DeadEnd)
		if !k.Scheme {
			s.hints.End(messages.OtherOrigin)
		}
	}
	s.noteCauses(k, s.ofEntry(k, r.Standing)...)
}

// ofEntry returns what follows from an entry that was read.
func (s *Tally) ofEntry(k *observation.Observation, standing eligibility.Standing) (found []cause) {
	if k.NoFollow || standing.Reason == eligibility.NoIndex && k.Target+k.Away == "" { // a root may lead to a language, or away
		found = append(found, keeps(keepingWords(k, standing), k.Location))
	}
	if k.Scheme {
		found = append(found, other(s.site.Normalizer.Origin().WithOtherScheme().String()))
	}
	misnames, text := s.misnames(k, "The page where visitors enter names %s as canonical.")
	switch {
	case standing.Listed() && k.Full && len(k.Links) == 0 && k.Twin:
		found = append(found, s.twin())
	case standing.Listed() && k.Full && !k.NoFollow && len(k.Links) == 0 && s.Listed() <= len(s.site.Entries):
		found = append(found, cause{hint: messages.DeadEnd, args: []any{"entry", k.Location}})
	case standing.Listed():
	case k.Away != "":
		found = append(found, away(k))
	case standing.Reason == eligibility.CanonicalElsewhere && k.Twin:
		found = append(found, s.twin())
	case standing.Reason == eligibility.CanonicalElsewhere && k.Canonical == "":
		found = append(found, cause{hint: misnames, text: text, args: []any{"entry", k.Location}})
	}
	return found
}

// EntryAnswered takes in the answer of an entry that the sitemap does not list.
func (s *Tally) EntryAnswered(k *observation.Observation) {
	switch {
	case k.Kind == eligibility.Redirected && k.Target == k.Location:
		s.noteCauses(k, cause{hint: messages.Circles, args: []any{"entry", k.Location}})
	case k.Kind == eligibility.Redirected && s.site.Normalizer.Twin(k.Location, k.Response.Header.Location):
		s.noteCauses(k, s.twin())
	case k.Kind == eligibility.Redirected && k.Away != "":
		s.noteCauses(k, away(k))
	case k.Kind == eligibility.Doubtful:
		s.noteCauses(k, noPage(k))
	case k.Reason == eligibility.Private, k.Reason == eligibility.NoStore:
		s.noteCauses(k, cause{hint: messages.ForOne, text: "The page where visitors enter is one of them.",
			args: []any{"entry", k.Location}})
	}
}

// Robots gives a hint if robots.txt keeps crawlers from an entry.
func (s *Tally) Robots() {
	for entry := range s.site.Entries {
		if !s.site.Robots.Allows(entry) {
			c := keeps("robots.txt", entry)
			s.hints.Give(c.hint, c.text, c.args...)
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

// left gives a hint if many pages left in a short time. entered says how many entered meanwhile.
func (s *Tally) left(pages map[eligibility.Reason]int, entered int, now time.Time) {
	n, most := 0, eligibility.None
	for why, of := range pages {
		if why.Unvisited() || why.Owners() {
			continue // exploring took them back, or the owner wants it
		}
		if why == eligibility.Duplicate {
			of = max(0, of-entered) // another address of the page has entered
		}
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
		why := messages.ReasonOf(most.String(), v.pages)
		s.hints.Give(messages.Leaving, "Most often: "+why.Why+". "+why.Todo, "pages so far", v.pages, "reason", most.String())
	}
}
