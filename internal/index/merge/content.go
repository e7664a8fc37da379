package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// comparison is the result of comparing a look with the page's mark.
type comparison struct {
	outcome mark.Outcome
	since   moment.Time // when the change was first seen; may be an earlier look
	odd     bool        // the mark took the text for an error
}

// content merges the content of a page that was read. If the budget did not allow a full
// reading, the page stays unread, and the next look reads it.
func (m *Batch) content(k *Look, p *pagerecord.Page) {
	wasRead := p.Read
	p.Read = p.Read && p.BodyHash == k.Hash
	switch {
	case !k.Full:
		p.BodyHash = 0
	case k.Cut:
		p.BodyHash, p.Showing, p.Shared, p.Crowd = k.Hash, 0, false, false
	default:
		same := p.Showing == k.Showing
		p.Shared, p.Crowd = k.Shared || p.Shared && same, k.Crowd || p.Crowd && same
		p.BodyHash, p.Showing = k.Hash, k.Showing
		p.Claims = m.site.claims(k.Alternates)
		c := m.compare(k, p)
		m.keepLinks(k, p, c)
		if renews(k, p, wasRead, c.outcome) {
			m.media[k.Location] = k.Media
		}
		m.outcome(k, p, c)
		return
	}
	m.date(k, p, comparison{outcome: mark.Variant})
}

// compare merges the text of the page into its mark.
func (m *Batch) compare(k *Look, p *pagerecord.Page) comparison {
	at := k.Moment()
	held := p.Mark.Holding()
	if p.Awaits(k.VarietyKey, at) {
		return comparison{outcome: mark.Variant}
	}
	after, outcome, since := p.Mark.Look(k.View, at.Seconds())
	meant, taken := p.Varieties.Meet(k.VarietyKey, outcome)
	if taken {
		p.Mark = after
	}
	if meant != outcome {
		outcome, p.Mark = meant, p.Mark.Still() // it was another variety of the page, and no news
	}
	if outcome == mark.Held && !held {
		m.due(k.Location)
	}
	return comparison{outcome, min(moment.Seconds(since), at.Second()), k.VarietyKey == 0 && p.Mark.Odd()}
}

// date merges the outcome of a look into the page's dates.
func (m *Batch) date(k *Look, p *pagerecord.Page, c comparison) lastmod.Finding {
	given := lastmod.Given[moment.Time]{lastmod.Server: k.Server, lastmod.Page: k.Own}
	if k.Same {
		given[lastmod.Page] = p.Dates.LastGiven(lastmod.Page)
	}
	dates, found := p.Dates.Look(lastmod.Look{
		At: k.Moment(), Before: p.Loaded.Before, First: p.Looks <= 1,
		Outcome: c.outcome, Since: c.since, Holding: p.Mark.Holding(), Odd: c.odd, Variety: k.VarietyKey, Given: given,
	}, m.site.Trust)
	p.Dates = dates
	if found.Rewritten {
		p.Mark, _, _ = mark.Mark{}.Look(k.View, k.Moment().Seconds())
	}
	if !p.Mark.Holding() {
		p.NewLinks = nil
	}
	m.report(k.Location, found.Reports)
	return found
}

// report merges what a look has shown about the sources of dates.
func (m *Batch) report(location string, reports []lastmod.Report) {
	for _, r := range reports {
		if !m.site.Reputations.Concerns(r) {
			continue
		}
		m.Repute(func(rs *lastmod.Reputations) { rs.Take(r, m.site.ID(location)|1, m.moment()) })
	}
}

// Repute changes the stored reputations.
func (m *Batch) Repute(change func(*lastmod.Reputations)) {
	key := m.site.Keys.Trust()
	before, unread := lastmod.ReadReputations(m.Get(key))
	after := before
	if change(&after); after != before {
		m.Put(key, after.Encode(unread))
		m.Effects.Reputes = true
	}
}

// outcome dates the change that a look has shown, and feeds the rate estimate. While
// something is held, the estimate is not fed; that is done once it is certain.
func (m *Batch) outcome(k *Look, p *pagerecord.Page, c comparison) {
	found, at := m.date(k, p, c), k.At.Unix()
	switch {
	case c.outcome == mark.Changed, found.Rewritten:
		since := found.Since.Seconds()
		if found.Exact != 0 {
			p.Rate = p.Rate.SawChangeAt(since, found.Exact.Seconds())
		} else {
			p.Rate = p.Rate.Saw(since, true)
		}
		if since != at {
			p.Rate = p.Rate.Saw(at, false)
		}
	case c.outcome == mark.Moving:
		p.Rate = p.Rate.Saw(at, true)
	default:
		if p.Mark.Holding() {
			return
		}
		if c.outcome == mark.Variant {
			p.Rate = p.Rate.SawNoise(at)
		} else {
			p.Rate = p.Rate.Saw(at, false)
		}
	}
}

// Knows reports whether a look need not be read: it has the same bytes as the last one,
// whose links were followed. again says that the links must be followed again anyway. A
// page that is not listed is read each time, since this look may list it, unless the same
// bytes forbid its listing.
func (site *Site) Knows(k *observation.Look, p *pagerecord.Page) (same, again bool) {
	if !p.Witnessed || p.BodyHash != k.Hash {
		return false, false
	}
	again = p.Read && site.reopens(k, p) // whatever the mark says
	switch {
	case again, p.Mark.Holding(), p.Mark.Odd(), p.Varieties.Untold():
		return false, again
	case p.Content == eligibility.QueryNotCanonical && !k.OwnQuery:
		return false, false // a rule may allow the query by now
	}
	return p.Read || !p.Listed() && p.Content != eligibility.None && !site.leads(p), false
}
