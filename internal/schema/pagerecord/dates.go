package pagerecord

import (
	"cmp"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/schema/shards"
)

// Entry returns what the sitemap says about the page. It has the likeliest changefreq, which Freq returned, if the changes
// that were seen prove it. Quiet alone proves nothing.
func (p *Page) Entry(freq rate.Freq, sure float64) shards.Entry {
	e := shards.Entry{Date: p.Dates.Date, Until: p.Until}
	if p.proves(freq) {
		e.Freq = freq
	}
	e.Volatile = freq == rate.Always && sure >= 0.5 && p.Dates.Count >= volatileChanges && p.Mark.Moves()
	return e
}

// Freq returns how often the page is likely to change, and the probability of that. A crawler that
// reads "never" does not come back. So a page that stopped changing is called yearly until it has
// been the same for years.
func (p *Page) Freq() (rate.Freq, float64) {
	freq, sure := p.Rate.Freq()
	if freq == rate.Never && p.Rate.Quiet() < int64(neverAfter/time.Second) {
		freq = rate.Yearly
	}
	return freq, sure
}

const neverAfter = 2 * 365 * day

// volatileChanges is how many changes a page needs before it counts as changing at every observation. If
// there are one or two soon after the first observation, somebody is working on the page, and the changes
// have dates. A list keeps its dates however often it changes: each of its items is a change. So does a page of
// which no place moves by itself: it got news each time.
const volatileChanges = 3

// proves reports whether the last changes prove that the page changes so often. With three changes, the
// first observation stands for the one before.
func (p *Page) proves(freq rate.Freq) bool {
	d := &p.Dates
	if d.Count < 3 || d.Earlier[1] == 0 {
		return false
	}
	times := [4]int64{d.Date.At.Seconds(), d.Earlier[0].Seconds(), d.Earlier[1].Seconds(), cmp.Or(d.Earlier[2], p.FirstSeen).Seconds()}
	return freq.Proven(times, p.LastSeen.Sub(p.FirstSeen).Seconds()/float64(d.Count))
}

const day = 24 * time.Hour

// Estimate feeds the rate estimate with what an observation has shown, at a time in Unix seconds. While
// something is held, the estimate is not fed; that is done once it is certain.
func (p *Page) Estimate(o mark.Outcome, found lastmod.Finding, at int64) {
	switch since := found.Since.Seconds(); {
	case o == mark.Changed:
		if found.Exact != 0 {
			p.Rate = p.Rate.SawChangeAt(since, found.Exact.Seconds())
		} else {
			p.Rate = p.Rate.Saw(since, true)
		}
		if since != at {
			p.Rate = p.Rate.Saw(at, false)
		}
	case o == mark.Moving:
		p.Rate = p.Rate.Saw(at, true)
	case p.Mark.Holding():
	case o == mark.Variant:
		p.Rate = p.Rate.SawNoise(at)
	default:
		p.Rate = p.Rate.Saw(at, false)
	}
}

// Renews reports whether what an observation shows for the extensions replaces what the entry has.
// Media that change without the text, as in a carousel, are updated once a day. Otherwise each visit
// would change a file. was says that the page had been read.
func (p *Page) Renews(was bool, o mark.Outcome, at moment.Time) bool {
	switch {
	case o == mark.First, o == mark.Changed:
		return true
	case p.NoFollow: // its ReadAt is never set
		return p.Loaded.Before.Day() != at.Day()
	}
	return !was || p.ReadAt.Day() != at.Day()
}

// Inherit takes over the history of the page that moved here.
func (p *Page) Inherit(from *Page) {
	if p.FirstSeen == 0 {
		p.Mark, p.Rate = from.Mark, from.Rate
		p.Dates.Inherit(from.Dates)
		p.Observations = from.Observations
	}
	if p.FirstSeen == 0 || from.FirstSeen < p.FirstSeen {
		p.FirstSeen = from.FirstSeen
	}
}

// BecomesNew notes at an observation that the location is a new page, whose first link was seen at since.
// It reports whether that is news.
func (p *Page) BecomesNew(since, at moment.Time, trust lastmod.Trust) bool {
	if p.FirstSeen == 0 {
		p.Dates.Announce(since)
		return true
	}
	return p.Dates.AnnouncedLate(p.FirstSeen, since, at, trust)
}
