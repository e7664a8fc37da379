// Package mark tells a change of a page's content from everything else that
// makes two responses differ. It takes views of a page and says of each whether
// it shows a change. A [Mark] is the small, bounded memory of one page, a [Site]
// that of all pages together. It must never read a clock or a store.
package mark

import "slices"

// Outcome is what a look at a page's main text showed.
type Outcome uint8

// The outcomes.
const (
	First   Outcome = iota // the first look: there is nothing to compare with
	Same                   // the text of the look before
	Variant                // another text that is no change: one shown before, furniture, noise
	Held                   // perhaps a change: another look will tell
	Moving                 // another text again: the page differs at every look
	Changed                // a change
)

// Mark remembers what a page showed: the fingerprints of its last main texts
// and of the groups of blocks in them, where on it the text moves by itself,
// and what may be a change. The zero value has seen nothing. A Mark is a plain
// value and can be compared.
type Mark struct {
	n     uint8
	texts [memory]uint32 // the latest first

	learned   bool // the rest is filled in; false in a mark of version 1
	levels    levels
	size      uint16 // of the main text, see sizeClass
	home      uint16 // see View.home
	lang      uint8  // see View.lang
	flaps     uint8  // pieces of prose that come and go, and were there
	quiet     uint8  // looks since the slots calmed down
	furniture uint8  // blocks that did not count as text, see Ignored
	oddDay    oddDay // since when the page has been nearly empty or in another language, 0 if it is not
	groups    set
	slots     [slotsKept]slot
	movers    movers // the most of them lately
	news      [newsKept]news
}

// memory is how many texts are remembered: one that comes back is a variant.
const memory = 4

// Agrees reports whether both marks have seen the same text last.
func (m Mark) Agrees(other Mark) bool {
	return m.n > 0 && other.n > 0 && m.texts[0] == other.texts[0]
}

// Look compares a view, at a time in Unix seconds, with the mark and returns the
// mark after this look. If there was a change, since is the time of the look
// that first showed it, perhaps an earlier one.
func (m Mark) Look(v *View, at int64) (after Mark, o Outcome, since int64) {
	if m.n == 0 {
		m.remember(v)
		lv := v.fitting()
		m.adopt(v, v.groups(lv), lv)
		return m, First, 0
	}
	if m.learned && m.odd(v) && m.lookAtOdd(at) {
		return m, Variant, 0
	}
	m.oddDay = 0
	at = min(max(at, 0), 1<<32-1) // a clock that is far off must not stay in the mark
	place := m.remember(v)
	if !m.learned {
		lv := v.fitting()
		m.adopt(v, v.groups(lv), lv)
		if place < 0 {
			return m, Changed, at
		}
		return m, variantOrSame(place), 0
	}
	return m.compare(v, at, place)
}

func textOf(hash uint64) uint32 { return uint32(hash >> 32) }

// Still returns the mark after a look that showed the same bytes as the one
// before it, while nothing is held.
func (m Mark) Still() Mark {
	if !m.Holding() {
		m.calm()
		m.news = [newsKept]news{}
	}
	return m
}

func variantOrSame(place int) Outcome {
	if place == 0 {
		return Same
	}
	return Variant
}

// remember puts the view's text first among the last ones, and returns its place
// before, -1 if it had none.
func (m *Mark) remember(v *View) int {
	text := textOf(v.hash)
	i := slices.Index(m.texts[:m.n], text)
	last := i
	if i < 0 {
		m.n = min(m.n+1, memory)
		last = int(m.n) - 1
	}
	copy(m.texts[1:last+1], m.texts[:last])
	m.texts[0] = text
	return i
}

// compare is Look for a page that is known.
func (m Mark) compare(v *View, at int64, place int) (after Mark, o Outcome, since int64) {
	m.calm()
	list := v.groups(m.levels)
	m.find(v, list, place >= 0)
	o = variantOrSame(place)
	slots := m.movingSlots()
	if since = m.settle(list, v, at, place != 0); since != 0 {
		o = Changed
	}
	if place < 0 || v.data != 0 && !m.groups.has(printOf(v.data)) {
		switch verdict := m.consider(v, list, at, m.movingSlots() > slots); {
		case verdict == Changed:
			o, since = Changed, at
		case o != Changed && verdict != Variant:
			o = verdict
		}
	}
	m.adopt(v, list, m.levels)
	return m, o, since
}

// consider judges a text that is none of the last ones, and updates what that
// judgement depends on. learn says that a slot has only begun to move.
func (m *Mark) consider(v *View, list []group, at int64, learn bool) Outcome {
	verdict := m.weigh(v, list)
	if more := m.joined(list, learn); verdict != Changed && m.suspect(v, list, more) {
		verdict = Held
	}
	switch verdict {
	case Changed:
		m.news = [newsKept]news{}
		m.watch(list, newsPublished, at)
		return Changed
	case Held:
		m.watch(list, 0, at)
	}
	if m.missed(v, list) {
		m.watchGone(v, list, at)
		return Held
	}
	if m.watchBack(list, at) && verdict == Variant {
		return Held
	}
	return verdict
}

// coarse reports whether the groups are longer than needed, because the page has
// become shorter.
func (m *Mark) coarse(v *View, list []group) bool {
	if !m.learned || len(list) > setSize/2 || max(m.levels[prose], m.levels[brief], m.levels[link]) < 2 {
		return false
	}
	lv := v.fitting()
	for k := range lv {
		if m.levels[k] > lv[k]+1 {
			return true
		}
	}
	return false
}

// adoptMoving: at each of so many looks, what stands where the text moves is
// known too, so that a slot calms down when its text has come to stay.
const adoptMoving = 4

func keepMoving(list []group) {
	for i := range list {
		list[i].moving = list[i].moving && list[i].known
	}
}

// adopt makes what the view shows known.
func (m *Mark) adopt(v *View, list []group, lv levels) {
	if !m.Holding() && (len(list) > setSize || m.coarse(v, list)) {
		lv = v.fitting()
		list = v.groups(lv)
		m.groups, m.learned = set{}, false
		m.news = [newsKept]news{}
	}
	m.levels = lv
	m.flaps = uint8(min(comeAndGo(list), maxFlaps))
	if m.quiet%adoptMoving == 0 {
		keepMoving(list)
	}
	m.groups.update(list, !m.learned, m.quiet)
	m.learned = true
	m.size, m.home, m.lang, m.furniture = sizeClass(v.size), v.home, v.lang, v.leftOut()
}
