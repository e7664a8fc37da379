// Package shards keeps which page is in which shard of the sitemap, and the page's entry
// there. A shard is one file of at most 50,000 pages. A page gets a shard when it is first
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

// A Layout keeps which page is in which shard. Its methods only read and write tx, so that a
// transaction may run again.
type Layout struct {
	Keys     keys.Keys
	URL      func(location string) string // the absolute URL of a location
	MaxURLs  int                          // 0 means the protocol's 50,000
	MaxBytes int                          // 0 means the protocol's 52,428,800

	// Filling is the last shard, which new pages fill; 0 if there is none yet. Another
	// process may have begun the next one meanwhile: a full shard is passed over.
	Filling int
}

// Shard is the record of one shard.
type Shard struct {
	Pages   int `cbor:"1,keyasint,omitzero"`
	Bytes   int `cbor:"2,keyasint,omitzero"` // reserved for the pages
	Changes int `cbor:"4,keyasint,omitzero"` // counts the changes that may change the file
}

// Decode reads the record of a shard. Of a damaged one nothing is known.
func Decode(b []byte) (p Shard) {
	if codec.Unmarshal(b, &p) != nil || min(p.Pages, p.Bytes, p.Changes) < 0 {
		return Shard{}
	}
	return p
}

func (p Shard) encode() []byte { return codec.Marshal(p) }

// putShard stores the record of a shard that has changed.
func (b Layout) putShard(tx txn.Records, n int, p Shard) {
	p.Changes = (p.Changes + 1) % math.MaxInt32
	tx.Put(b.Keys.Shard(n), p.encode())
}

// Add lists location with e and returns its shard. That is before, if the page was there
// earlier and the shard has room, and otherwise the first one from the last shard on that has
// room. Add reserves the most
// bytes that an entry with these extensions can ever take, so that no later change of its
// dates, and no rule, makes the file too long. It reads a few keys, however many shards
// there are.
func (b Layout) Add(tx txn.Records, before int, location string, e Entry) int {
	size := b.Reserved(location, e.Extensions)
	e.Room = size - b.size(location)
	n, p := b.choose(tx, before, size)
	p.Pages++
	p.Bytes += size
	b.putShard(tx, n, p)
	tx.Put(b.Keys.List(n, location), e.Encode())
	return n
}

func (b Layout) choose(tx txn.Records, before, size int) (int, Shard) {
	if before > 0 {
		if p := Decode(tx.Get(b.Keys.Shard(before))); b.room(p, size) {
			return before, p
		}
	}
	for n := max(1, b.Filling); ; n++ {
		if p := Decode(tx.Get(b.Keys.Shard(n))); b.room(p, size) {
			return n, p
		}
	}
}

// Remove takes location out of shard n. The room stays free, so that few files change.
func (b Layout) Remove(tx txn.Records, n int, location string) {
	key := b.Keys.List(n, location)
	entry := tx.Get(key)
	if entry == nil {
		return
	}
	e, _ := DecodeEntry(entry) // of a damaged entry only the address is known
	p := Decode(tx.Get(b.Keys.Shard(n)))
	p.Pages--
	p.Bytes -= b.size(location) + e.Room
	b.putShard(tx, n, p)
	tx.Put(key, nil)
}

// Move moves location from shard n to another shard, and returns that shard. It returns n if
// the page cannot be moved.
func (b Layout) Move(tx txn.Records, n int, location string) int {
	e, err := DecodeEntry(tx.Get(b.Keys.List(n, location)))
	if err != nil {
		return n
	}
	b.Remove(tx, n, location)
	return b.Add(tx, 0, location, e)
}

// Set replaces the entry of location, which is in shard n, and reports whether that changes
// the shard's file. New extensions may make the shard too large; then [Layout.Move] takes the
// page out of it.
func (b Layout) Set(tx txn.Records, n int, location string, e Entry) bool {
	key := b.Keys.List(n, location)
	old := tx.Get(key)
	before, _ := DecodeEntry(old)
	e.Room = e.Extensions.Len(b.URL)
	value := e.Encode()
	if string(old) == string(value) {
		return false
	}
	p := Decode(tx.Get(b.Keys.Shard(n)))
	p.Bytes += e.Room - before.Room
	b.putShard(tx, n, p)
	tx.Put(key, value)
	return true
}

// Extensions returns the extensions of location's entry in shard n.
func (b Layout) Extensions(tx txn.Records, n int, location string) extension.Values {
	e, err := DecodeEntry(tx.Get(b.Keys.List(n, location)))
	if err != nil {
		return nil
	}
	return e.Extensions
}

// Find returns the shard that lists location, 0 if none does. It reads one key of each
// shard, so it is for the rare case that the page's own record is lost. It also looks behind
// the last shard, since the record of a shard may be lost too. If there are more shards than a
// transaction may read, the transaction fails.
func (b Layout) Find(tx txn.Records, location string) int {
	for n := range min(b.Filling, store.MaxKeys) + 1 {
		if tx.Get(b.Keys.List(n+1, location)) != nil {
			return n + 1
		}
	}
	return 0
}

// Over reports whether shard n is too large. That happens when the limits were lowered, or
// when a page got more extensions.
func (b Layout) Over(tx txn.Records, n int) bool { return b.over(Decode(tx.Get(b.Keys.Shard(n)))) }

func (b Layout) over(p Shard) bool {
	maxURLs, maxBytes := b.limits()
	return p.Pages > 1 && (p.Pages > maxURLs || p.Bytes > maxBytes-headroom)
}

// TooLarge returns the shards that are too large.
func (b Layout) TooLarge(shards map[int]Shard) map[int]bool {
	large := map[int]bool{}
	for n, p := range shards {
		if b.over(p) {
			large[n] = true
		}
	}
	return large
}

// Reserved returns the most bytes that an entry of location with these extensions can
// take.
func (b Layout) Reserved(location string, x extension.Values) int {
	return b.size(location) + x.Len(b.URL)
}

// size is the most bytes that an entry can take without extensions. The sums
// in the store are made of it. So the overhead that it adds must never change: otherwise
// removing a page would free other bytes than were reserved.
func (b Layout) size(location string) int {
	return sitemap.EscapedLen(b.URL(location)) + sitemap.MaxEntryOverhead
}

// room reports whether one more entry of this size fits. An empty shard has room for any entry.
func (b Layout) room(p Shard, size int) bool {
	return p.Pages <= 0 || !b.over(Shard{Pages: p.Pages + 1, Bytes: p.Bytes + size})
}

func (b Layout) limits() (maxURLs, maxBytes int) {
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
// read beforehand. n is the page's shard, 0 for a new page. A wrong guess costs a little
// time.
func (b Layout) Guess(n int, location string) []string {
	if n == 0 {
		n = max(1, b.Filling)
	}
	return []string{b.Keys.Shard(n), b.Keys.List(n, location)}
}
