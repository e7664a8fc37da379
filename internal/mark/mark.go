// Package mark tells a change of a page's content from everything else that
// makes two responses differ. A [Mark] is the small, bounded memory that one
// page needs for it, a [Site] that of all pages together.
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
	Moving                 // another text once more: the page is another one at every look
	Changed                // a change
)

// Mark remembers what a page showed: the fingerprints of its last main texts
// and of the groups of blocks in them, where on it the text moves by itself,
// and what may be a change. The zero value has seen nothing. A Mark is a plain
// value and can be compared.
type Mark struct {
	n     uint8
	texts [memory]uint32 // the latest first

	learned bool // the rest is there; not so in a mark of version 1
	levels  levels
	size    uint16 // of the main text, see sizeClass
	home    uint16 // see View.home
	lang    uint8  // see View.lang
	quiet   uint8  // looks since the slots calmed down
	oddDay  uint16 // the day since which the page has been next to empty or in another language, 0 if it is not
	groups  set
	slots   [slotsKept]slot
	news    [newsKept]news
}

const (
	memory    = 4 // a text that comes back among the last four is a variant
	slotsKept = 8
	slotBits  = 12
	maxMoves  = 15
	newsKept  = 2
)

// slot is a place in the page, as its kin of blocks after a known block, where
// the text moved by itself so many times.
type slot struct {
	at    uint16
	moves uint8
}

// news is a group that is new, or gone, and watched.
type news struct {
	print uint16
	slot  uint16
	flags newsFlags
	looks uint8 // that have shown it again
	since int64 // when the look was that first showed it, in Unix seconds
}

type newsFlags uint8

const (
	newsThere     newsFlags = 1 << iota // it is in use
	newsLink                            // it is a link
	newsProse                           // it is prose
	newsGone                            // it is missing
	newsPublished                       // it has been taken for a change already
)

// Holding reports whether there is something that may be a change, so that
// another look is of use even if it shows the same bytes.
func (m *Mark) Holding() bool {
	for _, w := range m.news {
		if w.flags != 0 && w.flags&newsPublished == 0 {
			return true
		}
	}
	return false
}

// Agrees reports whether both marks have seen the same text last.
func (m Mark) Agrees(other Mark) bool {
	return m.n > 0 && other.n > 0 && m.texts[0] == other.texts[0]
}

// Look compares a view, at a time in Unix seconds, with the mark and returns
// the mark after this look. If there was a change, since is the time of the look
// that first showed it, which may be an earlier one.
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
	at = min(max(at, 0), 1<<32-1) // a clock that is far off must not be kept so
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

// remember puts the view's text first among the last ones, and returns where it
// was, -1 if it was none of them.
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
	if since = m.settle(list, v, at); since != 0 {
		o = Changed
	}
	if place < 0 || v.data != 0 && !m.groups.has(printOf(v.data)) {
		switch verdict := m.consider(v, list, at); {
		case verdict == Changed:
			o, since = Changed, at
		case o != Changed && verdict != Variant:
			o = verdict
		}
	}
	m.adopt(v, list, m.levels)
	return m, o, since
}

// consider says what is to be made of another text than the last ones, and
// watches what that depends on.
func (m *Mark) consider(v *View, list []group, at int64) Outcome {
	verdict := m.weigh(v, list)
	switch verdict {
	case Changed:
		m.news = [newsKept]news{}
		m.watch(list, newsPublished, at)
		return Changed
	case Held:
		m.watch(list, 0, at)
	}
	if m.missed(v, list) {
		m.watchGone(list, at)
		return Held
	}
	return verdict
}

// calm halves what is known of moving slots now and then.
func (m *Mark) calm() {
	if m.quiet++; m.quiet < calmLooks {
		return
	}
	m.quiet = 0
	for i := range m.slots {
		if m.slots[i].moves /= 2; m.slots[i].moves == 0 {
			m.slots[i] = slot{}
		}
	}
}

const calmLooks = 32

// moves returns how often a slot moved.
func (m *Mark) moves(at uint16) int {
	for _, s := range m.slots {
		if s.moves > 0 && s.at == at {
			return int(s.moves)
		}
	}
	return 0
}

// moved notes that a slot moved.
func (m *Mark) moved(at uint16) {
	least := 0
	for i := range m.slots {
		if s := &m.slots[i]; s.moves > 0 && s.at == at {
			s.moves = min(s.moves+1, maxMoves)
			return
		}
		if m.slots[i].moves < m.slots[least].moves {
			least = i
		}
	}
	m.slots[least] = slot{at, 1}
}

// find says which groups are known, all of the text's if it is one of the last,
// and gives each other its slot. What is found where the text moves by itself is
// kept from being taken for what stays.
func (m *Mark) find(v *View, list []group, all bool) {
	var anchor uint16
	for i := range list {
		g := &list[i]
		var st state
		st, g.known = m.groups.get(g.print)
		g.known = g.known || all && g.place != dataPlace
		if !g.known {
			g.slot = v.slot(g, anchor)
			continue
		}
		g.back = st >= groupFlaps
		g.moving = st == groupPlain && g.kind == prose && m.moves(v.slot(g, anchor)) >= movingSlot
		if st <= groupStays && !g.moving {
			anchor = g.print
		}
	}
}

