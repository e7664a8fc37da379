package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
)

// shownHops is how many redirects in a row are followed to say where they end.
const shownHops = 10

// table has what a crawl left out, each address once, with its cause.
type table struct {
	got   map[string]*answered
	from  func(to string) (some []string, n int)
	asked map[string]bool   // the addresses that it has, with their parameters sorted
	told  map[string]bool   // addresses
	long  []string          // pages that are too large
	dead  map[string]string // addresses without a page, and a page that names each
	rows  []leftOut
}

// add adds a row, or what it has to the row that says the same.
func (t *table) add(l leftOut) {
	for i := range t.rows {
		if r := &t.rows[i]; r.like(l) {
			r.n, r.some = r.n+l.n, append(r.some, l.some...)
			return
		}
	}
	if l.n > 0 {
		t.rows = append(t.rows, l)
	}
}

// like reports whether two rows say the same.
func (l leftOut) like(o leftOut) bool {
	return l.cause == o.cause && l.more == o.more && l.todo == o.todo && l.why == o.why
}

var (
	// unseen are the reasons of linked pages that nobody got.
	unseen = []eligibility.Reason{eligibility.NoPage, eligibility.NotSeen, eligibility.LinkFile}
	// unasked are the causes for which exploring does not ask for a page. It counts them, and names few.
	unasked = []eligibility.Reason{eligibility.LinkLeft, eligibility.AddressQuery, eligibility.LinkActs,
		eligibility.LinkEndless, eligibility.LinkFile}
)

// leave notes what a crawl left out: pages that are known and not listed, by reason, and beside them what else links
// and the site's sitemaps name. The rows of pages add up to what the inspector counts, without the broken links. named
// has pages by their reason.
func (c *closing) leave(done servemap.Exploration, groups []inspect.Group, named map[string][]inspect.Link) {
	for _, some := range done.Links { // which came as the site answered
		slices.Sort(some)
	}
	t := &table{got: c.got, from: c.from, asked: map[string]bool{}, told: map[string]bool{},
		long: done.Links[eligibility.LinkLarge.String()], dead: done.Dead}
	for u := range c.got {
		t.asked[location.Sorted(u)] = true
	}
	apart := slices.Concat(c.broken, c.exposed)
	for _, l := range apart {
		t.told[l.URL] = true
	}
	query, tried := eligibility.AddressQuery.String(), eligibility.QueryNotCanonical.String()
	rest := 0 // pages that nobody got, and that are not told yet
	for _, g := range unbroken(groups, named, apart) {
		if g.Reason == query { // exploring asked for some of them
			named[query] = append(named[tried], named[query]...)
		}
		switch l := groupOf(g, named[g.Reason]); {
		case g.Care == messages.Fine, g.Reason == tried && g.AsLinks:
		case slices.Contains(unseen, messages.ReasonNamed(g.Reason).Reason):
			rest += g.Pages - t.answered(named[g.Reason])
		default:
			if g.Reason == query || g.Reason == tried { // it names the parameters
				l.todo = messages.QueryRemedy(done.Params)
			}
			for _, u := range done.Links[g.Reason] { // more than the inspector names at once
				if len(l.some) < l.n && !slices.Contains(l.some, u) {
					l.some = append(l.some, u)
				}
			}
			for _, u := range l.some {
				t.told[u] = true
			}
			t.add(l)
		}
	}
	for _, u := range c.entries { // which no page needs to link to
		if a := t.got[u]; a != nil && (a.Status == 0 || a.Status >= http.StatusBadRequest) {
			t.answered([]inspect.Link{{URL: u}})
		}
	}
	// Visitors found what is listed, wherever they begin. Where nothing is, the last message says what was answered
	// there.
	c.hints = slices.DeleteFunc(c.hints, func(hint string) bool { return messages.NoPageYet.In([]string{hint}) })
	c.left, c.beside = t.links(done, max(0, rest))
	if c.listed == 0 && len(wallsOf(c.got)) > 0 {
		c.hints = nil // the wall is why
	}
}

