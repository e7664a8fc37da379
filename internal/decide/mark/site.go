package mark

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/page/location"
)

// Site remembers on how many pages of a site each block of text was seen, to tell the site's texts from a page's own.
// The pages of a family, such as the versions and languages of one page, count once.
// It also remembers which places are the template's, such as breadcrumbs and related posts. It belongs to one
// goroutine. All it holds can be learned anew. The zero value is empty. Package encoding/binary writes and reads the
// fields, 34 KiB.
type Site struct {
	Buckets [bucketsKept]bucket // the blocks used last are in front
	Places  [placesKept]place
	Names   [namesKept]name
	Waves   [wavesKept]wave
	Pages   uint32 // that were seen
}

const (
	bucketsKept = 1 << 10
	bucketSize  = 8
	placesKept  = 1 << 8
)

type bucket [bucketSize]shown

// shown is a block.
type shown struct {
	Tag    uint16 // of its hash
	Family uint8  // of the page that showed it last
	// how many families of pages showed it, at most 15, 0 for no block; and 16 times a hash of the family before
	Counts uint8
}

func tagOf(hash uint64) uint16 { return uint16(hash / bucketsKept) }

// pages returns how many families of pages showed the block.
func (e *shown) pages() uint8 { return e.Counts % 16 }

// by reports whether a family was one of the last two.
func (e *shown) by(family uint8) bool {
	return e.pages() > 0 && e.Family == family || e.pages() > 1 && e.Counts/16 == family/16
}

// place is where blocks stand, by the elements around them. It counts the pages, at most 255, that brought new texts
// there, by whether some were the page's own.
type place struct {
	Tag         uint8
	Calm        int8 // one more for each observation of a quiet page whose texts stayed there, less if one went again
	Own, Shared uint8
}

// A text that goes again weighs as much as so many observations at which all stayed. A place is calm if they outweigh
// that by calmFrom.
const (
	weightOfMove = 32
	calmFrom     = 12
)

// A place is the template's if most pages show nothing there but what other pages show too. It holds content if most
// pages show something of their own. Few pages prove nothing.
const (
	placePages    = 12
	templateShare = 66 // percent of the pages that show nothing of their own
	bodyShare     = 80 // percent of the pages that show something of their own
)

// most returns on how many pages a text in the place may stand and still be a page's own.
func (p *place) most() uint8 {
	switch all := int(p.Own) + int(p.Shared); {
	case all < placePages:
	case 100*int(p.Shared) >= templateShare*all:
		return 0
	case 100*int(p.Own) >= bodyShare*all:
		return pagesOfBody
	}
	return pagesOfText
}

// at returns a place. One that was seen later may replace it.
func (s *Site) at(tag uint16) *place {
	p := &s.Places[tag%placesKept]
	if rest := uint8(tag / placesKept); p.Tag != rest {
		*p = place{Tag: rest}
	}
	return p
}

