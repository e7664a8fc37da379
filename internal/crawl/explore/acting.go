package explore

import (
	"context"
	"maps"
	"slices"

	"github.com/servemap/servemap/internal/decide/action"
)

// MayAct reports whether a request for a location may change something. Exploring then does
// not request it, unless a rule lists it.
func MayAct(location string) bool {
	_, is := action.Word(location)
	return is || action.Machine(location)
}

// Waits reports whether exploring leaves a location to visitors: it may act, or be a
// control of one of many things.
func Waits(location string) bool {
	_, below := action.Split(location)
	return below || MayAct(location)
}

// controls holds the locations below one of many things, such as /items/5/hide, until
// nothing else is left to request. By then most of the site's links are known, and show
// whether a word below a thing is a control or a title.
type controls struct {
	kinds   map[string]map[string]string // by what stands below things of a kind: the one thing that has it, "" if several have
	waiting []*item
}

// hold keeps an item if its location is below one of many things.
func (c *controls) hold(it *item) bool {
	b, is := action.Split(it.Location)
	if !is {
		return false
	}
	k := c.kinds[b.Kind]
	if k == nil {
		k = map[string]string{}
		c.kinds[b.Kind] = k
	}
	if thing, known := k[b.Word]; !known {
		k[b.Word] = b.Thing
	} else if thing != b.Thing {
		k[b.Word] = ""
	}
	c.waiting = append(c.waiting, it)
	return true
}

// titledThings is how many things with a word of their own show that such words are titles.
const titledThings = 5

// release returns the items that turned out to be pages: titles, which only one thing has, and those
// of a word that visited says an anonymous visitor got below another thing.
func (c *controls) release(visited func(b action.Below) bool) (pages []*item) {
	titled := map[string]int{}
	for name, k := range c.kinds {
		things := slices.Sorted(maps.Values(k))
		titled[name] = len(slices.DeleteFunc(slices.Compact(things), func(thing string) bool { return thing == "" }))
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(it *item) bool {
		b, _ := action.Split(it.Location)
		page := c.kinds[b.Kind][b.Word] != "" && (b.Named || titled[b.Kind] >= titledThings) || visited(b)
		if page {
			pages = append(pages, it)
		}
		return page
	})
	return pages
}

// visited returns a function that reports whether an anonymous visitor got a page of a shape:
// then one is listed. It reads the listed pages once.
func (e *explorer) visited(ctx context.Context) func(action.Below) bool {
	var shapes map[string]bool
	return func(b action.Below) bool {
		if shapes == nil {
			shapes = map[string]bool{}
			for page, err := range e.Site.Pages(ctx) {
				if below, is := action.Split(page.Location); is && err == nil && !page.Alone {
					shapes[below.Kind+below.Word] = true
				}
			}
		}
		return shapes[b.Kind+b.Word]
	}
}

// end notes what is left when nothing can be requested.
func (e *explorer) end() {
	if e.frontier.asked >= e.frontier.most {
		return // they are counted as waiting
	}
	for _, it := range e.frontier.controls.waiting {
		e.acts(it.Location)
	}
	e.frontier.controls.waiting = nil
	if e.frontier.endless > 0 {
		e.report.Skipped["endless"] += e.frontier.endless
	}
}
