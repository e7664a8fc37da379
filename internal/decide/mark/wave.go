package mark

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/page/html"
)

// wave is a place, or how lines in a place begin, where known pages showed something new and had never shown anything,
// or the words that known pages added to headings or prices of theirs. If wavePages do so, each when it is seen next, a
// deploy has written it, and it is no news of theirs. A page that was seen without it meanwhile got it from its authors.
type wave struct {
	Tag   uint16
	N     uint8            // how many families of pages, 0 for no wave
	By    [wavePages]uint8 // which
	Began uint32           // when the first one of them did
}

const (
	wavesKept   = 64
	wavePages   = 5
	begunBeside = 2       // a wave of titles, pictures or videos begins so high: three pages make it
	waveTime    = 7 * day // in so long a wave comes
)

// wave returns the wave of a tag, or nil.
func (s *Site) wave(tag uint16) *wave {
	return first(s.Waves[:], func(w *wave) bool { return w.Tag == tag && w.N > 0 })
}

// came reports whether a wave has come.
func (s *Site) came(tag uint16) bool {
	w := s.wave(tag)
	return tag != 0 && w != nil && w.N == wavePages
}

// swell counts a page of a family to a wave, and reports whether it belongs to that. The page was seen last before at a
// time. The oldest wave makes room for a new one, which begins with a count.
func (s *Site) swell(tag uint16, family uint8, last, at uint32, begun uint8) bool {
	w := s.wave(tag)
	switch {
	case w == nil:
		w = least(s.Waves[:], func(w *wave) uint32 { return w.Began })
		*w = wave{Tag: tag, Began: at, N: begun}
	case last > w.Began && w.N == wavePages:
		return false
	case last > w.Began, w.N < wavePages && at > w.Began+waveTime:
		*w = wave{Tag: tag, Began: at, N: begun}
	}
	if w.N < wavePages && !slices.Contains(w.By[:w.N], family) {
		w.By[w.N] = family
		w.N++
	}
	return true
}

// sweep counts a known page to the waves of its news, and tells which news a wave has brought. Where most of the known
// texts have moved to new places too, as after a redesign, a new place says nothing. Any place is new for a heading
// that says what the title said.
func (s *Site) sweep(v *View, m Mark, known *keySet, family uint8, at int64) {
	had, belongs := m.places.set(), map[uint16]bool{} // whether the page belongs to a wave
	old, moved := 0, 0
	for _, b := range v.blocks {
		if known.has(b.key) {
			old++
			if !had.has(b.place) {
				moved++
			}
		}
	}
	redesigned := 2*moved > old
	for _, b := range v.blocks {
		begun := uint8(0)
		switch {
		case b.back:
			b.wave = ^m.prices
		case known.has(b.key):
			w := m.watched(b.key)
			b.swept = b.swept || w != nil && w.Patience > 0 && s.came(w.Wave)
			continue
		case b.beside:
			b.wave, begun = b.place, begunBeside
		case b.title != 0 && known.has(b.title):
			b.wave = b.place
		case had.has(b.place) && b.size <= longestLine && v.grew(b, known):
		case redesigned:
			continue
		case !had.has(b.place):
			b.wave = b.place
		case b.line != 0 && !had.has(b.line) && !had.has(noLines):
			b.wave = b.line
		case b.isCommon():
			b.wave = b.key
		default:
			continue
		}
		if _, counted := belongs[b.wave]; !counted {
			belongs[b.wave] = s.swell(b.wave, family, uint32(v.Last), uint32(at), begun)
		}
		if !belongs[b.wave] {
			b.wave = 0
		}
		b.swept = b.swept || s.came(b.wave)
	}
}

// grew reports whether a new heading or price has more words before or behind one that the page showed before. Its wave
// is then that of these words.
func (v *View) grew(b *block, known *keySet) bool {
	words := strings.Fields(b.text)
	for n := len(words) - 1; n > 0; n-- {
		for _, parts := range [...][2][]string{{words[:n], words[n:]}, {words[len(words)-n:], words[:len(words)-n]}} {
			if slices.ContainsFunc(v.keysOf(parts[0], b.title != 0), known.has) {
				b.wave = keyOf(xxh3.HashString(strings.Join(parts[1], " ")))
				return true
			}
		}
	}
	return false
}

// keysOf returns the keys of the blocks of a text, or of a heading, of these words.
func (v *View) keysOf(words []string, heading bool) (keys []uint16) {
	r := reading{seed: v.seed}
	text := html.Block{Text: strings.Join(words, " "), Main: true, Heading: heading}
	r.read([]html.Block{text}, func(b block, _ string) { keys = append(keys, b.key) })
	return keys
}

// Disowns reports whether all texts that showed a mark the change at since are the site's after all: other pages show
// them too, or a wave has brought them.
func (s *Site) Disowns(m Mark, since int64) bool {
	found := false
	for i := range m.watch {
		w := &m.watch[i]
		if w.Seen == 0 || w.Patience > 0 || w.gone() || int64(w.Since) != since {
			continue
		}
		if e := s.shown(uint64(w.Hash)); !s.came(w.Wave) && (e == nil || e.pages() <= w.Most) {
			return false
		}
		found = true
	}
	return found
}

// Confirm returns the mark that no longer asks whether the texts of the change at since are the site's.
func (m Mark) Confirm(since int64) Mark {
	for i := range m.watch {
		if w := &m.watch[i]; w.Patience == 0 && int64(w.Since) == since {
			*w = watched{}
		}
	}
	m.closeGaps()
	return m
}
