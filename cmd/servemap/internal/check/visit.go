package check

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/cmd/servemap/internal/check/sample"
	"github.com/servemap/servemap/internal/page/sitemap"
)

// How many pages are read: the first ones always, and more if these are answered fast.
const (
	fewPages  = 20
	morePages = 60
	manyPages = 200
)

// maxPage is how much of a page is read.
const maxPage = 4 << 20

// wanted returns how many pages to read once some were, by how long each of these took.
func wanted(took []time.Duration) int {
	slices.Sort(took)
	switch median := took[len(took)/2]; {
	case median < 150*time.Millisecond:
		return manyPages
	case median < 500*time.Millisecond:
		return morePages
	}
	return fewPages
}

// pages reads some of the listed pages, and judges them.
func (c *checker) pages(ctx context.Context) {
	s := &c.Sample
	s.Listed, s.Elsewhere, s.Unfit = len(c.judge.Pages)+c.judge.Other+c.judge.Unfit, c.judge.Other, c.judge.Unfit
	s.Seed = c.Config.Seed
	c.repeated()
	if c.judge.Elsewhere != "" {
		c.Facts = append(c.Facts, "On another host, whose robots.txt names this sitemap: "+c.judge.Elsewhere+".")
	}
	if address.Host(c.server) != address.Host(c.origin) {
		c.Facts = append(c.Facts, "The pages of "+c.Site+" were asked for at "+c.server.Scheme+"://"+c.server.Host+".")
	}
	var may []listing.Entry
	var addresses []string
	for _, e := range c.judge.Pages {
		if u, err := url.Parse(e.Loc); err == nil && c.may(u) {
			may, addresses = append(may, e), append(addresses, e.Loc)
		} else {
			s.Disallowed++
		}
	}
	order := sample.Order(addresses, s.Seed)
	nowhere := c.nowhere(ctx)
	var all []*pages.Page
	var met error
	for most := cmp.Or(c.Config.Pages, fewPages); met == nil && len(all) < min(most, len(order)); {
		var some []*pages.Page
		for _, at := range order[len(all):min(most, len(order))] {
			some = append(some, &pages.Page{Entry: may[at]})
		}
		var took []time.Duration
		if took, met = c.ask(ctx, some); met != nil {
			c.limit(met)
			some = slices.DeleteFunc(some, func(p *pages.Page) bool { return errors.As(p.Err, new(errBound)) })
		} else if c.Config.Pages == 0 && len(all) == 0 {
			most = wanted(took)
		}
		all = append(all, some...)
	}
	if s.Asked = len(all); s.Asked < len(order) {
		s.Choice = sample.Choice
	}
	c.conclude(all, nowhere)
}

// repeated says why files may have more entries than there are pages.
func (c *checker) repeated() {
	entries := 0
	for _, f := range c.Files {
		if f.Form != sitemap.Index {
			entries += f.Entries
		}
	}
	if again := entries - c.Sample.Listed; again > 0 && !c.judge.Full {
		c.Facts = append(c.Facts, fmt.Sprintf("The files have %s entries for %s; duplicates: %s.",
			report.Number(entries), report.Count(c.Sample.Listed, "page"), report.Number(again)))
	}
}

// conclude judges the pages that were read, in the order of the files.
func (c *checker) conclude(all []*pages.Page, nowhere *pages.Page) {
	slices.SortStableFunc(all, func(a, b *pages.Page) int {
		return c.judge.Place(a.Entry.Loc) - c.judge.Place(
			b.Entry.Loc)
	})
	var read []listing.Read
	for _, p := range all {
		if p.Read {
			c.Sample.Read++
			read = append(read, listing.Read{Entry: p.Entry, Links: p.Versions()})
		}
		if p.Wall != "" {
			c.Sample.Walled++
		}
		c.told[address.KeyOf(p.Entry.Loc)] = p.Told()
	}
	c.judge.InPages(read)
	pages.Compare(all, nowhere, c.Report, c.now)
}

// ask asks for pages, some at once. It returns how long each took, and the bound that was met.
func (c *checker) ask(ctx context.Context, some []*pages.Page) (took []time.Duration, met error) {
	took = make([]time.Duration, len(some))
	together(len(some), func(i int) {
		u, err := url.Parse(some[i].Entry.Loc)
		var a answer
		if err == nil {
			a, err = c.get(ctx, u, maxPage)
		}
		if took[i] = a.took; err != nil {
			took[i] = patience
		} else if a.leads() != nil {
			some[i].End = c.end(ctx, u, a)
		}
		some[i].Answer = pages.Answer{Status: a.status, Header: a.header, Body: a.body, Err: err}
		pages.Judge(some[i], c.now)
	})
	for _, p := range some {
		if errors.As(p.Err, new(errBound)) {
			met = p.Err
		}
	}
	return took, met
}

