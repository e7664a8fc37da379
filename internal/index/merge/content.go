package merge

import (
	"strings"
	"time"

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
	readAt := p.ReadAt
	if p.BodyHash != u.Hash {
		p.ReadAt = 0
	}
	switch {
	case !u.Full:
		p.BodyHash = 0
	case u.foreign():
		if p.BodyHash = u.Hash; p.Foreign == 0 || p.Foreign > u.Moment() {
			p.Foreign = u.Moment().Second()
		}
		return
	default:
		if p.Foreign = 0; u.otherLanguage() {
			p.Mark, p.Language = mark.Mark{}, u.language()
		}
		if p.BodyHash = u.Hash; !u.awaitsItsPath() {
			u.shows()
		}
		p.Claims = nil
		for _, a := range u.Alternates {
			p.Claims = append(p.Claims, pagerecord.Claim{Lang: a.Lang, ID: u.site.ID(a.Location)})
		}
		c := u.compare()
		u.keepLinks(c)
		if p.Extended != u.site.Extensions {
			readAt = 0
		}
		if p.Renews(readAt, c.outcome, u.Moment()) {
			u.found[u.Location] = u.Extensions
		}
		u.estimate(c.outcome, u.date(c))
		return
	}
	u.date(comparison{outcome: mark.Variant})
}

// shows notes what the page shows.
func (u *visited) shows() {
	p := u.p
	if p.Showing != u.Showing || p.Reason == eligibility.Duplicate {
		before := p.Turned
		p.Turned = pagerecord.Turn{}
		if p.Listed() && !u.firstLook {
			p.Turned.At = u.Moment()
		}
		if before.Lately(u.Moment()) {
			p.Turned.From = before.From
		}
	}
	p.Showing = u.Showing
}

// awaitsItsPath reports whether the page still counts as a copy of the page at its path, without its query, although it
// shows something new. The page at its path probably got the same edit, but nobody has seen it since. It has a day for
// that, since a sight that finds it unchanged may reach the store an hour late. Otherwise "/list?page=1" would be
// listed after each edit until "/list" is seen, and then leave again.
func (u *visited) awaitsItsPath() bool {
	p := u.p
	path, _, queried := strings.Cut(u.Location, "?")
	if !queried || p.Reason != eligibility.Duplicate || p.Showing == u.Showing {
		return false
	}
	d := u.duplicates(p.Showing)
	first := u.rival(u.Location, d)
	if first == nil || d.Listed != path || first.Showing != p.Showing {
		return false
	}
	if p.Turned.At == 0 {
		p.Turned.At = u.Moment()
		u.due(u.Location)
		u.look(path)
		u.look(u.Location)
	}
	return first.LastSeen <= p.Turned.At && p.Turned.Lately(u.Moment())
}

// news reports whether a visitor got a text or a date by which a listed page would change, while the site can look
// itself. Then nothing of the visit is merged: the look says what the page shows to everybody, and dates it.
func (u *visited) news() bool {
	p := u.p
	switch {
	case u.decides() || !p.Listed():
		return false
	case u.foreign():
		return u.Moment().Sub(p.LastSeen) >= time.Hour || p.Mark.Holding() // the page's own text may have changed by now
	}
	given := lastmod.Given[moment.Time]{lastmod.Server: u.Server, lastmod.Page: u.Own}
	for source, date := range given {
		asked := source == int(lastmod.Server) || u.Full
		if asked && date != p.Dates.Last[source] && !u.site.Trust[source].Caught {
			return true
		}
	}
	if !u.Full {
		return false
	}
	_, outcome, _ := p.Mark.Observe(u.View, u.Moment().Seconds())
	return outcome == mark.Changed
}

// estimate feeds the rate estimate. The first look comes too soon after the first visit to say anything of the rate.
func (u *visited) estimate(o mark.Outcome, found lastmod.Finding) {
	if !u.firstLook {
		u.p.Estimate(o, found, u.At.Unix())
	}
}

// compare merges the text of the page into its mark.
func (u *visited) compare() comparison {
	p := u.p
	at := u.Moment()
	if u.firstLook {
		p.Mark = mark.Mark{} // the first visitor may have got a text of his own
	}
	u.returns()
	held := p.Mark.Holding()
	after, outcome, since := p.Mark.Observe(u.View, at.Seconds())
	p.Mark = after
	if outcome == mark.Variant || outcome == mark.Moving || outcome == mark.Held {
		p.Dates.Differ(at)
	}
	if outcome == mark.Held && !held {
		u.due(u.Location)
	}
	first := min(moment.Seconds(since), at.Second())
	if u.began != 0 && first == at.Second() {
		first = u.began.Second()
	}
	return comparison{outcome, first}
}

