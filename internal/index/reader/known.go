package reader

import (
	"cmp"
	"math"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
)

// Known is everything that is known of one location. Explain and Pages tell it.
type Known struct {
	pagerecord.Page // its record, with the verdict as of now
	Location        string
	IsEntry         bool   // visitors enter the site there
	Rule            bool   // a rule vouches for it
	Pattern         string // the pattern of the rule that decides about its listing, "" for none
	Canonical       string // another location that it names as canonical
	SameAs          string // if others show the same: the listed one, "" for none
	Nowhere         bool   // it shows what the site shows where it has no page
	History         History
	Entry           shards.Entry // what the sitemap says of it, or would say if it were listed

	Besides   []eligibility.Reason // what would keep it out too
	Overtaken bool                 // the reason that keeps it out has ended since the verdict, and its next visit lists it
}

// NeedsLogin reports whether a page waits because the site asked an anonymous visitor to log in.
func (k *Known) NeedsLogin() bool {
	why := cmp.Or(k.MissingWhy, k.Absent)
	return k.Verdict == eligibility.Waiting && (why == eligibility.Denied || why == eligibility.LoginRedirect)
}

// History says when a page's content changed, and how often it is expected to.
type History struct {
	lastmod.History

	Mean        time.Duration // the likely mean time between changes, 0 before the first change was seen
	Least, Most time.Duration // the bounds of Mean, see [rate.Interval]; 0 before the second change was seen
}

// Know derives what is known of a location from its record.
func (r *Reader) Know(location string, p *pagerecord.Page) Known {
	set, now := &r.site.Settings, time.Now()
	p.Loaded.Location = location
	record := p.Judged()
	around := set.Context(&record, r.robots.Load(), moment.Of(now))
	record.Standing = eligibility.Revise(record, around)
	said := record.Content == eligibility.Private || record.Content == eligibility.NoStore
	if said && set.Rules.IgnoreCacheControl(location) { // by now the owner has said that this does not count
		if record.Content, record.Witnessed = eligibility.None, true; !record.Public {
			record.Standing = eligibility.Revise(record, around)
		}
	}
	p.Standing = record.Standing
	rule, _ := set.Rules.Match(location)
	return Known{
		Besides: eligibility.Besides(record, around), Overtaken: eligibility.Overtaken(record, around),
		Page: *p, Location: location, IsEntry: set.Entries[location],
		Rule: rule.Listing == eligibility.Always, Pattern: rule.Pattern,
		History: historyOf(p, now), Entry: p.Entry(),
	}
}

func historyOf(p *pagerecord.Page, now time.Time) History {
	h := History{History: p.Dates.History()}
	held, more, until := p.Mark.Awaited(p.Dates.Date.At.Seconds(), now.Unix())
	h.FirstSeen, h.LastSeen, h.Held = p.FirstSeen.Time(), p.LastSeen.Time(), moment.Seconds(held).Time()
	h.More, h.Until = more, moment.Seconds(until).Time()
	i := p.Rate.Interval()
	h.Mean, h.Least, h.Most = duration(i.Likely), duration(i.Least), duration(i.Most)
	return h
}

// duration returns a number of seconds as a Duration, the longest one for more.
func duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}
