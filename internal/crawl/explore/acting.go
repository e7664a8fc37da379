package explore

import (
	"context"
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
	kinds   map[string]*kind
	waiting []*item
}

// kind is what stands below things of one kind.
type kind struct {
	Only   map[string]string // word: the one thing that has it, "" if several have
	Things bool              // there are others than dates
}

// hold keeps an item if its location is below one of many things.
func (c *controls) hold(it *item) bool {
	b, is := action.Split(it.Location)
	if !is {
		return false
	}
	k := c.kinds[b.Kind]
	if k == nil {
		k = &kind{Only: map[string]string{}}
		c.kinds[b.Kind] = k
	}
	k.Things = k.Things || !b.Dated
	if thing, known := k.Only[b.Word]; !known {
		k.Only[b.Word] = b.Thing
	} else if thing != b.Thing {
		k.Only[b.Word] = ""
	}
	c.waiting = append(c.waiting, it)
	return true
}

// release returns the items that turned out to be pages: those after a date; those of a
// word that visited says an anonymous visitor got below another thing; and titles.
func (c *controls) release(visited func(b action.Below) bool) (pages []*item) {
	titles := map[string]bool{}
	for name, k := range c.kinds {
		titles[name] = k.titles()
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(it *item) bool {
		b, _ := action.Split(it.Location)
		k := c.kinds[b.Kind]
		page := !k.Things || k.Only[b.Word] != "" && (b.Weak || titles[b.Kind]) || visited(b)
		if page {
			pages = append(pages, it)
		}
		return page
	})
	return pages
}

// titledThings is how many things with a word of their own show that such words are titles.
const titledThings = 5

// titles reports whether words below things of a kind are titles if only one thing has them.
func (k *kind) titles() bool {
	things := map[string]bool{}
	for _, thing := range k.Only {
		if thing != "" {
			things[thing] = true
		}
	}
	return len(things) >= titledThings
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
		return // the next exploration goes on
	}
	for _, it := range e.frontier.controls.waiting {
		e.acts(it.Location)
	}
	e.frontier.controls.waiting = nil
	if e.frontier.endless > 0 {
		e.report.Skipped["endless"] += e.frontier.endless
	}
}
