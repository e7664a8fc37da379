// Package memory has what the worker remembers of a site and can learn again. It is lost at a restart,
// except for the boilerplate. All of it is bounded and belongs to one goroutine. The zero
// values are empty.
package memory

import (
	"math/bits"

	"github.com/servemap/servemap/internal/decide/mark"
)

// Memory is the memory of one site.
type Memory struct {
	Followed    Followed  // links that were merged lately
	Boilerplate mark.Site // the text that the site's pages have in common
}

// followedLinks is how many links are remembered. The links of a menu are on every page,
// and each link costs two reads of the store.
const followedLinks = 1 << 15

// Followed remembers the most recently merged links. It grows with them. The zero value is empty.
type Followed struct {
	slots []uint64
	added int
}

// Has reports whether a link was merged lately.
func (f *Followed) Has(link uint64) bool {
	return len(f.slots) > 0 && f.slots[link%uint64(len(f.slots))] == link
}

// Add remembers links.
func (f *Followed) Add(links map[uint64]bool) {
	if f.added += len(links); len(f.slots) < min(2*f.added, followedLinks) {
		before, size := f.slots, 1<<bits.Len(uint(2*f.added-1))
		f.slots = make([]uint64, min(size, followedLinks))
		for _, link := range before {
			f.slots[link%uint64(len(f.slots))] = link
		}
	}
	for link := range links {
		f.slots[link%uint64(len(f.slots))] = link
	}
}

// Forget drops everything. Call it when the store may have lost merged links.
func (f *Followed) Forget() { *f = Followed{} }