// links tells of the links that an exploration did not follow, as far as no row tells of them yet: first of the rest of
// the pages, then of what is besides. So each row is about what is not told in another.
func (t *table) links(done servemap.Exploration, rest int) (left, besides []leftOut) {
	told := map[string]int{}
	for u := range t.told {
		if t.failed(u) { // it was counted as a link that failed
			told[eligibility.LinkFailed.String()]++
		}
	}
	for _, r := range t.rows {
		told[r.cause] += r.n
	}
	told[eligibility.AddressQuery.String()] += told[eligibility.QueryNotCanonical.String()] // some were tried
	all := done.LeftOut()
	for i := range all {
		l, known := &all[i], 0
		for _, u := range done.Links[l.Cause] { // which another cause may have told, as files that were asked for
			if t.told[u] && l.Cause != eligibility.LinkStale.String() {
				known++
			}
		}
		l.Count = max(0, l.Count-max(known, told[l.Cause]))
		if slices.Contains(unasked, messages.ReasonNamed(l.Cause).Reason) {
			if rest > 0 { // a cause is told in one row, also if not all of these are pages that are known
				t.link(*l, l.Count, done)
				l.Count, rest = 0, max(0, rest-l.Count)
			}
		}
	}
	t.add(leftOut{n: rest, why: words.Form("{address is|addresses are} not named here, as {it looks like a secret|they look like "+
		"secrets}, or {was|were} not asked for", rest), todo: "What is for the public should have an address without a secret."})
	left, t.rows = t.rows, nil
	var others []inspect.Link
	for _, l := range wallsOf(t.got) {
		if !slices.Contains([]string{".txt", ".xml", ".gz"}, path.Ext(l.URL)) { // a sitemap is told as one
			others = append(others, l)
		}
	}
	for _, u := range done.Links[eligibility.LinkFile.String()] {
		others = append(others, inspect.Link{URL: u})
	}
	t.answered(others)
	for _, l := range all {
		switch messages.ReasonNamed(l.Cause).Reason {
		case eligibility.LinkHeld, eligibility.LinkElsewhere, eligibility.LinkFile: // these are told as pages, or as answers
		default:
			t.link(l, l.Count, done)
		}
	}
	known := &table{rows: filesOnce(left)}
	for _, l := range filesOnce(t.rows) {
		if l.cause == eligibility.RuleNever.String() && slices.ContainsFunc(known.rows, l.like) { // one word of the owner's
			known.add(l)
		} else {
			besides = append(besides, l)
		}
	}
	return known.rows, besides
}

// filesOnce tells of files in one row, whether the crawl asked for them or knows them by others of their kind.
func filesOnce(rows []leftOut) []leftOut {
	t := &table{}
	for _, l := range rows {
		if l.cause == eligibility.LinkFile.String() {
			l.cause, l.todo = eligibility.LinkNoHTML.String(), ""
		}
		t.add(l)
	}
	return t.rows
}

// brokenOf adds to the broken links of listed pages those of others that the crawl read, such as one that says noindex,
// and links to what says that it is no page, or redirects without end. Nothing is known to be broken where a bot
// wall answered, nor where all links have a session in their path: the crawl asked without it.
func brokenOf(
	listed []inspect.Link, done servemap.Exploration, got map[string]*answered, site *heard,
) (all []inspect.Link) {
	dead, t := maps.Clone(done.Dead), &table{got: got}
	all = slices.Clone(listed)
	for u, n := range got {
		_, _, loops := t.end(n)
		if some, _ := site.from(u); (loops || n.denies()) && len(some) > 0 && site.rule(u) != eligibility.Always {
			all = append(all, inspect.Link{URL: u, From: some, Status: n.Status})
		}
	}
	for _, l := range all {
		delete(dead, l.URL)
	}
	for u, from := range dead {
		l := inspect.Link{URL: u, From: []string{from}}
		if got[u] != nil {
			l.Status = got[u].Status
		}
		all = append(all, l)
	}
	all = slices.DeleteFunc(all, func(l inspect.Link) bool {
		return got[l.URL] != nil && got[l.URL].Wall != "" || site.cut(l.URL)
	})
	slices.SortStableFunc(all, func(a, b inspect.Link) int { return strings.Compare(a.URL, b.URL) })
	return slices.CompactFunc(all, func(a, b inspect.Link) bool { return a.URL == b.URL })
}

