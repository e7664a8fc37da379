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
func (m *Batch) content(k *Look, s *Page, before moment.Time) (news variantNews) {
	was := s.read
	s.read = s.read && s.bodyHash == k.Hash
	switch {
	case !k.Full || k.Undated:
		s.bodyHash = 0
	case k.Cut:
		s.bodyHash, s.showing, s.shared, s.crowd = k.Hash, 0, false, false
	default:
		news = variantNews{read: true, before: s.mark}
		same := s.showing == k.Showing
		s.shared, s.crowd = k.Shared || s.shared && same, k.Crowd || s.crowd && same
		s.bodyHash, s.showing = k.Hash, k.Showing
		s.claims = m.site.claims(k.Alternates)
		c := m.compare(k, s, before)
		m.keepLinks(k, s, c)
		if s.renews(k, was, before, c.outcome) {
			m.media[k.Location] = k.Media
		}
		m.outcome(k, s, c)
		return news
	}
	if !k.Undated {
		m.date(k, s, comparison{outcome: mark.Variant, before: before})
	}
	return news
}

// compare merges what the page shows into its mark. before is when the look before was,
// 0 if there was none.
func (m *Batch) compare(k *Look, s *Page, before moment.Time) comparison {
	at := k.Moment()
	held := s.mark.Holding()
	if s.awaits(k.VarietyKey, at) {
		return comparison{outcome: mark.Variant, before: before}
	}
	after, outcome, since := s.mark.Look(k.View, at.Seconds())
	meant, taken := s.varieties.meet(k.VarietyKey, outcome)
	if taken {
		s.mark = after
	}
	if meant != outcome {
		outcome, s.mark = meant, s.mark.Still() // what it took for news is none
	}
	if outcome == mark.Held && !held {
		m.due(k.Location)
	}
	return comparison{outcome, min(moment.Seconds(since), at.Second()), before}
}

// date merges what a look showed into the page's dates.
func (m *Batch) date(k *Look, s *Page, c comparison) lastmod.Finding {
	given := lastmod.Given[moment.Time]{lastmod.Server: k.Server, lastmod.Page: k.Own}
	if k.Same {
		given[lastmod.Page] = s.dates.LastGiven(lastmod.Page)
	}
	dates, found := s.dates.Look(lastmod.Look{
		At: k.Moment(), Before: c.before, First: s.looks <= 1,
		Outcome: c.outcome, Since: c.since, Holding: s.mark.Holding(), Variety: k.VarietyKey, Given: given,
	}, m.site.Trust)
	s.dates = dates
	if !s.mark.Holding() {
		s.newLinks = nil
	}
	m.report(k.Location, found.Reports)
	return found
}

// outcome dates a change that a look has shown, and tells the estimate of it. What is
// held is told once it is certain.
func (m *Batch) outcome(k *Look, s *Page, c comparison) {
	found, at := m.date(k, s, c), k.At.Unix()
	switch c.outcome {
	case mark.Changed:
		since := found.Since.Seconds()
		if found.Sure {
			s.rate = s.rate.SawChangeAt(since, found.Exact.Seconds())
		} else {
			s.rate = s.rate.Saw(since, true)
		}
		if since != at {
			s.rate = s.rate.Saw(at, false)
		}
	case mark.Moving:
		s.rate = s.rate.Saw(at, true)
	default:
		if !s.mark.Holding() {
			s.age(m.site.Trust, at)
			s.rate = s.rate.Saw(at, false)
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
func (s *Page) age(trust lastmod.Trust, at int64) {
	last, first, long := s.rate.LastVisit(), s.firstSeen.Seconds(), int64(trial/time.Second)
	if s.dates.Changes() > 0 || s.rate.LastChange() != 0 || at-first < long || last < first || last-first >= long {
		return
	}
	c := s.dates.Candidates()
	date, by, _ := c.Decide(trust, moment.Seconds(at))
	if by != lastmod.ByGiven || date.Seconds() >= first {
		return
	}
	e := rate.Estimate{}.Saw(date.Seconds(), false)
	for range min(s.looks-1, trialLooks) {
		e = e.Saw(last, false)
	}
	s.rate = e
}

// soon is how long after a look a counter may be what has changed. What is seen once a
// week has news at each look.
const soon = 2 * day

// Soon reports whether a look comes so soon after the last one that a counter may be
// what has changed.
func (s *Page) Soon(k *look.Look) bool { return k.Moment().Sub(s.lastSeen) < soon }

// Mark returns the mark of the page.
func (s *Page) Mark() mark.Mark { return s.mark }

// Knows reports whether a look shows nothing that has not been read: the same bytes as
// the last one, whose links were followed. again says that the links are to be followed
// again all the same. A page that is not listed is read each time, as the look may be
// what lists it, unless it forbids its listing in the same bytes as before.
func (site *Site) Knows(k *look.Look, s *Page) (same, again bool) {
	if !s.witnessed || s.bodyHash != k.Hash {
		return false, false
	}
	again = s.read && site.reopens(k, s) // whatever the mark makes of the look
	switch {
	case again, s.mark.Holding(), s.varieties.untold():
		return false, again
	case s.content == admit.QueryNotCanonical && !k.OwnURL:
		return false, false // a rule allows the query by now
	case s.content == admit.NoIndex && s.until != 0 && !s.ended(k.At):
		return false, false // a clock that was ahead had ended it
	}
	return s.read || !s.Listed() && s.content != admit.None && !site.leads(s), false
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
func (s *Page) awaits(variety uint16, at moment.Time) bool {
	heldAt, held := s.dates.Held()
	passed := at.Second().Sub(heldAt.Second())
	return variety != 0 && held != 0 && held != variety && s.mark.Holding() && -day < passed && passed < day
}
