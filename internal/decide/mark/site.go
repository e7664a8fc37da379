package mark

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Site remembers on how many pages of a site each block of text was seen, to tell the
// site's texts from a page's own. It has a fixed size and belongs to one goroutine. All it
// holds can be learned anew. The zero value is empty.
type Site struct {
	buckets [bucketsKept][bucketSize]shown
}

// The size is 32 KiB.
const (
	bucketsKept = 1 << 10
	bucketSize  = 8
)

// shown is a block. Package encoding/binary writes and reads the fields.
type shown struct {
	Tag   uint16 // of its hash
	Page  uint8  // of the page that showed it last
	Pages uint8  // how many pages showed it, at most 255; 0 for no block
}

// Consult tells a view how many pages showed each of its blocks, and learns the blocks that
// are new on the page. m is the page's mark before this observation. page is any number that
// identifies the page.
func (s *Site) Consult(v *View, m Mark, page uint64) {
	known := setOf(m.known)
	for i := range v.blocks {
		b := &v.blocks[i]
		b.on = s.see(b.hash, uint8(page>>56), !known.has(b.key))
	}
}

// see returns how many pages showed a block. It counts this page if the block is new there.
// Each bucket keeps the blocks used last in front. Blocks on few pages make room first.
func (s *Site) see(hash uint64, page uint8, isNew bool) (pages uint8) {
	bucket := &s.buckets[hash%bucketsKept]
	tag := uint16(hash / bucketsKept)
	at := slices.IndexFunc(bucket[:], func(e shown) bool { return e.Pages > 0 && e.Tag == tag })
	entry := shown{Tag: tag}
	switch {
	case at >= 0:
		entry = bucket[at]
	case !isNew:
		return 0
	default:
		for at = bucketSize - 1; at > 0 && bucket[at].Pages > pagesOfText; at-- {
		}
	}
	if isNew && (entry.Pages == 0 || entry.Page != page) {
		entry.Page, entry.Pages = page, min(entry.Pages, 254)+1
	}
	copy(bucket[1:at+1], bucket[:at])
	bucket[0] = entry
	return entry.Pages
}

// AppendBinary appends the memory in a form that [ParseSite] reads, 32 KiB.
func (s *Site) AppendBinary(b []byte) []byte {
	b, _ = binary.Append(b, binary.BigEndian, &s.buckets) // it has a fixed size
	return b
}

var errSite = errors.New("mark: not a site's memory")

// ParseSite reads what AppendBinary wrote. No bytes give an empty Site.
func ParseSite(b []byte) (*Site, error) {
	s := new(Site)
	if len(b) == 0 {
		return s, nil
	}
	if len(b) != binary.Size(s.buckets) {
		return nil, errSite
	}
	_, err := binary.Decode(b, binary.BigEndian, &s.buckets)
	return s, err
}
