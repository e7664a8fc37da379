// Package survey counts what is learned of a site, and tells the owner what keeps the
// site from being learned. It takes changes of verdicts, pages that were read, and what
// entries answered. It gives counts by verdict and reason, and hints. It must never
// decide about a page.
package survey

import (
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/texts"
)

// Survey is the survey of one site. Its methods belong to the goroutine that merges,
// but for Counts, Listed and Starved, which may be called concurrently.
type Survey struct {
	tally
	site    *merge.Site // only read
	hints   *hint.Hints
	few     few
	shells  shells
	leaving leaving
	dead    map[string]bool // entries that link to no page of the site
}

// New returns a survey in which nothing is counted. Hints may be nil.
func New(site *merge.Site, hints *hint.Hints) *Survey { return &Survey{site: site, hints: hints} }

// EndPass ends the pass over all records: what it counted holds from then on.
func (s *Survey) EndPass(now time.Time) {
	s.end()
	s.HintFew(now)
}

// Stored takes in what a transaction has changed.
func (s *Survey) Stored(done *merge.Effects, now time.Time) {
	s.moved(done.Moves)
	s.left(done.Left, now)
	s.HintFew(now)
	if done.Refused {
		s.hints.Give(hint.Refused)
	}
}

const (
	// fewPages is how many pages must be known before it is told that few are
	// listed, fewShare of how many at most one is, and fewFor for how long that
	// must have been so: a new site is learned in less.
	fewPages = 20
	fewShare = 5
	fewFor   = 5 * time.Minute
)

// few remembers since when hardly any page that was seen is listed.
type few struct {
	since time.Time // zero while more are
	told  bool
}

// FewDue returns when HintFew is due, the zero time for never.
func (s *Survey) FewDue() time.Time {
	if s.few.told || s.few.since.IsZero() {
		return time.Time{}
	}
	return s.few.since.Add(fewFor)
}

// HintFew gives a hint when hardly any page that was seen has been listed for some
// time.
func (s *Survey) HintFew(now time.Time) {
	o := s.outcome()
	switch {
	case s.few.told:
	case o.seen < fewPages || fewShare*o.listed > o.seen:
		s.few.since = time.Time{}
	case s.few.since.IsZero():
		s.few.since = now
	case now.Sub(s.few.since) >= fewFor:
		cause, todo := texts.Most(o.most)
		s.hints.Tell(hint.Few, fmt.Sprintf("%d were seen and %d at most are listed, mostly since %s; %s.", o.seen, o.listed, cause, todo))
		s.few.told = true
	}
}

// Starved reports whether anonymous visitors got hardly any of the pages that the site
// links to.
func (s *Survey) Starved() bool {
	o := s.outcome()
	return o.unseen >= fewPages && fewShare*o.listed <= o.unseen
}
