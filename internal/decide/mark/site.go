package mark

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Site remembers on how many pages of a site each block of text was seen, to tell the site's texts from a page's own.
// It also remembers which places are the template's, such as breadcrumbs and related posts. It is bounded and
// belongs to one goroutine. All it holds can be learned anew. The zero value is empty. A copy stays as it is.
type Site struct {
	buckets [bucketsKept]*bucket // nil if empty; replaced, never changed
	places  [placesKept]place
}

// stored is how a Site is stored. Package encoding/binary writes and reads the fields.
type stored struct {
	Buckets [bucketsKept]bucket
	Places  [placesKept]place
}

// The stored size is 33 KiB.
const (
	bucketsKept = 1 << 10
	bucketSize  = 8
	placesKept  = 1 << 8
)

type bucket [bucketSize]shown

// shown is a block.
type shown struct {
	Tag   uint16 // of its hash
	Page  uint8  // of the page that showed it last
	Pages uint8  // how many pages showed it, at most 255; 0 for no block
}

// place is where blocks stand, by the elements around them. It counts the pages, at most 255, that brought new texts
// there, by whether some were the page's own.
type place struct {
	Tag         uint16
	Own, Shared uint8
}

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
	p := &s.places[tag%placesKept]
	if p.Tag != tag {
		*p = place{Tag: tag}
	}
	return p
}

// Consult tells a view how many pages showed each of its blocks, and learns the blocks that are new on the page. What
// is new in a place of the template teaches nothing about the place, but on a new page. m is the page's mark before
// this observation. page is any number that identifies the page.
func (s *Site) Consult(v *View, m Mark, page uint64) {
	known := setOf(m.known)
	news := map[uint16]bool{} // places with new texts, and whether some are the page's own
	for i := range v.blocks {
		b := &v.blocks[i]
		isNew := !known.has(b.key)
		b.on = s.see(b.hash, uint8(page>>56), isNew)
		b.most = s.at(b.place).most()
		if isNew && (b.most > 0 || !m.began) {
			news[b.place] = news[b.place] || b.on <= pagesOfText
		}
	}
	for tag, own := range news {
		p := s.at(tag)
		n := &p.Shared
		if own {
			n = &p.Own
		}
		*n = min(*n, 254) + 1
	}
}

// see returns how many pages showed a block. It counts this page if the block is new there. Each bucket keeps the
// blocks used last in front.
func (s *Site) see(hash uint64, page uint8, isNew bool) (pages uint8) {
	kept := &s.buckets[hash%bucketsKept]
	var next bucket
	if *kept != nil {
		next = **kept
	}
	tag := uint16(hash / bucketsKept)
	at := slices.IndexFunc(next[:], func(e shown) bool { return e.Pages > 0 && e.Tag == tag })
	entry := shown{Tag: tag}
	switch {
	case at >= 0:
		entry = next[at]
	case !isNew:
		return 0
	default:
		at = bucketSize - 1
	}
	if isNew && (entry.Pages == 0 || entry.Page != page) {
		entry.Page, entry.Pages = page, min(entry.Pages, 254)+1
	}
	copy(next[1:at+1], next[:at])
	if next[0] = entry; *kept == nil || next != **kept {
		changed := next
		*kept = &changed
	}
	return entry.Pages
}

// AppendBinary appends the memory in a form that [ParseSite] reads, 33 KiB.
func (s *Site) AppendBinary(b []byte) []byte {
	all := stored{Places: s.places}
	for i, kept := range s.buckets {
		if kept != nil {
			all.Buckets[i] = *kept
		}
	}
	b, _ = binary.Append(b, binary.BigEndian, &all) // it has a fixed size
	return b
}

var errSite = errors.New("mark: not a site's memory")

// ParseSite reads what AppendBinary wrote. No bytes give an empty Site.
func ParseSite(b []byte) (*Site, error) {
	var all stored
	if len(b) == 0 {
		return new(Site), nil
	}
	if len(b) != binary.Size(&all) {
		return nil, errSite
	}
	_, err := binary.Decode(b, binary.BigEndian, &all)
	s := &Site{places: all.Places}
	for i, kept := range all.Buckets {
		if kept != (bucket{}) {
			s.buckets[i] = &kept
		}
	}
	return s, err
}
