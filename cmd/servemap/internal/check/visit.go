package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/page/words"
)

// How many pages are read: the first ones always, and more if these are answered fast.
const (
	fewPages  = 20
	morePages = 60
	manyPages = 200
)

// wanted returns how many pages to read once some were, by how long each of these took.
func wanted(some []*pages.Page) int {
	var took []time.Duration
	for _, p := range some {
		took = append(took, p.Took)
	}
	slices.Sort(took)
	switch median := took[len(took)/2]; {
	case median < 150*time.Millisecond:
		return manyPages
	case median < 500*time.Millisecond:
		return morePages
	}
	return fewPages
}

// choice says how pages are chosen: by their addresses and the seed alone, not by the order of the file or the machine.
const choice = "by chance, from each section of the site in turn, after the start page and what looks private"

// folder matches what the addresses of a section share: the site, and the first folder.
var folder = regexp.MustCompile(`^\w+://[^/?]*/[^/?]+/`)

// order returns the places of all entries in the order in which to read them: the start page, which says where links
// lead, and some that look private, as that weighs most; then one by chance of each section, another one of each, and
// so on. What stands at the root is a section too.
func order(all []listing.Entry, seed uint64) (places []int) {
	self, section, round := make([]uint64, len(all)), make([]uint64, len(all)), make([]int, len(all))
	for i, e := range all {
		places, self[i] = append(places, i), xxh3.HashStringSeed(e.Loc, seed)
		section[i] = xxh3.HashStringSeed(folder.FindString(e.Loc), seed)
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(self[a], self[b]) })
	seen := map[uint64]int{}
	for _, i := range places {
		round[i] = seen[section[i]]
		seen[section[i]]++
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(round[a], round[b]), cmp.Compare(section[a], section[b]))
	})
	var first, then []int
	for few, i := pages.FewOf(all, pages.Guarded), 0; i < len(all); i++ {
		at := places[i]
		u, err := url.Parse(all[at].Loc)
		if err == nil && address.IsRoot(u) || few && len(first) < fewPages/2 && pages.Guarded(all[at].Loc) {
			first = append(first, at)
		} else {
			then = append(then, at)
		}
	}
	return append(first, then...)
}

// pages reads some of the listed pages, and judges them.
func (c *checker) pages(ctx context.Context) {
	s := &c.Sample
	s.Seed = c.Config.Seed
	if c.judge.Elsewhere != "" {
		c.Facts = append(c.Facts, "On another host, whose robots.txt names this sitemap: "+c.judge.Elsewhere+".")
	}
	if address.Host(c.Config.URL) != address.Host(c.Origin) {
		c.Facts = append(c.Facts, "The pages of "+c.Site+" were asked for at "+address.Site(c.Config.URL)+".")
	}
	may := c.allowed(c.judge.Pages)
	s.Disallowed = len(c.judge.Pages) - len(may)
	chosen := order(may, s.Seed)
	if len(c.judge.Pages) > 0 {
		c.probe(ctx, may, chosen)
	}
	c.ahead = "not read: all pages"
	var all []*pages.Page
	var met error
	for most := cmp.Or(c.Config.Pages, fewPages); met == nil && len(all) < min(most, len(chosen)); {
		var some []*pages.Page
		for _, at := range chosen[len(all):min(most, len(chosen))] {
			some = append(some, &pages.Page{Entry: may[at]})
		}
		if some, met = c.ask(ctx, some); met == nil && c.Config.Pages == 0 && len(all) == 0 {
			most = wanted(some)
		}
		if all = append(all, some...); met != nil {
			c.ahead = fmt.Sprintf("not read: %s of %s chosen pages", words.Number(min(most, len(chosen))-len(all)),
				words.Number(min(most, len(chosen))))
			c.limit(met)
		}
	}
	if s.Asked = len(all); s.Asked < len(chosen) {
		s.Choice = choice
	}
	c.conclude(ctx, all)
}