// failed reports whether an address gave no answer, or one that asks to come again.
func (t *table) failed(u string) bool { return t.got[u] != nil && explore.Repeats(t.got[u].Status) }

// unbroken returns the groups of pages that are not listed, without the broken links: those have a part of their own.
func unbroken(groups []inspect.Group, named map[string][]inspect.Link, broken []inspect.Link) (rest []inspect.Group) {
	is, of := map[string]bool{}, map[string]int{}
	for _, l := range broken {
		is[l.URL] = true
		of[l.Reason]++
	}
	for _, g := range groups {
		named[g.Reason] = slices.DeleteFunc(named[g.Reason], func(l inspect.Link) bool { return is[l.URL] })
		if g.Pages -= of[g.Reason]; g.Pages > 0 {
			rest = append(rest, g)
		}
	}
	return rest
}

// orphansOf tells of the listed pages that no page links to, apart of those that may be for few by their names.
func orphansOf(alone []string) (rows []leftOut) {
	t := &table{}
	for _, u := range alone {
		todo := "Link to {it|them}, so that visitors find {it|them} too."
		if _, why := pages.Hidden(u, false); why != "" {
			todo = "By {its name it|their names they} may not be for everybody, and {it answers|they answer} anybody. If so, " +
				"take {it|them} out of that sitemap, and ask for a password there; -never keeps {it|them} out of this one."
		}
		t.add(leftOut{n: 1, cause: eligibility.BySitemap.String(), todo: todo, some: []string{u}})
	}
	for i := range t.rows {
		r := &t.rows[i]
		r.todo, r.some = words.Form(r.todo, r.n), r.some[:min(len(r.some), mostNamed)]
	}
	return t.rows
}

// bySitemap returns the listed pages that no page links to as engines follow it.
func bySitemap(ctx context.Context, c *control.Client) (all []string, err error) {
	for asked := (url.Values{"reason": {eligibility.BySitemap.String()}}); ; {
		some, err := control.Get[struct {
			Pages []inspect.Link
			Next  string
		}](ctx, c, "/inspect/pages.json", asked)
		if err != nil {
			return nil, err
		}
		for _, p := range some.Pages {
			all = append(all, p.URL)
		}
		if some.Next == "" {
			return all, nil
		}
		asked.Set("after", some.Next)
	}
}

// answered tells of the addresses that gave the crawl no page, by what they answered, and returns how many these are.
func (t *table) answered(links []inspect.Link) (n int) {
	for _, l := range links {
		if line := t.outcome(l); len(line.some) > 0 && !t.told[l.URL] {
			t.add(line)
			t.told[l.URL] = true
			n++
		}
	}
	return n
}

// causes have, by the kind of what check finds in an answer, why it gave the crawl no page.
var causes = map[string]eligibility.Reason{
	"wall": eligibility.LinkWalled, "denied": eligibility.LinkRefused, "login": eligibility.LinkLogin,
	"redirect": eligibility.LinkRedirects, "stub": eligibility.LinkRedirects, "error": eligibility.LinkError,
	"coding": eligibility.LinkError,
	"busy":   eligibility.LinkFailed, "no-answer": eligibility.LinkFailed, "": eligibility.LinkNoHTML,
	"no-page": eligibility.LinkNoHTML,
}

