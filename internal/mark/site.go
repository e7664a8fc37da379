package mark

// Site remembers which texts several pages of one site show, and which became
// new on several of them lately. So texts of the site are told from texts of a
// page. It has a fixed size, belongs to one goroutine, and holds nothing that
// cannot be learned anew: while it is empty, more changes wait for a second
// look. The zero value is empty.
type Site struct {
	looks uint32 // of one page after another
	last  uint16 // page that was looked at
	texts [textsKept / ways][ways]shown
	waves [wavesKept / ways][ways]wave
}

// The sizes: 36 KiB and 16 KiB. What has a key may be in one of several places,
// so that two texts that many pages show seldom compete for one.
const (
	textsKept = 1 << 12
	wavesKept = 1 << 10
	ways      = 4
)

// shown is a text or a place that pages show.
type shown struct {
	key  uint32
	page uint16 // the last page that showed it
	n    uint8  // pages that showed it, up to manyPages
	idle uint8  // texts that wanted its place since
}

// manyPages and maxWave are the largest counts.
const (
	manyPages = 3
	maxWave   = 1 << 15
)

// wave is a text that became new on some pages.
type wave struct {
	key   uint32
	since uint32 // looks at the first of them
	page  uint16 // the last of them
	n     uint16
}

// shown returns what is remembered of a key, or nil.
func (s *Site) shown(key uint32) *shown {
	set := &s.texts[key%uint32(len(s.texts))]
	for i := range set {
		if set[i].key == key && set[i].n > 0 {
			return &set[i]
		}
	}
	return nil
}

// see notes that a page shows what has a key.
func (s *Site) see(key uint32, page uint16) {
	t := s.shown(key)
	if t == nil {
		s.enter(shown{key: key, page: page, n: 1})
		return
	}
	t.idle = 0
	if t.page != page {
		t.n = min(t.n+1, manyPages)
	}
	t.page = page
}

// enter makes room for a text. What many pages show, and what was seen lately,
// is worth more.
func (s *Site) enter(t shown) {
	set := &s.texts[t.key%uint32(len(s.texts))]
	out := 0
	for i := range set {
		if set[i].n > 0 {
			set[i].idle = min(set[i].idle, maxIdle-1) + 1
		}
		if set[i].worth() < set[out].worth() {
			out = i
		}
	}
	set[out] = t
}

const maxIdle = 255

// worth says how much is lost by forgetting a text.
func (t *shown) worth() int {
	switch {
	case t.n == 0:
		return -maxIdle
	case t.n == 1:
		return -int(t.idle)
	}
	return int(t.n)*idleAge - int(t.idle)
}

// idleAge is how many texts must have wanted the place of a text that several
// pages show, for each of these pages.
const idleAge = 64

// stands returns how many other pages show a text.
func (s *Site) stands(key uint32, page uint16) int {
	t := s.shown(key)
	switch {
	case t == nil:
		return 0
	case t.page == page:
		return int(t.n) - 1
	}
	return int(t.n)
}

// wave returns the wave of a key, or nil.
func (s *Site) wave(key uint32) *wave {
	set := &s.waves[key%uint32(len(s.waves))]
	for i := range set {
		if w := &set[i]; w.key == key && w.n > 0 && s.looks-w.since <= waveLooks {
			return w
		}
	}
	return nil
}

// become notes that a text became new on a page.
func (s *Site) become(key uint32, page uint16) {
	w := s.wave(key)
	switch {
	case w == nil:
		s.begin(wave{key: key, since: s.looks, page: page, n: 1})
	case w.page != page:
		w.page = page
		w.n = min(w.n+1, maxWave)
	}
}

// begin makes room for a wave: it replaces one of a single page, or else the
// oldest.
func (s *Site) begin(w wave) {
	set := &s.waves[w.key%uint32(len(s.waves))]
	out := 0
	for i := range set {
		if s.worth(&set[i]) < s.worth(&set[out]) {
			out = i
		}
	}
	set[out] = w
}

// worth says how much is lost by forgetting a wave.
func (s *Site) worth(w *wave) int {
	age := int(s.looks - w.since)
	switch {
	case w.n == 0:
		return -2 * waveLooks
	case w.n == 1:
		return -age - waveLooks
	}
	return -age
}

// waveLooks is for how many looks a wave is remembered.
const waveLooks = 1 << 16

// rises reports whether a text became new on enough other pages to be the
// site's: on at least one, and a third of those looked at since.
func (s *Site) rises(key uint32, page uint16, least int) bool {
	w := s.wave(key)
	return w != nil && int(w.n) > least && 3*uint32(w.n) >= s.looks-w.since+1
}

// placeKey is the key of a place where prose stands.
func placeKey(place uint32) uint32 { return place*0x85EBCA6B + 1 }

// dataKey is the key of all structured data.
const dataKey = 3

func goneKey(p uint16) uint32 { return uint32(p)*0xC2B2AE35 + 2 }

// Consult adds to a view what is known of the site, and learns from the view. m
// is the mark of the page. The page is any number that tells it from others.
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

// judgeGone says what of that which is missing is missing from other pages too.
func (s *Site) judgeGone(v *View, m Mark, id uint16) {
	missing := m.missing(v)
	for _, p := range missing {
		s.become(goneKey(p), id)
	}
	for _, p := range append(missing, m.heldGone()...) {
		if s.rises(goneKey(p), id, 1) {
			v.gone = append(v.gone, p)
		}
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
		b.doubtful = b.dated || b.numbers && v.Soon || s.shown(p) == nil || near && inside
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