// conclude judges the pages that were read, in the order of the files.
func (c *checker) conclude(ctx context.Context, all []*pages.Page) {
	slices.SortStableFunc(all, func(a, b *pages.Page) int {
		return c.judge.Place(a.Entry.Loc) - c.judge.Place(b.Entry.Loc)
	})
	for _, p := range all {
		if p.Read {
			if !p.HTML {
				c.Sample.Files++
			}
			c.Sample.Read++
			c.judge.InPage(p.Entry, p.Versions())
		}
		if p.Wall != "" {
			c.Sample.Walled++
		}
	}
	pages.Excuse(all)
	asked := append(c.versions(ctx), all...)
	home, boxes := c.home(ctx, asked), asked
	if c.nowhere != nil {
		boxes = append(slices.Clip(asked), c.nowhere)
	}
	pages.Box(boxes, home, c.Report)
	for _, p := range asked {
		if !c.judge.Listed(p.Entry.Loc) && p.Read {
			c.judge.Names(p.Entry, p.Versions())
		}
	}
	c.judge.Languages(c.wrong(asked))
	c.private = pages.LooksPrivate(c.judge.Pages, all, c.Config.Linked == nil, c.Report)
	c.documents(all)
	pages.Compare(all, c.nowhere, c.Report, c.now)
	if c.nowhere != nil && !c.explained(all) {
		c.Add("every-address", report.At{Where: c.nowhere.Entry.Loc}, "is made up, and answered with 200 OK")
	}
	c.Of("scripts", c.Sample.Read-c.Sample.Files)
}

// explained reports whether a page says why a made-up address shows it: it is not to be indexed, or shows what pages
// show in place of their texts, as in a maintenance.
func (c *checker) explained(all []*pages.Page) bool {
	kind, _ := c.nowhere.First()
	return kind == "login" || kind == "noindex" || kind == "instead" || slices.ContainsFunc(all, func(p *pages.Page) bool {
		kind, _ := p.First()
		return kind == "instead" && p.Shows(c.nowhere)
	})
}

// documents says as what the documents are sent.
func (c *checker) documents(all []*pages.Page) {
	var types []string
	for _, p := range all {
		if p.Read && !p.HTML && !p.Told() && !c.private[address.KeyOf(p.Entry.Loc)] {
			types = append(types, cmp.Or(p.Header.Get("Content-Type"), "none"))
		}
	}
	if slices.Sort(types); len(types) > 0 {
		names := report.Shorten(strings.Join(slices.Compact(types), ", "))
		c.Facts = append(c.Facts, "The documents have the Content-Type "+names+".")
	}
}

// home returns the start page, or where that leads. It asks for it only if one of the pages that were asked for has a
// field to log in, and is nil if it may not. One that says little and is all that is listed is a log-in, and no page
// with a box.
func (c *checker) home(ctx context.Context, asked []*pages.Page) (p *pages.Page) {
	if !slices.ContainsFunc(asked, (*pages.Page).Asks) || len(asked) == 1 && asked[0].Brief() {
		return nil
	}
	for u, hops := on(c.Origin, "/"), 0; u != nil && hops < mostHops; u, hops = p.Leads, hops+1 {
		at := slices.IndexFunc(asked, func(p *pages.Page) bool { return address.KeyOf(p.Entry.Loc) == address.Key(u) })
		switch {
		case at >= 0:
			p = asked[at]
		case address.Host(u) != address.Host(c.Origin) || !c.may(u):
			return p
		default:
			a, err := c.get(ctx, u, pages.MaxBytes)
			p = &pages.Page{Entry: listing.Entry{Loc: u.String()}, Answer: a.Answer}
			p.Err = err
			pages.Judge(p, c.now)
		}
		if p.Asks() {
			break
		}
	}
	return p
}

// versions asks for some pages in other languages that are not listed.
func (c *checker) versions(ctx context.Context) (some []*pages.Page) {
	all := c.allowed(c.judge.Unlisted())
	for _, e := range all[:min(len(all), fewPages)] {
		some = append(some, &pages.Page{Entry: e})
	}
	some, met := c.ask(ctx, some)
	if met != nil {
		c.limit(met)
	}
	return some
}

// wrong returns the first fault of each page, by the page's key: "" if the page was read and has none, or is listed:
// then it is told of the page, and links to it are right once that is mended.
func (c *checker) wrong(asked []*pages.Page) map[string]string {
	wrong := map[string]string{}
	for _, p := range asked {
		kind, says := p.First()
		if p.Read && c.judge.Listed(p.Entry.Loc) {
			says = ""
		}
		if report.IsFault(kind) || p.Read {
			wrong[address.KeyOf(p.Entry.Loc)] = says
		}
	}
	return wrong
}

