// Package mark has the fingerprint of a page's content. It tells a change of the content from everything else that
// makes two responses differ. It takes views of a page and says of each whether it shows a change. A [Mark] is the
// bounded memory of one page. A [Site] is the memory of all pages together. The package must never read a clock or a
// store.
//
// A page is read as blocks of text (view.go, text.go). A block that the page never showed before is news, and news are
// a change (compare.go). The mark holds news for later observations if the text in that place moves by itself, if they
// may be of the moment, or if it hardly knows the page yet (watch.go). A text that is only lost is a change once it has
// been gone for a day. What other pages show too (site.go), or what a deploy wrote on many (wave.go), is no news.
package mark

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
)

// Outcome is what an observation of a page's main text showed.
type Outcome uint8

// The outcomes.
const (
	First   Outcome = iota // the first observation: there is nothing to compare with
	Same                   // the text of the observation before
	Variant                // another text without a change: one shown before, boilerplate, noise
	Held                   // perhaps a change: another observation will tell
	Moving                 // another text again: the page differs at every observation
	Changed                // a change
)

// Mark remembers what a page showed. The zero value has seen nothing. A Mark is a plain value and can be compared.
type Mark struct {
	began  bool   // it has seen something
	doubt  uint8  // for so many quiet observations small news are held, until as many observations showed them
	led    uint8  // how often in a row new links led to new pages, at most ledOften; others in their place end that
	links  uint16 // blocks that were links at the last observation
	prices uint16 // sum of the keys of the prices of the last observation, as in a View
	text   uint32 // hash of the text of the last observation
	size   uint32 // of the main text, at the last observation that was not nearly empty
	own    keys   // of the texts of the last observation that were the page's own
	others keys   // of all other texts that it showed
	places keys   // where it showed texts, and how lines began there
	watch  [watchKept]watched
	movers [moversKept]mover
}

// firstDoubt is the doubt of a new page, which may move by itself.
const firstDoubt = 5

// A text of up to emptySize letters hardly counts: the page was not there yet, or scripts fill it. The next text with
// more than fullSize letters only teaches the mark, if the page is not known well. Later it is a stub that got its
// text.
const (
	emptySize = 128
	fullSize  = 1024
)

// Observe compares a view, at a time in Unix seconds, with the mark and returns the mark after this observation. If
// there was a change, since is the time of the observation that first showed it, perhaps an earlier one.
func (m Mark) Observe(v *View, at int64) (after Mark, o Outcome, since int64) {
	at = min(max(at, 1), 1<<32-1) // a clock that is far off must not stay in the mark
	o = Variant
	switch {
	case !m.began:
		o, m.doubt = First, firstDoubt
	case m.text == v.text:
		o = Same
	}
	known := m.known()
	v.announces = v.Leads && (v.links > int(m.links) || !v.prose) // an article has a box for what is new elsewhere
	if o == First || m.doubt > 0 && m.size <= emptySize && v.size > fullSize {
		m.began, m.size = true, v.size
		m.adopt(v, known)
		return m, o, 0
	}
	c := comparison{Mark: &m, View: v, at: at, known: known}
	since = c.compare()
	m.adopt(v, known)
	switch {
	case since != 0:
		o = Changed
	case c.churns:
		o = Moving
	case o != Same && m.Holding():
		o = Held
	}
	return m, o, since
}

// Still returns the mark after an observation that showed the same bytes as the observation before, while the mark
// holds nothing.
func (m Mark) Still(at int64) Mark {
	for i := range m.watch {
		if w := &m.watch[i]; w.Seen > 0 {
			w.again(at)
		}
	}
	m.closeGaps()
	m.doubt -= min(m.doubt, 1)
	return m
}

// Holding reports whether the mark holds something.
func (m Mark) Holding() bool {
	return slices.ContainsFunc(m.watch[:], func(w watched) bool { return w.Patience > 0 })
}

// Holds reports whether the mark holds something that the observation at time since first showed.
func (m Mark) Holds(since int64) bool {
	return slices.ContainsFunc(m.watch[:], func(w watched) bool { return w.Patience > 0 && int64(w.Since) == since })
}

// Awaited describes the held news or loss that will be a change first. What was first shown at after or before does not
// count: the page's date is after, and never goes back. now is the time. All times are in Unix seconds. since is the
// observation that first showed the news or loss. more is how many observations must agree before it is a change, as
// far as is known now. The last of them must come after until, which is 0 if only their number counts. All are 0 if
// nothing is held.
func (m Mark) Awaited(after, now int64) (since int64, more int, until int64) {
	var soonest int64
	for i := range m.watch {
		w := &m.watch[i]
		if w.Patience == 0 || int64(w.Since) <= after {
			continue
		}
		n, end := max(1, int(w.Patience)+1-int(w.Seen)), int64(0)
		if w.gone() && m.doubt > 0 {
			n = max(n, int(m.doubt)+1)
		}
		if w.Wait > 0 {
			end = int64(w.Since) + w.wait()
		}
		// if one observation decides several, the latest that first showed one is the date
		if at := max(end, now+int64(n)*stayUnit); since == 0 || at < soonest || at == soonest && int64(w.Since) > since {
			since, more, until, soonest = int64(w.Since), n, end, at
		}
	}
	return since, more, until
}

// Shares reports whether a view shows something new that some other pages show too, or a new link. It is news if the
// page links to a page that nobody knew.
func (m Mark) Shares(v *View) bool {
	known := m.known()
	return slices.ContainsFunc(v.blocks, func(b *block) bool {
		return !known.has(b.key) && !b.beside && (b.link || b.on > b.most && b.on <= pagesOfItem)
	})
}

// News returns the texts of a page that the mark does not remember or still holds, and how many texts of the last
// observation the page lacks. A mark that has seen nothing has nothing to compare with.
func (m Mark) News(f *html.Facts) (news []string, gone int) {
	if !m.began {
		return nil, 0
	}
	v, known, r := Read(f, 0), m.known(), reading{}
	same := m.text == v.text // it may stand in other blocks
	r.read(slices.Concat(f.Blocks, f.Beside), func(b block, text string) {
		w := m.watched(b.key)
		held := w != nil && w.Patience > 0 && !w.gone()
		if held || !known.has(b.key) && !b.swept && (!same || b.beside) {
			news = append(news, strings.TrimSpace(text))
		}
	})
	if !same {
		missing, _ := m.missing(&v)
		gone = len(missing)
	}
	return news, gone
}

// Keeps reports whether a view still shows half of the page's own texts of the last observation. The page may have
// none, as one has whose texts stand on others too.
func (m Mark) Keeps(v *View) bool {
	gone, of := m.missing(v)
	return 2*len(gone) <= of
}

// Back returns the mark of a page that shows again what it showed before other texts took its place for a while. These
// are known from now on.
func (m Mark) Back(from Mark) Mark {
	own := m.own.set()
	if others := m.others.set().union(from.known()); others.len() <= knownKept {
		for i := range others {
			others[i] &^= own[i]
		}
		m.others = others.pack()
	}
	return m
}

// Recognises reports whether a page has texts of its own, and a view still shows half of them.
func (m Mark) Recognises(v *View) bool { return m.own.set().len() > 0 && m.Keeps(v) }

// Resembles reports whether two pages each show half of the other one's own texts.
func (m Mark) Resembles(other Mark) bool {
	a, b := m.own.set(), other.own.set()
	n := max(a.len(), b.len())
	return n > 0 && 2*(a.len()+b.len()-a.union(b).len()) >= n
}
