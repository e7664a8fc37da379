package pagerecord

import (
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/schema/shards"
)

// Entry returns what the sitemap says about the page.
func (p *Page) Entry() shards.Entry {
	return shards.Entry{Date: p.Dates.Date, Until: p.Until, Freq: p.Freq}
}

const day = 24 * time.Hour

// Estimate adds to the rate estimate what an observation has shown, at a time in Unix seconds, and chooses the word
// anew. A change that is held as uncertain is added once it is certain.
func (p *Page) Estimate(o mark.Outcome, found lastmod.Finding, at int64) {
	switch since := found.Since.Seconds(); {
	case o == mark.Changed:
		if found.Exact != 0 {
			p.Rate = p.Rate.SawChangeAt(since, found.Exact.Seconds())
		} else {
			p.Rate = p.Rate.Saw(since, true)
		}
		if since != at && !p.Mark.Holding() {
			p.Rate = p.Rate.Saw(at, false)
		}
	case o == mark.Moving:
		p.Rate = p.Rate.Saw(at, true)
	case p.Mark.Holding():
	default:
		p.Rate = p.Rate.Saw(at, false)
	}
	p.Freq = p.Rate.Freq(p.Freq)
}

// Return notes that the page shows its own content again, so a change that was taken back stays taken back. If it was
// the only change, the estimate forgets it.
func (p *Page) Return() {
	if p.Dates.Undone.Date.At != 0 && p.Dates.Count == 0 {
		p.Rate.Past = rate.History{}
	}
	p.Dates.Return()
}

// Renews reports whether what an observation shows for the extensions replaces what the entry has.
// Media that change without the text, as in a carousel, are updated once a day. Otherwise each visit
// would change a file. readAt is when the page was read before, 0 if it was not.
func (p *Page) Renews(readAt moment.Time, o mark.Outcome, at moment.Time) bool {
	switch {
	case o == mark.First, o == mark.Changed:
		return true
	case p.NoFollow: // its ReadAt is never set
		return p.Loaded.Before.Day() != at.Day()
	}
	return readAt == 0 || readAt.Day() != at.Day()
}

// Inherit takes over the history of the page that moved here.
func (p *Page) Inherit(from *Page) {
	if p.FirstSeen == 0 {
		p.Mark, p.Rate, p.Freq = from.Mark, from.Rate, from.Freq
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
