package mark

import "slices"

// news is a group that is new, or missing, and watched.
type news struct {
	print uint16
	slot  uint16
	flags newsFlags
	looks uint8 // looks that have shown it again
	since int64 // the look that first showed it, in Unix seconds
}

// newsKept is how many news are watched at once.
const newsKept = 2

type newsFlags uint8

const (
	newsThere     newsFlags = 1 << iota // it is in use
	newsLink                            // it is a link
	newsProse                           // it is prose
	newsGone                            // it is missing
	newsPublished                       // it has been taken for a change
	newsBack                            // it has been there before
	newsBeside                          // it stands where the text moves by itself
)

// newsWays is how something came to be watched.
const newsWays = newsGone | newsPublished | newsBack | newsBeside

// possible reports whether anything is watched so. What is missing or back is
// prose, and of no other sort; else a watch would outlast all looks, or fail them.
func (w *news) possible() bool {
	if w.flags&newsThere == 0 || w.print>>printBits != 0 || w.slot>>slotBits != 0 {
		return false
	}
	switch way := w.flags & newsWays; w.flags &^ (newsWays | newsThere) {
	case newsProse:
		return way == 0 || way == newsGone || way == newsPublished || way == newsBack || way == newsBeside
	case newsLink:
		return way == 0 || way == newsPublished
	case 0:
		return way == 0 || way == newsPublished || way == newsBeside
	}
	return false
}

// Holding reports whether there is something that may be a change. Then another
// look helps, even if it shows the same bytes.
func (m *Mark) Holding() bool {
	for _, w := range m.news {
		if w.flags != 0 && w.flags&newsPublished == 0 {
			return true
		}
	}
	return false
}

// Holds reports whether anything is held that the look at since first showed, in
// Unix seconds.
func (m *Mark) Holds(since int64) bool {
	return slices.ContainsFunc(m.news[:], func(w news) bool {
		return w.flags != 0 && w.flags&newsPublished == 0 && w.since == since
	})
}

// Awaited returns when a look first showed what is held, in Unix seconds, and how
// many more looks have to show it before it is a change, as far as can be told
// now; 0 and 0 if nothing is held.
func (m *Mark) Awaited() (since int64, looks int) {
	for i := range m.news {
		w := &m.news[i]
		if w.flags == 0 || w.flags&newsPublished != 0 || since != 0 && w.since >= since {
			continue
		}
		since, looks = w.since, max(1, 1<<m.doubts(w)-int(w.looks))
	}
	return since, looks
}

// settle goes through what is watched, at a look whose text is another than that
// of the look before or the same. It returns since when the page shows what turns
// out to be a change, 0 if there is none.
func (m *Mark) settle(list []group, v *View, at int64, another bool) (since int64) {
	for i := range m.news {
		w := &m.news[i]
		if w.flags == 0 {
			continue
		}
		switch g := findPrint(list, w.print); {
		case w.flags&newsGone != 0:
			if g != nil || slices.Contains(v.gone, w.print) {
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
		if w.flags == 0 || w.flags&newsBeside != 0 && !another && at-w.since < movingAge {
			continue // where nothing moves, what does is not told from what stays
		}
		w.looks = min(w.looks, 254) + 1
		if int(w.looks) < 1<<m.doubts(w) {
			continue
		}
		since = max(since, w.since)
		m.certain(w, list, v)
		*w = news{}
	}
	return since
}

// certain accepts what turns out to be a change.
func (m *Mark) certain(w *news, list []group, v *View) {
	switch {
	case w.flags&newsProse == 0:
		m.moved(w.slot)
	case w.flags&newsBeside != 0:
		m.groups.set(w.print, groupStays)
		g := findPrint(list, w.print)
		g.stays, g.moving = true, false
		m.movers[prose] = max(1, m.movers[prose]) - 1
		after, _ := v.slots(g, w.print)
		m.moveAlike(after, w.slot)
	}
}

func findPrint(list []group, p uint16) *group {
	i := slices.IndexFunc(list, func(g group) bool { return g.print == p })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// doubts returns the doubts about what is held. Each doubles the number of looks
// that it needs.
func (m *Mark) doubts(w *news) int {
	n := min(m.moves(w.slot), 1)
	if w.flags&newsLink != 0 {
		n += linkDoubts
	}
	if w.flags&newsGone != 0 {
		n++
	}
	if w.flags&newsBack != 0 {
		n += backDoubts
	}
	if w.flags&newsBeside != 0 {
		n++
	}
	return n
}

// Links change by themselves, and what was there before may go again.
const (
	linkDoubts = 4
	backDoubts = 4
)

// watch watches what is new. It prefers groups without numbers: beside a counter,
// such a group is more likely to stay.
func (m *Mark) watch(list []group, flags newsFlags, at int64) {
	for _, numbers := range [...]bool{false, true} {
		for i := range list {
			if g := &list[i]; !g.known && !g.furniture && !g.moving && g.numbers == numbers {
				m.enter(newsOf(g, flags, at))
			}
		}
	}
}

func newsOf(g *group, flags newsFlags, at int64) news {
	w := news{print: g.print, slot: g.slot, flags: flags | newsThere, since: at}
	switch g.kind {
	case prose:
		w.flags |= newsProse
	case link:
		w.flags |= newsLink
	}
	if g.beside {
		w.flags |= newsBeside
	}
	return w
}

// watchGone watches what is missing.
func (m *Mark) watchGone(v *View, list []group, at int64) {
	for _, p := range m.goneHere(v, list) {
		m.enter(news{print: p, flags: newsThere | newsProse | newsGone, since: at})
	}
}

// watchBack watches prose that is back after it was missing. It may be a lasting
// variant, or a text that is taken for another one.
func (m *Mark) watchBack(list []group, at int64) (any bool) {
	for i := range list {
		if g := &list[i]; g.kind == prose && g.back && !g.furniture && !g.moving {
			m.enter(news{print: g.print, slot: g.slot, flags: newsThere | newsProse | newsBack, since: at})
			any = true
		}
	}
	return any
}

// enter keeps news where there is room, or in the place of news that says less.
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

// weight says how much watching the news may tell.
func (m *Mark) weight(w *news) int {
	switch {
	case w.flags == 0:
		return 0
	case w.flags&(newsLink|newsBeside) != 0:
		return 1
	case w.flags&(newsProse|newsBack) != newsProse:
		return 2
	}
	return 3
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
