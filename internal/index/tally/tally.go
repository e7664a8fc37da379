// Package tally counts what is learned of a site, and tells the owner what prevents learning more.
// It takes changes of verdicts, pages that were read, and answers of entries. It returns counts by
// verdict and reason, and gives hints. It must never decide about a page.
package tally

import (
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/index/merge"
)

// Tally is the tally of one site. Its methods belong to the goroutine that merges. Only Counts,
// Listed, Waiting and Starved may be called concurrently.
type Tally struct {
	counter
	site    *merge.Site // only read
	hints   *messages.Hints
	few     time.Time // since when hardly any seen page is listed; zero while more are
	shells  shells
	named   map[uint64]string // what pages name as canonical in place of themselves, by their ID
	leaving leaving
	alike   alike
	causes  map[answer][]cause // what the last answers of the entries showed
}

// New returns an empty tally. Hints may be nil.
func New(site *merge.Site, hints *messages.Hints) *Tally {
	return &Tally{counter: counter{waits: site.Keys.Waits()}, site: site, hints: hints}
}

// EndPass ends the pass over all records. From then on, the counts are those of the pass.
func (s *Tally) EndPass(now time.Time) {
	s.mu.Lock()
	s.now, s.passed, s.whole = s.next, "", true
	s.mu.Unlock()
	s.hintFew(now)
}

// Stored takes in what a transaction changed.
func (s *Tally) Stored(done *merge.Counts, now time.Time) {
	s.moved(done.Moves)
	entered := 0
	for _, move := range done.Moves {
		if move.To.Listed() && !move.From.Listed() {
			entered++
		}
	}
	s.left(done.Left, entered, now)
	s.hintFew(now)
	if done.Refused {
		s.hints.Give(messages.Refused, "")
	}
	s.hintAlike(done.Alike)
}

// So many listed pages that show one content are many, and so are half of a small site, of three pages at least, and a
// tenth of a larger one, of ten at least. leastAlike in a row that show their own again prove that it has gone.
const (
	manyAlike  = 20
	tenthAlike = 10
	leastAlike = 3
)

// isMany reports whether so many of the listed pages are many to show one content.
func isMany(pages, listed int) bool {
	return pages >= min(manyAlike, max(leastAlike, (listed+1)/2), max(tenthAlike, listed/10))
}

// alike is the content that many pages show, while the hint of that holds.
type alike struct {
	showing uint64
	back    int // pages that show their own content again, since one showed it
}

// hintAlike gives a hint while many listed pages show one content, once one shows it.
func (s *Tally) hintAlike(pages map[uint64]merge.Borrowed) {
	for showing, b := range pages {
		switch many := isMany(b.Pages, s.Listed()); {
		case many && b.Shown:
			s.alike = alike{showing: showing}
			s.hints.Give(messages.Alike, "")
		case showing == s.alike.showing:
			if s.alike.back += b.Back; !many || s.alike.back >= leastAlike {
				s.alike = alike{}
				s.hints.End(messages.Alike)
			}
		}
	}
}

const (
	// fewPages is how many pages must be known for the hint that few are listed. At most one in
	// fewShare is listed then, and that for at least fewFor: learning a new site takes less.
	fewPages = 20
	fewShare = 5
	fewFor   = 5 * time.Minute
)

// hintFew gives a hint if hardly any seen page has been listed for some time.
func (s *Tally) hintFew(now time.Time) {
	o := s.outcome()
	switch {
	case o.seen < fewPages || fewShare*o.listed > o.seen:
		s.few = time.Time{}
		s.hints.End(messages.Few)
	case s.few.IsZero():
		s.few = now
	case now.Sub(s.few) >= fewFor:
		why := messages.ReasonNamed(o.most.String())
		s.hints.Give(messages.Few, fmt.Sprintf("%d were seen and at most %d are listed. Why most of the others are not: %s",
			o.seen, o.listed, why.Means()))
	}
}

// starvedPages is how many linked pages must wait for their first anonymous visitor before the site counts as starved.
const starvedPages = 5

// Starved reports whether fewer pages are listed than are linked and never got by an anonymous
// visitor. A few pages are enough, so that it also finds a small site that its developer tries by
// hand.
func (s *Tally) Starved() bool {
	o := s.outcome()
	missed := o.unseen + o.withheld
	return missed >= starvedPages && missed > o.listed
}
