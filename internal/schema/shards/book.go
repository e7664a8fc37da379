// Package shards keeps which page is in which part of the sitemap, and the page's entry
// there. A part is one file of at most 50,000 pages. A page gets a part when it is first
// listed and stays in it, so that a change of one page changes one file. The package
// reads and writes records; it makes no files.
package shards

import (
	"math"

	"github.com/servemap/servemap/internal/page/extension"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// A Book keeps which page is in which part. Its methods only read and write tx, so that a
// transaction may run again.
type Book struct {
	Keys     keys.Keys
	URL      func(location string) string // the absolute URL of a location
	MaxURLs  int                          // 0 means the protocol's 50,000
	MaxBytes int                          // 0 means the protocol's 52,428,800

	// Filling is the last part, which new pages fill; 0 if there is none yet. Another
	// process may have begun the next one meanwhile: a full part is passed over.
	Filling int
}

// Part is the record of one part.
type Part struct {
	Pages   int `cbor:"1,keyasint,omitzero"`
	Bytes   int `cbor:"2,keyasint,omitzero"` // reserved for the pages
	Changes int `cbor:"4,keyasint,omitzero"` // counts the changes that may change the file
}

// DecodePart reads the record of a part. Of a damaged one nothing is known.
func DecodePart(b []byte) (p Part) {
	if codec.Unmarshal(b, &p) != nil || min(p.Pages, p.Bytes, p.Changes) < 0 {
		return Part{}
	}
	return p
}

func (p Part) encode() []byte { return codec.Marshal(p) }

// putPart stores the record of a part that has changed.
func (b Book) putPart(tx txn.Records, n int, p Part) {
	p.Changes = (p.Changes + 1) % math.MaxInt32
	tx.Put(b.Keys.Part(n), p.encode())
}

// Add lists location with e and returns its part. That is before, if the page was there
// earlier and the part has room, and otherwise the first one from the last part on that has
// room. Add reserves the most
// bytes that an entry with these extensions can ever take, so that no later change of its
// dates, and no rule, makes the file too long. It reads a few keys, however many parts
// there are.
func (b Book) Add(tx txn.Records, before int, location string, e Entry) int {
	size := b.Reserved(location, e.Extensions)
	e.Room = size - b.size(location)
	n, p := b.choose(tx, before, size)
	p.Pages++
	p.Bytes += size
	b.putPart(tx, n, p)
	tx.Put(b.Keys.List(n, location), e.Encode())
	return n
}

func (b Book) choose(tx txn.Records, before, size int) (int, Part) {
	if before > 0 {
		if p := DecodePart(tx.Get(b.Keys.Part(before))); b.room(p, size) {
			return before, p
		}
	}
	for n := max(1, b.Filling); ; n++ {
		if p := DecodePart(tx.Get(b.Keys.Part(n))); b.room(p, size) {
			return n, p
		}
	}
}

// Remove takes location out of part n. The room stays free, so that few files change.
func (b Book) Remove(tx txn.Records, n int, location string) {
	key := b.Keys.List(n, location)
	entry := tx.Get(key)
	if entry == nil {
		return
	}
	e, _ := DecodeEntry(entry) // of a damaged entry only the address is known
	p := DecodePart(tx.Get(b.Keys.Part(n)))
	p.Pages--
	p.Bytes -= b.size(location) + e.Room
	b.putPart(tx, n, p)
	tx.Put(key, nil)
}

// Move moves location from part n to another part, and returns that part. It returns n if
// the page cannot be moved.
func (b Book) Move(tx txn.Records, n int, location string) int {
	e, err := DecodeEntry(tx.Get(b.Keys.List(n, location)))
	if err != nil {
		return n
	}
	b.Remove(tx, n, location)
	return b.Add(tx, 0, location, e)
}

// Set replaces the entry of location, which is in part n, and reports whether that changes
// the part's file. New extensions may make the part too large; then [Book.Move] takes the
// page out of it.
func (b Book) Set(tx txn.Records, n int, location string, e Entry) bool {
	key := b.Keys.List(n, location)
	old := tx.Get(key)
	before, _ := DecodeEntry(old)
	e.Room = e.Extensions.Len(b.URL)
	value := e.Encode()
	if string(old) == string(value) {
		return false
	}
	p := DecodePart(tx.Get(b.Keys.Part(n)))
	p.Bytes += e.Room - before.Room
	b.putPart(tx, n, p)
	tx.Put(key, value)
	return true
}

// Extensions returns the extensions of location's entry in part n.
func (b Book) Extensions(tx txn.Records, n int, location string) extension.Values {
	e, err := DecodeEntry(tx.Get(b.Keys.List(n, location)))
	if err != nil {
		return nil
	}
	return e.Extensions
}

// Find returns the part that lists location, 0 if none does. It reads one key of each
// part, so it is for the rare case that the page's own record is lost. It also looks behind
// the last part, since the record of a part may be lost too. If there are more parts than a
// transaction may read, the transaction fails.
func (b Book) Find(tx txn.Records, location string) int {
	for n := range min(b.Filling, store.MaxKeys) + 1 {
		if tx.Get(b.Keys.List(n+1, location)) != nil {
			return n + 1
		}
	}
	return 0
}

// Over reports whether part n is too large. That happens when the limits were lowered, or
// when a page got more extensions.
func (b Book) Over(tx txn.Records, n int) bool { return b.over(DecodePart(tx.Get(b.Keys.Part(n)))) }

func (b Book) over(p Part) bool {
	maxURLs, maxBytes := b.limits()
	return p.Pages > 1 && (p.Pages > maxURLs || p.Bytes > maxBytes-headroom)
}

// TooLarge returns the parts that are too large.
func (b Book) TooLarge(parts map[int]Part) map[int]bool {
	large := map[int]bool{}
	for n, p := range parts {
		if b.over(p) {
			large[n] = true
		}
	}
	return large
}

// Reserved returns the most bytes that an entry of location with these extensions can
// take.
func (b Book) Reserved(location string, x extension.Values) int {
	return b.size(location) + x.Len(b.URL)
}

// size is the most bytes that an entry can take without extensions. The sums
// in the store are made of it. So the overhead that it adds must never change: otherwise
// removing a page would free other bytes than were reserved.
func (b Book) size(location string) int {
	return sitemap.EscapedLen(b.URL(location)) + sitemap.MaxEntryOverhead
}

// room reports whether one more entry of this size fits. An empty part has room for any entry.
func (b Book) room(p Part, size int) bool {
	return p.Pages <= 0 || !b.over(Part{Pages: p.Pages + 1, Bytes: p.Bytes + size})
}

func (b Book) limits() (maxURLs, maxBytes int) {
	maxURLs, maxBytes = b.MaxURLs, b.MaxBytes
	if maxURLs == 0 {
		maxURLs = sitemap.MaxURLs
	}
	if maxBytes == 0 {
		maxBytes = sitemap.MaxBytes
	}
	return maxURLs, maxBytes
}

// headroom is more than a file's declaration, root element and end take.
const headroom = 1024

// Guess returns the keys that listing location needs in most cases, so that they can be
// read beforehand. n is the page's part, 0 for a new page. A wrong guess costs a little
// time.
func (b Book) Guess(n int, location string) []string {
	if n == 0 {
		n = max(1, b.Filling)
	}
	return []string{b.Keys.Part(n), b.Keys.List(n, location)}
}
