package merge

import (
	"slices"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/rate"
)

// comparison is what comparing a look with the page's mark has shown.
type comparison struct {
	outcome mark.Outcome
	since   moment.Time // the look that first showed a change, which may be an earlier one
	before  moment.Time // the look before this one, 0 if there was none
}

// content merges what a page that was read shows. A look that could not be afforded in
// full leaves the page unread, so that the next one is.
func (m *Batch) content(k *Look, p *Page, before moment.Time) (was *mark.Mark) {
	wasRead, known := p.read, p.mark
	p.read = p.read && p.bodyHash == k.Hash
	switch {
	case !k.Full || k.Undated:
		p.bodyHash = 0
	case k.Cut:
		p.bodyHash, p.showing, p.shared, p.crowd = k.Hash, 0, false, false
	default:
		was = &known
		same := p.showing == k.Showing
		p.shared, p.crowd = k.Shared || p.shared && same, k.Crowd || p.crowd && same
		p.bodyHash, p.showing = k.Hash, k.Showing
		p.claims = m.site.claims(k.Alternates)
		c := m.compare(k, p, before)
		m.keepLinks(k, p, c)
		if p.renews(k, wasRead, before, c.outcome) {
			m.media[k.Location] = k.Media
		}
		m.outcome(k, p, c)
		return was
	}
	if !k.Undated {
		m.date(k, p, comparison{outcome: mark.Variant, before: before})
	}
	return was
}

// compare merges what the page shows into its mark. before is when the look before was,
// 0 if there was none.
func (m *Batch) compare(k *Look, p *Page, before moment.Time) comparison {
	at := k.Moment()
	held := p.mark.Holding()
	if p.awaits(k.VarietyKey, at) {
		return comparison{outcome: mark.Variant, before: before}
	}
	after, outcome, since := p.mark.Look(k.View, at.Seconds())
	meant, taken := p.varieties.meet(k.VarietyKey, outcome)
	if taken {
		p.mark = after
	}
	if meant != outcome {
		outcome, p.mark = meant, p.mark.Still() // what it took for news is none
	}
	if outcome == mark.Held && !held {
		m.due(k.Location)
	}
	return comparison{outcome, min(moment.Seconds(since), at.Second()), before}
}

// date merges what a look showed into the page's dates.
func (m *Batch) date(k *Look, p *Page, c comparison) lastmod.Finding {
	given := lastmod.Given[moment.Time]{lastmod.Server: k.Server, lastmod.Page: k.Own}
	if k.Same {
		given[lastmod.Page] = p.dates.LastGiven(lastmod.Page)
	}
	dates, found := p.dates.Look(lastmod.Look{
		At: k.Moment(), Before: c.before, First: p.looks <= 1,
		Outcome: c.outcome, Since: c.since, Holding: p.mark.Holding(), Variety: k.VarietyKey, Given: given,
	}, m.site.Trust)
	p.dates = dates
	if !p.mark.Holding() {
		p.newLinks = nil
	}
	m.report(k.Location, found.Reports)
	return found
}