// ask asks for pages, as many at once as the site bears. It returns those that it could ask for, and the bound that was
// met.
func (c *checker) ask(ctx context.Context, some []*pages.Page) (asked []*pages.Page, met error) {
	for left := some; len(left) > 0; {
		left = c.askAtOnce(ctx, left)
	}
	if c.load.Over() {
		for _, s := range c.load.strained {
			c.Add("load", s.At, "%s", s.Text)
		}
		c.load.strained = nil
	}
	for _, p := range some {
		if errors.As(p.Err, new(errBound)) {
			met = p.Err
		} else {
			asked = append(asked, p)
		}
	}
	return asked, met
}

// askAtOnce asks for pages until one fails beside others. What failed is asked for again, alone, unless the site
// answers no page, not even alone: then it is not the load. It returns the pages that were not asked for.
func (c *checker) askAtOnce(ctx context.Context, some []*pages.Page) (left []*pages.Page) {
	atOnce, failed := min(c.load.Bears(mostAtOnce), len(some)), atomic.Bool{}
	asked, strains := make([]bool, len(some)), make([]bool, len(some))
	together(atOnce, len(some), func(i int) {
		if !failed.Load() {
			asked[i] = true
			strains[i] = c.askFor(ctx, some[i], atOnce == 1)
			failed.CompareAndSwap(false, atOnce > 1 && !c.load.down && strains[i])
		}
	})
	if slices.ContainsFunc(some, func(p *pages.Page) bool { return p.Status != 0 && !strained(p) }) {
		c.load.up, c.load.down = true, false
	}
	for i, p := range some {
		switch {
		case !asked[i]:
			left = append(left, p)
		case atOnce > 1 && !c.load.down && strains[i]:
			where, with := " where it leads", ""
			if strained(p) {
				where = ""
				if p.Status > 0 {
					with = ", with " + pages.Status(p.Status)
				}
			}
			*p = pages.Page{Entry: p.Entry}
			if c.askFor(ctx, p, true) {
				c.load.down = !c.load.up
			} else if p.Err == nil {
				c.load.up = true
				c.load.Answered(atOnce)
				c.load.strained = append(c.load.strained, report.Finding{At: p.Entry.At(),
					Text: fmt.Sprintf("failed%s under %d requests at once%s", where, atOnce, with)})
			}
		}
	}
	return left
}

// load is what the site bears, and the pages that showed it and are not told yet.
type load struct {
	explore.Load
	strained []report.Finding
	up, down bool // it answered a page; it answered none, not even one alone
}

// strained reports whether a page failed as it does where the site bears no more: by an error of the server, or by none
// that came in time.
func strained(p *pages.Page) bool {
	if slow := net.Error(nil); p.Err != nil {
		return !errors.As(p.Err, new(errBound)) && !(errors.As(p.Err, &slow) && slow.Timeout())
	}
	return p.Status >= http.StatusInternalServerError && p.Wall == ""
}

// askFor asks for a page, alone or beside others, and judges what came. It reports whether the page strains the site,
// or where it leads does.
func (c *checker) askFor(ctx context.Context, p *pages.Page, alone bool) (strains bool) {
	u, _ := url.Parse(p.Entry.Loc) // it was checked
	a, err := c.get(ctx, u, pages.MaxBytes)
	if a.Err = err; err != nil {
		a.Took = patience
	}
	p.Answer = a.Answer
	if pages.Judge(p, c.now); p.Leads != nil {
		var end pages.End
		end, strains = c.end(ctx, u, p.Leads, alone)
		p.Ends(end)
	}
	return strains || strained(p)
}