// outcome returns what an address answered with in place of a page. It names none that was not asked for in any order
// of its parameters.
func (t *table) outcome(l inspect.Link) leftOut {
	a := t.got[l.URL]
	switch {
	case a != nil:
	case l.Status == 0 && t.asked[location.Sorted(l.URL)]:
		return leftOut{n: 1, why: "with the parameters of an address that was asked for, in another order",
			todo: "Nothing needs to be done.", some: []string{l.URL}}
	case l.Status == 0:
		return leftOut{}
	case l.Status == http.StatusOK:
		a = &answered{}
	default: // an earlier crawl got it
		a = judged(l.URL, l.To, pages.Answer{Status: l.Status, Header: http.Header{"Location": {l.To}}})
	}
	kind, says := a.First()
	line, address := leftOut{n: 1, cause: cmp.Or(causes[kind], eligibility.LinkNotGot).String()}, l.URL
	to, there, loops := t.end(a)
	if loops {
		address += " → " + a.to + ", in a loop"
	} else if to != "" {
		address += " → " + to
	}
	switch {
	case kind == "redirect" && there != nil && there.Status >= http.StatusBadRequest && there.Wall == "":
		kind, _ = there.First()
		line.cause = cmp.Or(causes[kind], eligibility.LinkError).String()
		line.more = fmt.Sprintf(" (%d)", there.Status)
	case slices.Contains(t.long, l.URL):
		line.cause = eligibility.LinkLarge.String()
	case kind == "wall":
		line.more = fmt.Sprintf(" (%s, %d)", a.Wall, a.Status)
	case kind == "redirect" && a.to != "" && hostOf(a.to) != hostOf(l.URL):
		line.cause = eligibility.LinkOffSite.String()
	case a.Status == http.StatusOK && kind != "", kind == "no-answer":
		address += " " + says
	case kind != "" && kind != "login":
		line.more = fmt.Sprintf(" (%d)", a.Status)
	}
	if kind == "redirect" && len(l.From) == 0 && l.Verdict != "" {
		line.todo = "No link leads here, so nothing needs to be done about that."
	}
	if kind == "redirect" && t.from != nil {
		if some, n := t.from(l.URL); n > 0 {
			address += ", linked from " + check.Linking(some, n, false)
		}
	} else if from := t.dead[l.URL]; from != "" { // as canonical, or in another language: else it is a broken link
		address += ", which is named by " + from
	}
	line.some = []string{address}
	return line
}

// end returns where an answer redirects in the end, as far as the crawl came, and what was answered there. loops says
// that it never ends.
func (t *table) end(a *answered) (to string, there *answered, loops bool) {
	seen := map[string]bool{}
	for hops := 0; a != nil && a.to != "" && hops < shownHops; hops++ {
		if seen[a.Entry.Loc] = true; seen[a.to] {
			return to, a, true
		}
		to, a = a.to, t.got[a.to]
	}
	return to, a, false
}

// hostOf returns the host of a URL.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// link tells of so many links that an exploration left out for one cause.
func (t *table) link(l servemap.LeftOut, n int, done servemap.Exploration) {
	line := leftOut{n: n, cause: l.Cause}
	some := done.Links[l.Cause]
	switch messages.ReasonNamed(l.Cause).Reason {
	case eligibility.AddressQuery:
		line.todo = l.Remedy // it names the parameters
	case eligibility.LinkActs:
		some = slices.Concat(done.Acting, some) // one of each shape first
	case eligibility.AddressHost: // a crawl has no -hosts
		line.todo = "A sitemap is for one host. If this one is yours too, crawl it as well."
	}
	for _, u := range some {
		switch {
		case t.told[u] && l.Cause == eligibility.LinkStale.String(): // as a broken link, or as refused
			line.n--
		case u != "" && !t.told[u] && len(line.some) < line.n:
			t.told[u] = true
			says := u + " " + t.got[u].says()
			if to, there, _ := t.end(t.got[u]); l.Cause == eligibility.LinkStale.String() && to != "" {
				says = u + " → " + to + " " + there.says()
			}
			line.some = append(line.some, strings.TrimSpace(says))
		}
	}
	t.add(line)
}

// groupOf returns what there is to say of the pages of a reason.
func groupOf(g inspect.Group, named []inspect.Link) leftOut {
	l := leftOut{n: max(g.Pages, len(named)), cause: g.Reason}
	for _, p := range named {
		l.some = append(l.some, p.URL)
	}
	return l
}