// calm notes in which places of a quiet page texts stayed, and in which one of any page went that had come lately.
func (s *Site) calm(v *View, m *Mark, known *keySet) {
	more := map[uint16]int{}
	for _, b := range v.blocks {
		if m.doubt == 0 && known.has(b.key) {
			more[b.place] = 1
		}
	}
	for i := range m.watch {
		if w := &m.watch[i]; w.Seen > 0 && !w.gone() && v.find(w.Key) == nil {
			more[w.Place] = -weightOfMove
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(more)) {
		p := s.at(tag)
		p.Calm = int8(min(max(int(p.Calm)+more[tag], math.MinInt8), math.MaxInt8))
	}
}

// name counts the pages whose path has the same last element.
type name struct {
	Tag   uint16
	Pages uint32
}

// namesKept is how many names are counted, those of most pages.
const namesKept = 16

// family returns a hash that the versions, languages and prints of a page share: that of the last element of its path.
// One that a third of the site's pages have, such as index.html, tells none from the others, so the element before it
// counts. isNew says that the page was not counted yet.
func (s *Site) family(path string, isNew bool) uint8 {
	hash, rest := xxh3.HashString(path), strings.Trim(path, "/")
	if isNew {
		s.Pages++
	}
	for rest != "" {
		at := strings.LastIndexByte(rest, '/')
		last := xxh3.HashString(rest[at+1:])
		if pages := s.named(uint16(last), isNew); pages < 3 || 3*pages <= s.Pages {
			hash = last
			break
		}
		rest = rest[:max(at, 0)]
	}
	return uint8(hash >> 56)
}

// named returns how many pages have a name, at most. The rarest name makes room for a new one, and leaves its count.
func (s *Site) named(tag uint16, isNew bool) uint32 {
	n := first(s.Names[:], func(n *name) bool { return n.Tag == tag && n.Pages > 0 })
	switch {
	case n == nil && !isNew:
		return 0
	case n == nil:
		n = least(s.Names[:], func(n *name) uint32 { return n.Pages })
		n.Tag = tag
	}
	if isNew {
		n.Pages++
	}
	return n.Pages
}

// least returns the first entry of a list with the least number.
func least[T any](list []T, number func(*T) uint32) *T {
	of := &list[0]
	for i := range list {
		if number(&list[i]) < number(of) {
			of = &list[i]
		}
	}
	return of
}

// Consult tells a view how many families of pages showed each of its blocks, and learns the blocks that are new on the
// page. A new one that others show, such as an ad, says nothing about a place where the page has texts of its own. On a
// page that was seen before, no text says anything about a place that is known as the template's. m is the page's mark
// before this observation. path is the page's.
func (s *Site) Consult(v *View, m Mark, path string, at int64) {
	known, family := m.known(), s.copied(v, &m, path, s.family(path, !m.began))
	collects := s.collects(v, family)
	s.calm(v, &m, known)
	last, others := m.own.set(), m.prices != 0 && m.prices != v.prices
	swaps := m.began && !v.list && v.links <= int(m.links) // a link in the place of another tells nothing of its place
	news := map[uint16]bool{}                              // places with new texts, and whether some are the page's own
	owns := map[uint16]bool{}                              // places with other texts of the page's own
	for _, b := range v.blocks {
		isNew := !known.has(b.key)
		b.back = others && b.price && b.card == 0 && !isNew && !last.has(b.key)
		b.on = s.see(b.hash, family, isNew && !collects)
		p := s.at(b.place)
		b.most, b.calm = p.most(), p.Calm >= calmFrom
		if isNew && !b.fact && !((b.link || b.card != 0) && swaps) && (b.most > 0 || !m.began) {
			news[b.place] = news[b.place] || b.on <= pagesOfText
		}
		owns[b.place] = owns[b.place] || !isNew && !b.fact && b.on <= pagesOfText
	}
	v.list = v.isList()
	if m.began && !collects {
		s.sweep(v, m, known, family, at)
	}
	for _, tag := range slices.Sorted(maps.Keys(news)) {
		switch p := s.at(tag); {
		case news[tag]:
			p.Own = min(p.Own, 254) + 1
		case !owns[tag]:
			p.Shared = min(p.Shared, 254) + 1
		}
	}
}

// copied returns the family of the page that a view is a copy of, one with fewer parameters or with none, else its own.
// Languages, orders and made-up values are such parameters.
func (s *Site) copied(v *View, m *Mark, at string, own uint8) (family uint8) {
	if path, _, queried := strings.Cut(at, "?"); queried {
		for _, page := range slices.AppendSeq([]string{path}, location.Without(at)) {
			if family = s.family(page, false); s.copies(v, m, family) {
				return family
			}
		}
	}
	return own
}

// copies reports whether a view shows nothing of its own beside the texts of a family, but for what is new on a known
// page, and counters.
func (s *Site) copies(v *View, m *Mark, family uint8) (is bool) {
	for _, b := range v.blocks {
		switch e := s.shown(b.hash); {
		case b.fact, e != nil && e.pages() > pagesOfText:
		case e == nil:
			if !m.began {
				return false
			}
		case e.by(family):
			is = true
		default:
			return false
		}
	}
	return is
}

// A collection repeats the texts of so many other pages. Fewer may have a template in common.
const leastCollected = 3

// collects reports whether a page is a collection of others, such as an archive or a print of a whole manual: most of
// its texts were other pages' news last, and by none of these half of them. That it shows a text says nothing of the
// text. Several collections may have shown it before its page did. Links, prices and facts come in boxes of others,
// too.
func (s *Site) collects(v *View, family uint8) bool {
	of, texts, others, most := map[uint8]int{}, 0, 0, 0
	for _, b := range v.blocks {
		if b.link || b.isCommon() || b.beside {
			continue
		}
		texts++
		if e := s.shown(b.hash); e != nil && e.Family != family && e.pages() <= pagesOfItem {
			others++
			of[e.Family]++
			most = max(most, of[e.Family])
		}
	}
	return 2*others > texts && 2*most <= texts && len(of) >= leastCollected
}

// kept returns the bucket of a block, and the index of the block in it, or -1.
func (s *Site) kept(hash uint64) (b *bucket, at int) {
	b = &s.Buckets[hash%bucketsKept]
	return b, slices.IndexFunc(b[:], func(e shown) bool { return e.Counts > 0 && e.Tag == tagOf(hash) })
}

// shown returns what is known of a block, or nil.
func (s *Site) shown(hash uint64) *shown {
	b, at := s.kept(hash)
	if at < 0 {
		return nil
	}
	return &b[at]
}

// see returns how many families of pages showed a block. It counts this one if the block is new there.
func (s *Site) see(hash uint64, family uint8, isNew bool) (pages uint8) {
	b, at := s.kept(hash)
	if at < 0 {
		if !isNew {
			return 0
		}
		at = bucketSize - 1
		b[at] = shown{Tag: tagOf(hash)}
	}
	e := b[at]
	if isNew && !e.by(family) {
		e.Family, e.Counts = family, e.Family/16*16+min(e.pages()+1, 15)
	}
	copy(b[1:at+1], b[:at])
	b[0] = e
	return e.pages()
}

// AppendBinary appends the memory in a form that [ParseSite] reads.
func (s *Site) AppendBinary(b []byte) []byte {
	b, _ = binary.Append(append(b, formNow), binary.BigEndian, s) // it has a fixed size
	return b
}

var errSite = errors.New("mark: not a site's memory")

// ParseSite reads what AppendBinary wrote. No bytes give an empty Site.
func ParseSite(b []byte) (*Site, error) {
	s := new(Site)
	if len(b) == 0 {
		return s, nil
	}
	if n, err := binary.Decode(b[1:], binary.BigEndian, s); err != nil || 1+n != len(b) || b[0] != formNow {
		return nil, errSite
	}
	return s, nil
}
