package reader

import (
	"cmp"
	"math"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
)

// Known is everything that is known of one location. Explain and Pages tell it.
type Known struct {
	pagerecord.Page // its record, with the verdict as of now
	Location        string
	IsEntry         bool // visitors enter the site there
	Removal         Removal
	Rule            bool   // a rule vouches for it
	Pattern         string // of the rule that decides about its listing, "" for none
	Canonical       string // another location that it names as canonical
	SameAs          string // if it is held as a duplicate: the listed page
	History         History
	Entry           shards.Entry // what the sitemap says of it, or would say if it were listed
	Freq            rate.Freq    // as Page.Freq says, whether it is in the entry or not
	Confidence      float64      // the probability of Freq
}

// NeedsLogin reports whether a page waits because the site asked an anonymous visitor to log in.
func (k *Known) NeedsLogin() bool {
	why := cmp.Or(k.MissingWhy, k.Absent)
	return k.Verdict == eligibility.Waiting && (why == eligibility.Denied || why == eligibility.LoginRedirect)
}

// Removal says that a listed page may be gone. The zero Removal means that it may not.
type Removal struct {
	Since    time.Time
	Alone    bool // a minute is not enough; a second refusal is needed
	Borrowed bool // it shows what other pages show; a visit a day later decides
	Nameless bool // that network is unknown
}

// History says when a page's content changed, and how often it is expected to.
type History struct {
	lastmod.History

	// Mean is the estimated mean time between changes. The true one lies between
	// Least and Most with a probability of about 80 %. All are 0 before the first
	// change was seen.
	Mean, Least, Most time.Duration

	Reading mark.Reading
}

// know derives what is known of a location from its record.
func (r *Reader) know(location string, p *pagerecord.Page) Known {
	set, now := &r.site.Settings, time.Now()
	p.Loaded.Location = location
	record := p.Judged()
	p.Standing = eligibility.Revise(record, set.Context(&record, r.robots.Load(), moment.Of(now)))
	freq, sure := p.Freq()
	rule, _ := set.Rules.Match(location)
	return Known{
		Page: *p, Location: location, IsEntry: set.Entries[location], Removal: removalOf(p, now),
		Rule: rule.Listing == eligibility.Always, Pattern: rule.Pattern,
		History: historyOf(p), Entry: p.Entry(freq, sure), Freq: freq, Confidence: sure,
	}
}

func removalOf(p *pagerecord.Page, now time.Time) Removal {
	if p.Missing == 0 {
		return Removal{}
	}
	since := p.Missing.Time()
	return Removal{since, !p.HasMinute() || now.Sub(since) > 2*pagerecord.ConfirmAfter, p.MissingWhy == eligibility.Duplicate, p.MissingNet == 0}
}

func historyOf(p *pagerecord.Page) History {
	h := History{History: p.Dates.History(), Reading: p.Mark.Reading()}
	held, more := p.Mark.Awaited()
	h.FirstSeen, h.Held, h.More = p.FirstSeen.Time(), moment.Seconds(held).Time(), more
	least, mean, most := p.Rate.Interval()
	h.Least, h.Mean, h.Most = duration(least), duration(mean), duration(most)
	return h
}

// duration returns a number of seconds as a Duration, the longest one for more.
func duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}
