package mark

import "slices"

// comparison is an observation of a known page.
type comparison struct {
	*Mark
	*View
	at      int64
	known   *keySet
	emptied bool     // nearly all of the text is gone, as on an error page
	left    []uint16 // keys of the watched blocks that are gone, and had not come to stay
	again   int      // blocks that the page showed before, but for facts
	churns  bool     // most of the text moves by itself
	// an article has got more links, or one to a new page; others in their place are no change: a box of related
	// pages varies
	moreLinks bool
}

const (
	replacedFrom  = 5  // blocks; a page with less is not suspicious if all of it is new
	replacedShare = 10 // percent of the blocks that the page showed before

	oftenMoves   = 3   // a place that has moved more often moves often
	ledOften     = 3   // a page whose new links led to new pages so often in a row has headlines: the next waits no day
	emptiedFrom  = 256 // letters; a page with less cannot become nearly empty
	emptiedShare = 30  // percent of the size
	smallNews    = 256 // letters; text that moves by itself is not longer
)

// A block is news of a page only if it stands on at most so many pages. In a place where most pages have a text of
// their own, the same words may be news of some more. Nothing is news in a place of the template.
const (
	pagesOfText = 2
	pagesOfBody = 4
	pagesOfItem = 8
)

// compare returns when a change was first seen, 0 if there is none.
func (c *comparison) compare() (since int64) {
	c.emptied = c.Mark.size >= emptiedFrom && 100*int(c.View.size) < emptiedShare*int(c.Mark.size)
	c.moreLinks = c.View.links > int(c.Mark.links) || c.Leads
	since = c.settle()
	if c.judge() {
		since = c.at
	}
	c.lose()
	if !c.emptied || since != 0 {
		c.Mark.size = c.View.size
	}
	return since
}

// judge watches all news, and reports whether some are a change. The text of the observation before is no change
// if it comes in other blocks, such as those of another template.
func (c *comparison) judge() (changed bool) {
	news := c.news()
	replaced := !c.list && c.known.len() >= replacedFrom && 100*c.again < replacedShare*len(c.blocks)
	doubted := !c.list && c.isDoubtful(news)
	moving := 0
	for _, n := range news {
		w, moves := n.watched, c.moves(n)
		swaps := !c.list && n.link && c.View.links <= int(c.Mark.links)
		headline := swaps && c.led == ledOften
		lasts := n.back || n.fact || n.beside || n.card != 0 && !n.link || c.emptied || !c.list && n.names(c.at) ||
			swaps && !headline
		if n.block.size <= smallNews && !headline { // it may be a line of the day where such lines come
			w.Wait = min(c.mover(w.Prev).Stay, c.mover(w.Next).Stay)
		}
		if n.back && moves && (c.movesOf(&w) > 1 || w.wait() <= settledTime) {
			continue // what stood there meanwhile had not come to stay
		}
		if lasts {
			w.Wait = max(w.Wait, lastingTime)
		}
		switch {
		case !c.isOwn(n.block), c.Mark.text == c.View.text && !n.block.beside:
		case w.Form != 0 && moves && c.known.has(w.Form): // only its numbers move
			moving += int(n.block.size)
		case lasts:
			w.Patience = patientObservations
		case replaced, // by an error page, or as the news of the hour are by the next
			headline: // which other pages may have, too
			w.Patience = 1
		case moves:
			w.Patience = patientObservations
			moving += int(n.block.size)
		case !c.list && n.link && (doubted || !c.Leads):
			w.Patience = patientObservations
		case doubted && !n.calm:
			w.Patience = max(1, c.doubt)
		default:
			changed = true
		}
		c.follow(w)
	}
	if changed {
		c.believe(uint32(c.at))
	}
	if c.Leads && slices.ContainsFunc(news, func(n newsItem) bool { return n.link }) {
		c.led = min(c.led+1, ledOften)
	}
	c.churns = 2*moving > int(c.View.size)
	return changed
}

// isDoubtful reports whether news may be a text that moves by itself. That needs few news, and that the page is not
// known well yet, or such a text has left its usual place.
func (c *comparison) isDoubtful(news []newsItem) bool {
	size, elsewhere := 0, slices.ContainsFunc(c.movers[:], func(o mover) bool { return o.N > oftenMoves })
	for _, n := range news {
		switch {
		case !c.isOwn(n.block):
		case c.moves(n):
			elsewhere = false
		default:
			size += int(n.block.size)
		}
	}
	return size <= smallNews && (c.doubt > 0 || elsewhere)
}

// newsItem is a block that is new on its page, and its place.
type newsItem struct {
	*block
	watched
}

// news returns the new blocks. It includes texts of the site: they do not count, but they show where the text moves.
func (c *comparison) news() (list []newsItem) {
	prev, open := uint16(startOfText), 0 // open: from here on the next known block is not found yet
	for _, b := range c.blocks {
		b.link = b.link || b.card != 0 && !c.known.has(b.card) // beside a new link, a price says what that says
		switch {
		case c.known.has(b.key) && !b.back:
			if !b.fact {
				c.again++
			}
			if !c.list && (b.link || c.watched(b.key) != nil) {
				break
			}
			prev = b.key
			for ; open < len(list); open++ {
				list[open].Next = ^b.key
			}
		case b.link && !c.list && !c.moreLinks:
			c.led = 0
		case c.isOwn(b) || !c.list && !b.link:
			list = append(list, newsItem{b, watched{Key: b.key, Form: b.form, Prev: prev, Next: endOfText, Since: uint32(c.at),
				Seen: 1, Hash: uint32(b.hash), Place: b.place, Wave: b.wave, Most: c.most(b)}})
		}
	}
	return list
}

// A place has two names: the key of the known block before it, and the inverted key of the known block after it. What
// came lately and links may go again, so they name no place, but on a list, where news come above news. These stand
// for no such block.
const (
	startOfText = 1
	endOfText   = 2
	lostText    = 3 // any place that only loses its text
)
