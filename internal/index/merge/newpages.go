package merge

import (
	"slices"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// News says whether new links on a page are news of the site.
type News uint8

// The kinds of news.
const (
	NoNews    News = iota // they may have been there before
	maybeNews             // they are if the held text turns out to be a change
	sureNews
)

// newsOf compares the record of a page before and after the visit. If the page had not
// been read before, its links may be old.
func newsOf(v *observation.Observation, after *pagerecord.Page) News {
	switch {
	case !v.Before.Read():
		return NoNews
	case after.Dates.Count > v.Before.Dates.Count && after.Dates.Changed == v.Moment().Second():
		return sureNews
	case after.Mark.Holds(v.At.Unix()):
		return maybeNews
	}
	return NoNews
}

// linksLookedUp is of how many links leadsOn reads the records at most. Each has two keys; a transaction takes 1,000.
const linksLookedUp = 256

// leadsOn reports whether the page links to a page that is new since the page was read before: nobody linked to it, or
// nobody got it. It looks at the links that were not merged lately; if the page shows what others show too, at the
// first links of the main text, where what is new mostly stands.
func (u *visited) leadsOn() (leads bool) {
	links, before := u.site.Fresh(u.Observation), u.p.LastSeen.Second()
	if u.p.Mark.Shares(u.View) {
		links = append(links, u.Links...)
	}
	left := linksLookedUp
	for _, ln := range links {
		if !ln.Main {
			continue
		}
		if left--; left < 0 {
			break
		}
		to, _ := u.Load(ln.Location) // even if leads is known: the transaction then asks for all records in one run
		leads = leads || to.FirstSeen > before || !to.Public() && (!to.Led() || to.LinkAt > before)
	}
	return leads
}

// announce notes what a visitor's page links to for the first time. If the site itself gets these links too, the pages
// that they lead to are as old as this visit, also if the visitor opens them before.
func (u *visited) announce() {
	if !u.p.Read() {
		return
	}
	var unheard []string
	left := linksLookedUp
	for _, ln := range u.site.Fresh(u.Observation) {
		if !ln.Main || capability.Looks(ln.Location) || u.Echo.Repeats(ln.Location) {
			continue
		}
		if left--; left < 0 || len(unheard) == pagerecord.NewLinksKept {
			break
		}
		if _, known := u.Load(ln.Location); !known {
			unheard = append(unheard, ln.Location)
		}
	}
	u.await(unheard, u.Moment().Second())
}

// await notes unknown locations that the page links to since a visit that may be a change.
func (g page) await(unheard []string, since moment.Time) {
	if !g.p.Loaded.Known {
		return
	}
	for _, location := range unheard {
		n := pagerecord.NewLink{Since: since, To: g.site.ID(location)}
		awaited := slices.ContainsFunc(g.p.NewLinks, func(o pagerecord.NewLink) bool { return o.To == n.To })
		if !awaited && len(g.p.NewLinks) < pagerecord.NewLinksKept {
			g.p.NewLinks = append(g.p.NewLinks, n)
		}
	}
	g.Save(g.p)
}

// keepLinks drops the awaited links that the visit no longer shows. The others lead to new
// pages if the change is confirmed.
func (u *visited) keepLinks(c comparison) {
	p := u.p
	if len(p.NewLinks) == 0 {
		return
	}
	shown := make(map[uint64]string, len(u.Links))
	for _, ln := range u.Links {
		if ln.Main {
			shown[u.site.ID(ln.Location)] = ln.Location
		}
	}
	p.NewLinks = slices.DeleteFunc(p.NewLinks, func(n pagerecord.NewLink) bool {
		location, there := shown[n.To]
		since := n.Since == c.since || c.since == u.Moment().Second() && n.Since > p.Loaded.Before
		isNew := since && c.outcome == mark.Changed
		if !there || !isNew {
			return !there
		}
		if to, known := u.Load(location); known && to.BecomesNew(n.Since, u.Moment().Second(), u.site.Trust) {
			u.Save(to)
		}
		return true
	})
}