// settle goes through what is watched. It returns since when the page shows what
// turns out to be a change, 0 if nothing does.
func (m *Mark) settle(list []group, v *View, at int64) (since int64) {
	for i := range m.news {
		w := &m.news[i]
		if w.flags == 0 {
			continue
		}
		switch g := findPrint(list, w.print); {
		case w.flags&newsGone != 0:
			if g != nil || v.gone {
				*w = news{}
			}
		case g == nil:
			if w.flags&newsPublished == 0 || at-w.since < movingAge {
				m.moved(w.slot)
			}
			m.groups.set(w.print, groupFlaps)
			*w = news{}
		case w.flags&newsPublished != 0, g.furniture:
			*w = news{}
		}
		if w.flags == 0 {
			continue
		}
		w.looks = min(w.looks+1, 255)
		if int(w.looks) < 1<<m.doubts(w) {
			continue
		}
		since = max(since, w.since)
		if w.flags&newsProse == 0 {
			m.moved(w.slot)
		}
		*w = news{}
	}
	return since
}

func findPrint(list []group, p uint16) *group {
	i := slices.IndexFunc(list, func(g group) bool { return g.print == p })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// doubts returns the doubts about what is held; each doubles the looks that it
// has to stand.
func (m *Mark) doubts(w *news) int {
	n := min(m.moves(w.slot), 1)
	if w.flags&newsLink != 0 {
		n += linkDoubts
	}
	if w.flags&newsGone != 0 {
		n++
	}
	return n
}

const linkDoubts = 4

// weigh says what the unknown groups amount to.
func (m *Mark) weigh(v *View, list []group) Outcome {
	size, moving := 0, 0
	sure, any := false, false
	for i := range list {
		g := &list[i]
		if g.known || g.furniture {
			continue
		}
		if m.moves(g.slot) >= movingSlot {
			m.moved(g.slot)
			g.moving = true
			moving += int(g.size)
			continue
		}
		any = true
		size += int(g.size)
		if g.kind != link && !g.doubtful && !(g.edge && m.inserted(list)) {
			sure = true
		}
	}
	switch {
	case 2*moving > v.size:
		return Moving
	case !any, !v.has(m.home) && size*templateShare < v.size:
		return Variant
	case sure:
		return Changed
	}
	return Held
}

// movingSlot is how often a slot moved when what moves there is no news.
const movingSlot = 2

// movingAge is how soon, in seconds, the next text must follow what was taken
// for a change to make that a move.
const movingAge = 2 * daySeconds

// templateShare: where the text has moved to another place in the page, its
// template has changed, and less than this part of the text is no news.
const templateShare = 8

// inserted reports whether what is new took the place of nothing.
func (m *Mark) inserted(list []group) bool { return len(m.goneOf(list)) == 0 }

// watch watches what is new.
func (m *Mark) watch(list []group, flags newsFlags, at int64) {
	for i := range list {
		g := &list[i]
		if g.known || g.furniture || g.moving {
			continue
		}
		w := news{print: g.print, slot: g.slot, flags: flags | newsThere, since: at}
		switch g.kind {
		case prose:
			w.flags |= newsProse
		case link:
			w.flags |= newsLink
		}
		m.enter(w)
	}
}

// watchGone watches what is missing.
func (m *Mark) watchGone(list []group, at int64) {
	for _, p := range m.goneOf(list) {
		m.enter(news{print: p, flags: newsThere | newsProse | newsGone, since: at})
	}
}

// enter keeps news where there is room, or less to say.
func (m *Mark) enter(w news) {
	least := 0
	for i := range m.news {
		if m.weight(&m.news[i]) < m.weight(&m.news[least]) {
			least = i
		}
	}
	if m.weight(&m.news[least]) < m.weight(&w) {
		m.news[least] = w
	}
}

// weight says how much watching something may tell.
func (m *Mark) weight(w *news) int {
	switch {
	case w.flags == 0:
		return 0
	case w.flags&newsLink != 0:
		return 1
	case w.flags&newsProse == 0:
		return 2
	}
	return 3
}

// missed reports whether prose is missing, more than has taken its place.
func (m *Mark) missed(v *View, list []group) bool {
	fresh := 0
	for i := range list {
		if g := &list[i]; g.kind == prose && (g.back || !g.known && !g.moving && !g.furniture) {
			fresh++
		}
	}
	return !v.gone && v.has(m.home) && len(m.goneOf(list)) > fresh
}

// goneOf returns the prose that stays and is not in the list.
func (m *Mark) goneOf(list []group) (gone []uint16) {
	for i := range m.groups.n {
		e := m.groups.list[i]
		if e.state() == groupStays && !slices.ContainsFunc(list, func(g group) bool { return g.print == e.print() }) {
			gone = append(gone, e.print())
		}
	}
	return gone
}

// missing is goneOf for a site that is consulted.
func (m *Mark) missing(v *View) []uint16 {
	if !m.learned || m.odd(v) {
		return nil
	}
	return m.goneOf(v.groups(m.levels))
}

// heldGone returns what is watched because it is missing.
func (m *Mark) heldGone() (prints []uint16) {
	for _, w := range m.news {
		if w.flags&newsGone != 0 {
			prints = append(prints, w.print)
		}
	}
	return prints
}

// freshen says which of the blocks are new on the page, and whether the
// structured data are.
func (m *Mark) freshen(v *View) (data bool) {
	if !m.learned || m.odd(v) {
		return false
	}
	list := v.groups(m.levels)
	all := slices.Contains(m.texts[:m.n], textOf(v.hash))
	for i := range v.blocks {
		if b := &v.blocks[i]; b.kind < kinds {
			b.fresh = !all && !m.groups.has(list[b.group].print)
		}
	}
	return v.data != 0 && !m.groups.has(printOf(v.data))
}

// coarse reports whether the groups are longer than a page needs that has become
// shorter.
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
	if m.quiet%adoptMoving == 0 {
		keepMoving(list)
	}
	m.groups.update(list, !m.learned, m.quiet)
	m.learned = true
	m.size, m.home, m.lang = sizeClass(v.size), v.home, v.lang
}
