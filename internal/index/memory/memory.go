// Package memory has what the worker remembers of a site and can learn again. It is lost at a restart,
// except for the boilerplate. All of it has a fixed size and belongs to one goroutine. The zero
// values are empty.
package memory

import "github.com/servemap/servemap/internal/decide/mark"

// Memory is the memory of one site.
type Memory struct {
	Followed    Followed  // links that were merged lately
	Boilerplate mark.Site // the text that the site's pages have in common
}

// followedLinks is how many links are remembered. The links of a menu are on every page,
// and each link costs two reads of the store.
const followedLinks = 1 << 15

// Followed remembers the most recently merged links. The zero value is empty.
type Followed struct{ slots [followedLinks]uint64 }

// Has reports whether a link was merged lately.
func (f *Followed) Has(link uint64) bool { return f.slots[link%followedLinks] == link }

// Add remembers links.
func (f *Followed) Add(links map[uint64]bool) {
	for link := range links {
		f.slots[link%followedLinks] = link
	}
}

// Forget drops everything. Call it when the store may have lost merged links.
func (f *Followed) Forget() { *f = Followed{} }