// returns goes back to the mark of before if the page shows its own texts again. What took their place for a while, as in
// a maintenance, says nothing of them: what was held is held on.
func (u *visited) returns() {
	p, turned := u.p, &u.p.Turned
	switch back := turned.From.Recognises(u.View); {
	case back || !turned.Lately(u.Moment()):
		if back && !p.Mark.Keeps(u.View) {
			p.Mark = turned.From.Back(p.Mark)
			p.Dates.Differ(u.Moment())
		}
		turned.From = mark.Mark{}
	case turned.From == mark.Mark{} && turned.At == u.Moment() && !p.Mark.Keeps(u.View):
		turned.From = p.Mark
	}
}

// foreign reports whether a visitor got the page in another language than its own. Then the visit changes nothing: a
// page has one text, the one that the site itself gets. Where the site never looks, it is the first visitor's, until
// for a day nobody has got that language.
func (u *visited) foreign() bool {
	p, other := u.p, u.otherLanguage()
	switch {
	case !u.Full || u.Explored || !p.Listed() || p.Mark == mark.Mark{}:
		return false
	case u.decides():
		return other && (p.Foreign == 0 || u.Moment().Sub(p.Foreign) < day)
	case other || u.Prefers == "":
		return other
	}
	_, outcome, _ := p.Mark.Observe(u.View, u.Moment().Seconds())
	return outcome > mark.Variant // otherwise it is news, or the same text in the language that the visitor prefers
}

// otherLanguage reports whether the text is in another language than the page's own. One that names no language is in no
// other one, as that of a maintenance.
func (u *visited) otherLanguage() bool {
	is := u.language()
	return is != 0 && is != u.p.Language
}

// language returns the language of the text. If the site itself looks, its own text is without preference.
func (u *visited) language() uint16 {
	if u.decides() {
		return observation.Language(u.Lang, u.Prefers)
	}
	return observation.Language(u.Lang, "")
}

// date merges the outcome of a visit into the page's dates, and what it shows about their sources.
func (u *visited) date(c comparison) lastmod.Finding {
	p := u.p
	given := lastmod.Given[moment.Time]{lastmod.Server: u.Server, lastmod.Page: u.Own}
	if u.Same {
		given[lastmod.Page] = p.Dates.Last[lastmod.Page]
	}
	dates, found := p.Dates.Observe(lastmod.Observation{
		At: u.Moment(), Before: p.Loaded.Before, First: p.Observations <= 1,
		Outcome: c.outcome, Since: c.since, Holding: p.Mark.Holding(), Given: given,
	}, u.site.Trust)
	if p.Dates = dates; c.outcome != mark.Changed && u.site.Boilerplate.Disowns(p.Mark, p.Dates.Changed.Seconds()) {
		p.Dates.Undo()
		p.Return()
	}
	if !p.Mark.Holding() {
		p.NewLinks = nil
	}
	for _, lie := range found.Lies {
		if u.site.Reputations.Concerns(lie, u.moment()) {
			u.Repute(func(rs *lastmod.Reputations) { rs.Lied(lie, u.site.ID(u.Location)|1, u.moment()) })
		}
	}
	return found
}

// Repute changes the stored reputations.
func (m *Transaction) Repute(change func(*lastmod.Reputations)) {
	key := m.site.Keys.Trust()
	before := codec.Read[lastmod.Reputations](m.Get(key))
	after := before
	if change(&after); after != before {
		m.Put(key, codec.Marshal(after))
		m.Effects.Reputes = true
	}
}

// Knows reports whether a visit need not be read: it has the same bytes as the last one,
// whose links were followed. again says that the links must be followed again anyway. A
// page that is not listed is read each time, since this visit may list it, unless the same
// bytes forbid its listing.
func (site *Site) Knows(k *observation.Observation, p *pagerecord.Page) (same, again bool) {
	if !p.Witnessed || p.BodyHash != k.Hash {
		return false, false
	}
	again = p.Read() && p.Reopens(k.Moment(), k.Explored || !site.looks(k.Location), site.KeepFor)
	_, read := site.box.Starts[k.Location]
	switch {
	case !read && site.enters(k.Location, p), p.Content == eligibility.PasswordField && site.box.May(k.Location):
		return false, false // what it has may be a box to log in
	case p.LastSeen <= site.learned:
		return false, again // it may show what the site shows where it has no page
	case again, p.Mark.Holding(), p.Foreign != 0: // the links are wanted, or the text is
		return false, again
	case p.Content == eligibility.QueryNotCanonical && !k.OwnQuery:
		return false, false // a rule may allow the query by now
	}
	return p.Read() || !p.Listed() && p.Content != eligibility.None && !site.leads(p), false
}
