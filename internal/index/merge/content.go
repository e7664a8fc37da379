package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// comparison is the result of comparing a visit with the page's mark.
type comparison struct {
	outcome mark.Outcome
	since   moment.Time // when the change was first seen; may be an earlier visit
}

// content merges the content of a page that was read. If the budget did not allow a full
// reading, the page stays unread, and the next visit reads it.
func (u *visited) content() {
	p := u.p
	wasRead := p.Read
	p.Read = p.Read && p.BodyHash == u.Hash
	switch {
	case !u.Full:
		p.BodyHash = 0
	case u.Cut:
		p.BodyHash, p.Showing = u.Hash, 0
	default:
		if p.Showing != u.Showing {
			p.Turned = 0
			if p.Listed() {
				p.Turned = u.Moment()
			}
		}
		p.BodyHash, p.Showing = u.Hash, u.Showing
		p.Claims = u.site.claims(u.Extensions.Alternates())
		c := u.compare()
		u.keepLinks(c)
		if p.Renews(wasRead && p.Extended == u.site.Extensions, c.outcome, u.Moment()) {
			u.found[u.Location] = u.Extensions
		}
		u.outcome(c)
		return
	}
	u.date(comparison{outcome: mark.Variant})
}

// compare merges the text of the page into its mark.
func (u *visited) compare() comparison {
	p := u.p
	at := u.Moment()
	held := p.Mark.Holding()
	if p.Awaits(u.VariantKey, at) {
		return comparison{outcome: mark.Variant}
	}
	after, outcome, since := p.Mark.Observe(u.View, at.Seconds())
	meant, taken := p.Variants.Meet(u.VariantKey, outcome)
	if taken && meant != outcome {
		after = p.Mark.Learn(after)
	}
	if taken {
		p.Mark = after
	}
	if meant != outcome {
		outcome, p.Mark = meant, p.Mark.Still() // it was another variant of the page, and no news
	}
	if outcome == mark.Held && !held {
		u.due(u.Location)
	}
	return comparison{outcome, min(moment.Seconds(since), at.Second())}
}

// date merges the outcome of a visit into the page's dates.
func (u *visited) date(c comparison) lastmod.Finding {
	p := u.p
	given := lastmod.Given[moment.Time]{lastmod.Server: u.Server, lastmod.Page: u.Own}
	if u.Same {
		given[lastmod.Page] = p.Dates.Last[lastmod.Page]
	}
	dates, found := p.Dates.Observe(lastmod.Observation{
		At: u.Moment(), Before: p.Loaded.Before, First: p.Observations <= 1,
		Outcome: c.outcome, Since: c.since, Holding: p.Mark.Holding(), Variant: u.VariantKey, Given: given,
	}, u.site.Trust)
	p.Dates = dates
	if !p.Mark.Holding() {
		p.NewLinks = nil
	}
	u.report(found.Lies)
	return found
}

// report merges what a visit has shown about the sources of dates.
func (u *visited) report(lies []lastmod.Lie) {
	for _, lie := range lies {
		if u.site.Reputations.Concerns(lie, u.moment()) {
			u.Repute(func(rs *lastmod.Reputations) { rs.Lied(lie, u.site.ID(u.Location)|1, u.moment()) })
		}
	}
}

// Repute changes the stored reputations.
func (m *Transaction) Repute(change func(*lastmod.Reputations)) {
	key := m.site.Keys.Trust()
	before := ReadReputations(m.Get(key))
	after := before
	if change(&after); after != before {
		m.Put(key, codec.Marshal(after))
		m.Effects.Reputes = true
	}
}

// ReadReputations reads stored reputations. None are known if they are damaged.
func ReadReputations(b []byte) (rs lastmod.Reputations) {
	if codec.Unmarshal(b, &rs) != nil {
		return lastmod.Reputations{}
	}
	return rs
}

// outcome dates the change that a visit has shown, and feeds the rate estimate.
func (u *visited) outcome(c comparison) {
	u.p.Estimate(c.outcome, u.date(c), u.At.Unix())
}

// Knows reports whether a visit need not be read: it has the same bytes as the last one,
// whose links were followed. again says that the links must be followed again anyway. A
// page that is not listed is read each time, since this visit may list it, unless the same
// bytes forbid its listing.
func (site *Site) Knows(k *observation.Observation, p *pagerecord.Page) (same, again bool) {
	if !p.Witnessed || p.BodyHash != k.Hash {
		return false, false
	}
	again = p.Read && p.Reopens(k.Moment(), k.Net, site.KeepFor) // whatever the mark says
	switch {
	case again, p.Mark.Holding(), p.Variants.Untold():
		return false, again
	case p.Content == eligibility.QueryNotCanonical && !k.OwnQuery:
		return false, false // a rule may allow the query by now
	}
	return p.Read || !p.Listed() && p.Content != eligibility.None && !site.leads(p), false
}
