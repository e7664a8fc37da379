package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
)

// Page is all that is remembered of one location. Its record does not name the
// location, so that it can be kept under a hash. Each of its values has a file of its
// own, which says who changes it.
type Page struct {
	Standing
	presence
	doubt
	statement
	evidence
	redirect
	reading
	copies
	languages
	ranking
	listing

	mark      mark.Mark     // to tell changes of the content; see content.go
	varieties varieties     // the texts by language that the mark has met
	newLinks  newLinks      // that may announce new pages
	dates     lastmod.Dates // see internal/lastmod
	rate      rate.Estimate // how often the content changes

	unread record.Unread // fields of a later version
	loaded loaded
}

// Standing is a verdict with its reason.
type Standing struct {
	Verdict admit.Verdict
	Reason  admit.Reason
}

// Listed reports whether the page is to be listed.
func (s Standing) Listed() bool { return s.Verdict == admit.Listed }

// loaded is what a transaction knows of the page besides its record.
type loaded struct {
	location  string
	known     bool           // there is a record
	changed   bool           // it is to be settled
	listed    bool           // the page was listed before the transaction
	counted   Standing       // the verdict that the tally has of the record
	change    moment.Time    // the last change of its content before the transaction
	announced []announcement // what turned out at the look that is merged
}

// Public reports whether the page is or was listed. Then its location is no secret.
func (s *Page) Public() bool { return s.part != 0 || s.Listed() }

// entry returns what the sitemap is to tell of the page. confidence is the least
// probability that a changefreq needs. Nothing is certain, so 1 admits none.
func (s *Page) entry(confidence float64) book.Entry {
	e := book.Entry{Candidates: s.dates.Candidates(), Until: s.until}
	freq, p := s.rate.Freq()
	if p >= confidence && confidence < 1 && s.bearsOut(freq) {
		e.Freq = freq
	}
	e.Volatile = freq == rate.Always && p >= 0.5 && s.dates.Changes() >= volatileChanges
	return e
}

// volatileChanges is how many changes it takes to say of a page that it changes at
// every look. One or two changes soon after the first look come from somebody who is
// at work on the page, and have their dates.
const volatileChanges = 3

// bearsOut reports whether the page was watched for long enough to say that it
// changes so often. A page is often edited while somebody is looking, as after a
// deploy. So one change soon after the first look says little: it takes another one,
// or the time in which another one would have come.
func (s *Page) bearsOut(freq rate.Freq) bool {
	watched := s.lastSeen.Sub(s.firstSeen)
	switch {
	case s.dates.Changes() != 1:
		return true
	case freq <= rate.Hourly:
		return watched >= time.Hour
	case freq == rate.Daily:
		return watched >= day
	case freq == rate.Weekly:
		return watched >= 7*day
	}
	return true
}

const day = 24 * time.Hour
