package mark

// Site remembers which texts several pages of one site show, and which became
// new on several of them lately, so that what belongs to the site is told from
// what belongs to a page. It is of a fixed size, belongs to one goroutine, and
// holds nothing that cannot be learned anew: while it is empty, more changes
// wait for a second look. The zero value is empty.
type Site struct {
	looks uint32 // of one page after another
	last  uint16 // page that was looked at
	texts [textsKept]shown
	waves [wavesKept]wave
}

// How much is remembered: 36 KiB and 16 KiB.
const (
	textsKept = 1 << 12
	wavesKept = 1 << 10
)

// shown is a text or a place that pages show.
type shown struct {
	key  uint32
	page uint16 // the last page that showed it
	n    uint8  // pages that showed it, up to manyPages
	idle uint8  // pages that wanted its room since
}

const manyPages = 3

// wave is a text that became new on some pages.
type wave struct {
	key   uint32
	since uint32 // looks at the first of them
	page  uint16 // the last of them
	n     uint16
}

// see notes that a page shows what has a key, and returns on how many other
// pages that stands.
func (s *Site) see(key uint32, page uint16) int {
	t := &s.texts[key%textsKept]
	if t.key != key || t.n == 0 {
		if t.n >= 2 && t.idle < 64 {
			t.idle++ // what many pages show is worth more
			return 0
		}
		*t = shown{key: key, page: page, n: 1}
		return 0
	}
	t.idle = 0
	others := int(t.n)
	if t.page == page {
		others--
	} else {
		t.n = min(t.n+1, manyPages)
	}
	t.page = page
	return others
}

// stands returns on how many other pages a text stands, without noting it.
func (s *Site) stands(key uint32, page uint16) int {
	t := &s.texts[key%textsKept]
	switch {
	case t.key != key:
		return 0
	case t.page == page:
		return int(t.n) - 1
	}
	return int(t.n)
}

// become notes that a text became new on a page.
func (s *Site) become(key uint32, page uint16) {
	w := &s.waves[key%wavesKept]
	switch {
	case w.key != key || s.looks-w.since > waveLooks:
		*w = wave{key: key, since: s.looks, page: page, n: 1}
	case w.page != page:
		w.page = page
		w.n = min(w.n+1, 1<<15)
	}
}

// waveLooks is for how many looks a wave is remembered.
const waveLooks = 1 << 16

// rises reports whether a text became new on so many other pages that it is the
// site's: on at least one, and a third of those looked at since.
func (s *Site) rises(key uint32, page uint16, least int) bool {
	w := &s.waves[key%wavesKept]
	if w.key != key || s.looks-w.since > waveLooks {
		return false
	}
	n := int(w.n)
	return n > least && 3*uint32(n) >= s.looks-w.since+1
}

// placeKey is the key of a place where prose stands.
func placeKey(place uint32) uint32 { return place*0x85EBCA6B + 1 }

// dataKey is the key of all structured data.
const dataKey = 3

func goneKey(p uint16) uint32 { return uint32(p)*0xC2B2AE35 + 2 }

// Consult completes a view of the page that m is the mark of by what is known
// of the site, and learns from it. The page is any number that tells it from
// others.
func (s *Site) Consult(v *View, m Mark, pageID uint64) {
	id := uint16(pageID ^ pageID>>32 ^ pageID>>16)
	if id != s.last {
		s.looks, s.last = s.looks+1, id
	}
	if m.freshen(v) {
		s.become(dataKey, id)
	}
	for i := range v.blocks {
		if b := &v.blocks[i]; b.fresh {
			s.become(b.key, id)
		}
	}
	v.common = s.rises(dataKey, id, 1)
	first := m.n == 0
	for i := range v.blocks {
		s.judge(v, i, id)
	}
	for i := range v.blocks {
		b := &v.blocks[i]
		s.see(b.key, id)
		if b.kind == prose && !b.fresh {
			s.see(placeKey(b.place), id)
		}
	}
	if first {
		return
	}
	s.judgeGone(v, m, id)
}

// judgeGone says whether what is missing is missing from other pages too.
func (s *Site) judgeGone(v *View, m Mark, id uint16) {
	missing := m.missing(v)
	for _, p := range missing {
		s.become(goneKey(p), id)
	}
	missing = append(missing, m.heldGone()...)
	v.gone = len(missing) > 0
	for _, p := range missing {
		v.gone = v.gone && s.rises(goneKey(p), id, 1)
	}
}

// judge says of a block whether it belongs to the site.
func (s *Site) judge(v *View, i int, id uint16) {
	b := &v.blocks[i]
	switch b.kind {
	case link:
		b.furniture = s.stands(b.key, id) >= 1 || s.rises(b.key, id, 1)
	case brief:
		b.furniture = s.rises(b.key, id, 1) || s.among(v, i, id)
		b.doubtful = b.numbers || !s.within(v, i, id)
	case prose:
		b.furniture = s.rises(b.key, id, 2) || s.stands(b.key, id) >= 2
		p := placeKey(b.place)
		near := s.among(v, i, id)
		inside := i > 0 && i < len(v.blocks)-1
		b.edge = near && !inside
		b.doubtful = b.dated || s.texts[p%textsKept].key != p || near && inside
	}
}

// within reports whether a block stands between two pieces of prose that no
// other page shows.
func (s *Site) within(v *View, i int, id uint16) bool {
	for _, j := range [...]int{i - 1, i + 1} {
		if j < 0 || j >= len(v.blocks) || v.blocks[j].kind != prose || s.stands(v.blocks[j].key, id) > 0 {
			return false
		}
	}
	return true
}

// among reports whether a block stands among texts that other pages show too.
func (s *Site) among(v *View, i int, id uint16) bool {
	beside := 0
	for _, j := range [...]int{i - 1, i + 1} {
		if j < 0 || j >= len(v.blocks) {
			continue
		}
		if s.stands(v.blocks[j].key, id) == 0 {
			return false
		}
		beside++
	}
	return beside > 0
}