// report merges what a look at a location showed of the sources of dates.
func (m *Batch) report(location string, reports []lastmod.Report) {
	for _, r := range reports {
		if !m.site.Reputations.Concerns(r) {
			continue
		}
		page := m.site.Names.Key().Hash("suspect", location) | 1
		m.Repute(func(rs *lastmod.Reputations) { rs.Take(r, page, m.moment()) })
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

// outcome dates a change that a look has shown, and tells the estimate of it. What is
// held is told once it is certain.
func (m *Batch) outcome(k *Look, p *Page, c comparison) {
	found, at := m.date(k, p, c), k.At.Unix()
	switch c.outcome {
	case mark.Changed:
		since := found.Since.Seconds()
		if found.Sure {
			p.rate = p.rate.SawChangeAt(since, found.Exact.Seconds())
		} else {
			p.rate = p.rate.Saw(since, true)
		}
		if since != at {
			p.rate = p.rate.Saw(at, false)
		}
	case mark.Moving:
		p.rate = p.rate.Saw(at, true)
	default:
		if !p.mark.Holding() {
			p.age(m.site.Trust, at)
			p.rate = p.rate.Saw(at, false)
		}
	}
}

// trial is how long a page must have been seen before the date that it had at the first
// look tells the estimate anything: a date that moves by itself would have moved.
const trial = day

// trialLooks bounds the looks before the age is told.
const trialLooks = uint64(trial / time.Minute)

// age tells the estimate, once, for how long the page had been unchanged at its first
// look: since the given date that its lastmod goes by. That date may be the one on
// which the page was made, so it is not told as a change.
func (p *Page) age(trust lastmod.Trust, at int64) {
	last, first, long := p.rate.LastVisit(), p.firstSeen.Seconds(), int64(trial/time.Second)
	if p.dates.Changes() > 0 || p.rate.LastChange() != 0 || at-first < long || last < first || last-first >= long {
		return
	}
	c := p.dates.Candidates()
	date, by, _ := c.Decide(trust, moment.Seconds(at))
	if by != lastmod.ByGiven || date.Seconds() >= first {
		return
	}
	e := rate.Estimate{}.Saw(date.Seconds(), false)
	for range min(p.looks-1, trialLooks) {
		e = e.Saw(last, false)
	}
	p.rate = e
}

// soon is how long after a look a counter may be what has changed. What is seen once a
// week has news at each look.
const soon = 2 * day

// Soon reports whether a look comes so soon after the last one that a counter may be
// what has changed.
func (p *Page) Soon(k *look.Look) bool { return k.Moment().Sub(p.lastSeen) < soon }

// Mark returns the mark of the page.
func (p *Page) Mark() mark.Mark { return p.mark }

// Knows reports whether a look shows nothing that has not been read: the same bytes as
// the last one, whose links were followed. again says that the links are to be followed
// again all the same. A page that is not listed is read each time, as the look may be
// what lists it, unless it forbids its listing in the same bytes as before.
func (site *Site) Knows(k *look.Look, p *Page) (same, again bool) {
	if !p.witnessed || p.bodyHash != k.Hash {
		return false, false
	}
	again = p.read && site.reopens(k, p) // whatever the mark makes of the look
	switch {
	case again, p.mark.Holding(), p.varieties.untold():
		return false, again
	case p.content == admit.QueryNotCanonical && !k.OwnURL:
		return false, false // a rule allows the query by now
	case p.content == admit.NoIndex && p.until != 0 && !p.ended(k.At):
		return false, false // a clock that was ahead had ended it
	}
	return p.read || !p.Listed() && p.content != admit.None && !site.leads(p), false
}

// varietiesKept bounds the varieties that are told apart on one page.
const varietiesKept = 8

// familiar is set in a variety whose text the mark has taken in.
const familiar = 1

// meet says what a look in a variety is worth. The first look in a variety may show a
// text of its own, which is no change; but it may also be the first to show a change.
// So the first look is left to others, and at the second one the mark takes its text
// in, if no other variety has shown it by then. taken is false if the mark is to stay
// as it was.
func (v *varieties) meet(variety uint16, o mark.Outcome) (meant mark.Outcome, taken bool) {
	if variety == 0 {
		return o, true
	}
	i := slices.IndexFunc(*v, func(w uint16) bool { return w&^familiar == variety })
	met := i >= 0
	known := met && (*v)[i]&familiar != 0 || len(*v) == 0
	if met {
		*v = slices.Delete(*v, i, i+1)
	}
	switch {
	case known, o == mark.First, o == mark.Same, o == mark.Variant:
		meant, taken = o, true
	case met && o != mark.Held:
		meant, taken = mark.Variant, true
	default:
		meant, taken = mark.Variant, false
	}
	if taken {
		variety |= familiar
	}
	all := append(varieties{variety}, *v...)
	*v = all[:min(len(all), varietiesKept)]
	return meant, taken
}

// untold reports whether the mark did not take the last look in, so that the same bytes
// may yet be news.
func (v varieties) untold() bool { return len(v) > 0 && v[0]&familiar == 0 }

// awaits reports whether something is held that was seen in another variety: a look in
// this one cannot tell whether it is still there. But what is not seen again for a day
// holds nothing up, nor does what a clock saw that was ahead.
func (p *Page) awaits(variety uint16, at moment.Time) bool {
	heldAt, held := p.dates.Held()
	passed := at.Second().Sub(heldAt.Second())
	return variety != 0 && held != 0 && held != variety && p.mark.Holding() && -day < passed && passed < day
}
