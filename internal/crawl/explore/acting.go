package explore

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// mayAct reports whether a request for a location may change something, as far as no rule says that it is a page.
func (c *Config) mayAct(location string) bool {
	rule, _ := c.Rules.Match(location)
	return rule.Listing != eligibility.Always && action.Acts(location)
}

// controls holds the items below one of many things, such as /items/5/hide, until nothing else is left to
// request. By then most links are known, and show whether a word below a thing is a control or a title.
type controls struct {
	things  map[string]map[string]string // by kind and word: the one thing that has it, "" if several have
	got     map[string]bool              // kinds and words of which an anonymous visitor got one
	waiting []*item
}

// visited notes what is below a thing and listed: an anonymous visitor got it. It is called before the first request,
// so that the only control of its kind, which exploring asks for, does not speak for the next ones.
func (e *explorer) visited(ctx context.Context) {
	for p, err := range e.Indexer.Pages(ctx) {
		if b, is := action.Split(p.Location); is && err == nil && !alone(&p) {
			e.frontier.controls.got[b.Kind+"/"+b.Word] = true
		}
	}
}

// hold keeps an item if its location is below one of many things.
func (c *controls) hold(it *item) bool {
	b, is := action.Split(it.Location)
	if !is {
		return false
	}
	if c.things[b.Kind] == nil {
		c.things[b.Kind] = map[string]string{}
	}
	if thing, known := c.things[b.Kind][b.Word]; known && thing != b.Thing {
		b.Thing = ""
	}
	c.things[b.Kind][b.Word] = b.Thing
	c.waiting = append(c.waiting, it)
	return true
}

// titledThings is how many things with a word of their own show that such words are titles.
const titledThings = 5

// release returns the items that are pages: titles, which only one thing has, and words that a visitor got.
func (c *controls) release() (pages []*item) {
	titled := map[string]int{}
	for kind, words := range c.things {
		things := slices.Compact(slices.Sorted(maps.Values(words)))
		titled[kind] = len(slices.DeleteFunc(things, func(thing string) bool { return thing == "" }))
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(it *item) bool {
		b, _ := action.Split(it.Location)
		page := c.things[b.Kind][b.Word] != "" && (b.Named || titled[b.Kind] >= titledThings) || c.got[b.Kind+"/"+b.Word]
		if page {
			pages = append(pages, it)
		}
		return page
	})
	return pages
}

// acts notes a link that may act. Of links of one shape it names one. Those of queries are told
// last, since few of them are pages.
func (e *explorer) acts(loc string) {
	link := e.url(loc)
	if loc == "" || !e.once(link) {
		return
	}
	shape := digits.ReplaceAllString(loc, "#")
	if b, is := action.Split(loc); is {
		shape = b.Kind + "/" + b.Word
	}
	if e.once(shape) {
		all := append(e.report.Acting, link)
		slices.SortStableFunc(all, func(a, b string) int { return strings.Count(a, "?") - strings.Count(b, "?") })
		e.report.Acting = all[:min(len(all), actingTold)]
	}
	e.leave(eligibility.LinkActs, 1, link)
}