// end follows the redirects of a page, as far as they stay on the site and robots.txt allows it.
func (c *checker) end(ctx context.Context, first *url.URL, a answer) (end pages.End) {
	for range mostHops {
		to := a.leads()
		switch {
		case to == nil:
			return pages.End{URL: a.url.String(), Status: a.status, Listed: a.url != first && c.judge.Place(a.url.String()) >= 0}
		case address.Host(to) != address.Host(c.origin) || !c.may(to):
			return pages.End{URL: to.String()}
		}
		var err error
		if a, err = c.get(ctx, to, 0); err != nil {
			return pages.End{}
		}
	}
	return pages.End{Loops: true}
}

// may reports whether robots.txt lets the checker, and all crawlers, ask for a page.
func (c *checker) may(u *url.URL) bool {
	return c.robots.Allows(u.RequestURI()) && c.ours.Allows(u.RequestURI())
}

// nowhere returns what the site shows where it has no page, nil if it answers there as it should.
func (c *checker) nowhere(ctx context.Context) *pages.Page {
	if len(c.judge.Pages) == 0 {
		return nil
	}
	u := on(c.origin, "/no-page-"+rand.Text())
	if !c.ours.Allows(u.Path) {
		return nil
	}
	a, err := c.get(ctx, u, maxPage)
	if err != nil || a.status != http.StatusOK {
		return nil
	}
	return pages.Nowhere(pages.Answer{Status: a.status, Header: a.header, Body: a.body})
}

// beside compares what is listed with what servemap saw, and with what the site links to.
func (c *checker) beside(ctx context.Context) error {
	if n := 0; c.Config.Seen != nil {
		for _, e := range c.judge.Pages {
			if s, is := c.Config.Seen[address.KeyOf(e.Loc)]; is && pages.Observed(e, s, c.Report) {
				n++
			}
		}
		c.Facts = append(c.Facts, "The dates of "+report.Count(n, "page")+" were compared with what servemap observed; "+
			"that takes more than a day of observation.")
	}
	if c.Config.Linked == nil {
		return nil
	}
	linked, err := c.Config.Linked(ctx, c.Site)
	if err != nil {
		return fmt.Errorf("the crawl was not made: %w", err)
	}
	c.compareLinks(linked)
	return nil
}

// compareLinks compares the listed pages with those that links lead to, both ways. A crawl leaves out most addresses
// with a query, whoever links to them, so these are never said to be linked nowhere. Nor is what should not be listed.
// Where the crawl could list nothing, nothing is compared.
func (c *checker) compareLinks(found Crawl) {
	if found.Why != "" {
		c.Facts = append(c.Facts, found.Why)
		return
	}
	led, missing := map[string]bool{}, 0
	for _, u := range found.Led {
		led[address.KeyOf(u)] = true
	}
	for _, u := range found.Public {
		if led[address.KeyOf(u)] = true; c.judge.Place(u) < 0 {
			missing++
			is := "linked"
			if at, err := url.Parse(u); err == nil && address.IsRoot(at) { // which is public without a link
				is = "the start page"
			}
			c.Add("missing", report.At{Where: u}, "is %s, and not listed", is)
		}
	}
	for _, l := range found.Broken {
		others := ""
		if len(l.From) > 1 {
			others = "; other pages link there too"
		}
		c.Add("broken-link", report.At{Where: l.From[0]}, "links to %s, which %s%s", l.To, l.Says, others)
	}
	text := fmt.Sprintf("A crawl found %s; not listed: %s.", report.Count(len(found.Public), "public page"), none(missing))
	if !found.Whole {
		c.Facts = append(c.Facts, text+" It did not come to its end, so which listed pages are linked nowhere is not known.")
		return
	}
	orphans := 0
	for _, e := range c.judge.Pages {
		u, err := url.Parse(e.Loc)
		if err != nil || led[address.Key(u)] || c.told[address.Key(u)] || u.RawQuery != "" ||
			!c.robots.Allows(u.RequestURI()) {
			continue
		}
		orphans++
		c.Add("orphan", e.At(), "is listed, and no link leads there")
	}
	c.Facts = append(c.Facts, fmt.Sprintf("%s Listed, and linked nowhere: %s.", text, none(orphans)))
}

// none writes a number.
func none(n int) string {
	if n == 0 {
		return "none"
	}
	return report.Number(n)
}