// end follows where a page leads, as far as that stays on the site and robots.txt allows it. strains says that it
// failed there, beside others unless it is asked for alone.
func (c *checker) end(ctx context.Context, from, to *url.URL, alone bool) (end pages.End, strains bool) {
	seen := map[string]bool{address.Key(from): true}
	for range mostHops {
		switch {
		case seen[address.Key(to)]:
			return pages.End{Loops: true}, strains
		case address.Host(to) != address.Host(c.Origin) || !c.may(to):
			here := address.Host(to) == address.Host(c.Origin)
			return pages.End{URL: to.String(), Barred: here && !c.robots.Allows(to.RequestURI())}, strains
		}
		seen[address.Key(to)] = true
		h := c.hop(ctx, to, alone)
		strains = strains || h.strains && (alone || !h.alone)
		if h.next != nil {
			to = h.next
			continue
		}
		if h.page.Err != nil {
			return pages.End{}, strains
		}
		return pages.End{URL: to.String(), Page: h.page, Listed: c.judge.Place(to.String()) >= 0}, strains
	}
	return pages.End{Long: true}, strains
}

// hop is what came where other pages lead.
type hop struct {
	sync.Once
	next    *url.URL    // where it leads on, nil for nowhere
	page    *pages.Page // nil if it leads on
	alone   bool        // it was asked for alone
	strains bool        // it failed as where the site bears no more
}

// hop asks once for where other pages lead, and once more alone if it failed beside others.
func (c *checker) hop(ctx context.Context, to *url.URL, alone bool) *hop {
	known, _ := c.ends.LoadOrStore(address.Key(to), &hop{alone: alone})
	h := known.(*hop)
	if alone && h.strains && !h.alone {
		h = &hop{alone: true}
		c.ends.Store(address.Key(to), h)
	}
	h.Do(func() {
		a, err := c.get(ctx, to, pages.MaxBytes)
		if err == nil {
			h.next = a.leads()
		}
		if h.next == nil {
			a.Err = err
			h.page = &pages.Page{Entry: listing.Entry{Loc: to.String()}, Answer: a.Answer}
			pages.Judge(h.page, c.now)
			h.page.Links() // nobody needs them
			h.strains = strained(h.page)
		}
	})
	return h
}

// may reports whether robots.txt lets the checker, and all crawlers, ask for a page.
func (c *checker) may(u *url.URL) bool {
	return c.robots.Allows(u.RequestURI()) && c.ours.Allows(u.RequestURI())
}

// allowed returns those of some entries that the checker may ask for.
func (c *checker) allowed(all []listing.Entry) (may []listing.Entry) {
	for _, e := range all {
		if u, err := url.Parse(e.Loc); err == nil && c.may(u) {
			may = append(may, e)
		}
	}
	return may
}

// probe asks for made-up addresses, one at the root and one in a folder that is listed. What the site shows at the root
// is what it shows where it has no page.
func (c *checker) probe(ctx context.Context, may []listing.Entry, chosen []int) {
	folders := []string{address.Site(c.Origin) + "/"}
	if i := slices.IndexFunc(chosen, func(at int) bool { return folder.MatchString(may[at].Loc) }); i >= 0 {
		folders = append(folders, folder.FindString(may[chosen[i]].Loc))
	}
	for i, in := range folders {
		p, to := c.askNowhere(ctx, in)
		if i == 0 && to == nil {
			c.nowhere = p
		}
		if to == nil || p.Asks() { // a log-in stands before all
			continue
		}
		if home, err := c.follow(ctx, on(c.Origin, "/"), 0); err == nil && address.Key(home.url) == address.Key(to) {
			c.Add("nowhere-home", report.At{Where: p.Entry.Loc}, "is made up, and leads to the start page, %s", to.String())
			return
		}
	}
}

// askNowhere returns what a site shows at a made-up address in a folder, nil if it answers there as it should, and
// where that is if it redirects. The address is the same one for the same seed, so that reports agree.
func (c *checker) askNowhere(ctx context.Context, folder string) (p *pages.Page, to *url.URL) {
	u, err := url.Parse(fmt.Sprintf("%sno-page-%x", folder, xxh3.HashStringSeed(folder, c.Config.Seed)))
	if err != nil || !c.may(u) {
		return nil, nil
	}
	a, err := c.follow(ctx, u, pages.MaxBytes)
	p = &pages.Page{Entry: listing.Entry{Loc: u.String()}}
	p.Answer, p.Err = a.Answer, err
	switch pages.Judge(p, c.now); {
	case !p.Read:
		return nil, nil
	case address.Key(a.url) != address.Key(u):
		return p, a.url
	}
	return p, nil
}
