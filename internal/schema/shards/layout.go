// Package shards keeps which page is in which shard of the sitemap, and the page's entry
// there. A shard is one file of at most 50,000 pages. A page gets a shard when it is first
// listed and stays in it, so that a change of one page changes one file. The package
// reads and writes records; it makes no files.
package shards

import (
	"cmp"
	"context"
	"math"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/extension"
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

	now moment.Time // the time of the transaction, see At

	// Filling is the last shard, which new pages fill; 0 if there is none yet. Another
	// process may have begun the next one meanwhile: a full shard is passed over.
	Filling int

	// Section returns the section of a location, "" for none. It is nil if the site has no sections. Sections has the
	// section of each known shard. The map is replaced, never changed.
	Section  func(location string) string
	Sections map[int]string
}

// Shard is the record of one shard.
type Shard struct {
	Pages   int `cbor:"1,keyasint,omitzero"`
	Bytes   int `cbor:"2,keyasint,omitzero"` // reserved for the pages
	Changes int `cbor:"3,keyasint,omitzero"` // counts the changes that may change the file

	Changed moment.Time `cbor:"4,keyasint,omitzero"` // when the last of them was stored; 0 if unknown
	Section string      `cbor:"5,keyasint,omitzero"` // of all its pages
}

// At returns the layout for a transaction at some time. The shards that it changes have that time.
func (l Layout) At(now moment.Time) Layout {
	l.now = now
	return l
}

// Decode reads the record of a shard. Of a damaged one nothing is known, so the shard counts as
// full: it may be.
func Decode(b []byte) (p Shard) {
	switch {
	case b == nil:
		return Shard{}
	case codec.Unmarshal(b, &p) != nil || min(p.Pages, p.Bytes, p.Changes) < 0:
		return Shard{Pages: sitemap.MaxURLs, Bytes: sitemap.MaxBytes - headroom}
	}
	return p
}

func (p Shard) encode() []byte { return codec.Marshal(p) }

// Read returns the record of a shard.
func Read(ctx context.Context, st store.Store, k keys.Keys, n int) (Shard, error) {
	records, err := txn.ReadAll(ctx, st, k.Shard(n))
	if err != nil {
		return Shard{}, err
	}
	return Decode(records[0]), nil
}

// ReadAll returns the records of all shards, by their numbers.
func ReadAll(ctx context.Context, st store.Store, k keys.Keys) (map[int]Shard, error) {
	shards := map[int]Shard{}
	for r, err := range st.Scan(ctx, k.Shards(), "") {
		if err != nil {
			return nil, err
		}
		if n, ok := k.ShardOf(r.Key); ok {
			shards[n] = Decode(r.Value)
		}
	}
	return shards, nil
}

// Last returns the number of the last shard, 0 if there is none. Each shard up to it may list pages, also one
// whose record is lost.
func Last(ctx context.Context, st store.Store, k keys.Keys) (last int, err error) {
	known, err := ReadAll(ctx, st, k)
	for n := range known {
		last = max(last, n)
	}
	if err != nil {
		return 0, err
	}
	for _, err := range st.Scan(ctx, k.List(last+1, ""), "") {
		return last + 1, err
	}
	return last, nil
}

// putShard stores the record of a shard that has changed. Other processes compare records to find changes, so no two
// may be equal: within a moment the count differs, and after a lost record the moment does.
func (l Layout) putShard(tx txn.Records, n int, p Shard) {
	p.Changes = (p.Changes + 1) % math.MaxInt32
	p.Changed = l.now
	p.Pages, p.Bytes = max(0, p.Pages), max(0, p.Bytes) // more may be removed than a lost record knew of
	tx.Put(l.Keys.Shard(n), p.encode())
}

// Add lists location with e and returns its shard: the shard before, in which the page was
// earlier, if that has room; otherwise the last one of its section, if that has room; otherwise
// a new one. Add reserves the most bytes that an entry with these extensions can ever take, so that no later change of
// its dates, and no rule, makes the file too long. It reads a few keys, however many shards
// there are.
func (l Layout) Add(tx txn.Records, before int, location string, e Entry) int {
	size := l.Reserved(location, e.Extensions)
	e.Room = size - l.size(location)
	n, p := l.choose(tx, before, size, l.SectionOf(location))
	p.Pages++
	p.Bytes += size
	l.putShard(tx, n, p)
	tx.Put(l.Keys.List(n, location), e.Encode())
	return n
}

// readAhead is how many shards behind the known ones one run of a transaction reads, since a transaction may run only a
// limited number of times.
const readAhead = 32

func (l Layout) choose(tx txn.Records, before, size int, section string) (int, Shard) {
	fits := func(n int) (Shard, bool) {
		p := Decode(tx.Get(l.Keys.Shard(n)))
		if p.Pages <= 0 {
			p.Section = section // no section has this shard yet
		}
		return p, p.Section == section && l.room(p, size)
	}
	for _, n := range []int{before, l.filling(section)} {
		if n == 0 {
			continue
		}
		if p, ok := fits(n); ok {
			return n, p
		}
	}
	for n := l.Filling + 1; ; n++ { // behind the shards that are known, which are full or of other sections
		if p, ok := fits(n); ok {
			return n, p
		}
		for ahead := range readAhead {
			tx.Get(l.Keys.Shard(n + 1 + ahead)) // other processes may have begun many more
		}
	}
}

// filling returns the shard that new pages of a section fill, 0 if none is known.
func (l Layout) filling(section string) int {
	for n := l.Filling; n > 0; n-- {
		if of, known := l.Sections[n]; of == section && (known || l.Section == nil) {
			return n
		}
	}
	return 0
}

// SectionOf returns the section of a location, "" for none.
func (l Layout) SectionOf(location string) string {
	if l.Section == nil {
		return ""
	}
	return l.Section(location)
}

// Misplaced reports whether location, which is in shard n, belongs into another section by now.
func (l Layout) Misplaced(n int, location string) bool {
	of, known := l.Sections[n]
	return known && of != l.SectionOf(location)
}

// Remove takes location out of shard n. The room stays free, so that few files change.
func (l Layout) Remove(tx txn.Records, n int, location string) {
	key := l.Keys.List(n, location)
	entry := tx.Get(key)
	if entry == nil {
		return
	}
	e, _ := DecodeEntry(entry) // of a damaged entry only the address is known
	p := Decode(tx.Get(l.Keys.Shard(n)))
	p.Pages--
	p.Bytes -= l.size(location) + e.Room
	l.putShard(tx, n, p)
	tx.Put(key, nil)
}

// Move moves location from shard n to another shard, and returns that shard. It returns n if
// the page cannot be moved.
func (l Layout) Move(tx txn.Records, n int, location string) int {
	e, err := DecodeEntry(tx.Get(l.Keys.List(n, location)))
	if err != nil {
		return n
	}
	l.Remove(tx, n, location)
	return l.Add(tx, 0, location, e)
}

// Set replaces the entry of location, which is in shard n, and reports whether that changes
// the shard's file. New extensions may make the shard too large; then [Layout.Move] takes the
// page out of it.
func (l Layout) Set(tx txn.Records, n int, location string, e Entry) bool {
	key := l.Keys.List(n, location)
	old := tx.Get(key)
	before, _ := DecodeEntry(old)
	e.Room = e.Extensions.Len(l.URL)
	value := e.Encode()
	if string(old) == string(value) {
		return false
	}
	p := Decode(tx.Get(l.Keys.Shard(n)))
	p.Bytes += e.Room - before.Room
	l.putShard(tx, n, p)
	tx.Put(key, value)
	return true
}

// Extensions returns the extensions of location's entry in shard n.
func (l Layout) Extensions(tx txn.Records, n int, location string) extension.Values {
	e, err := DecodeEntry(tx.Get(l.Keys.List(n, location)))
	if err != nil {
		return nil
	}
	return e.Extensions
}

// Find returns the shard that lists location, 0 if none does. It reads one key of each
// shard, so it is for the rare case that the page's own record is lost. It also looks behind
// the last shard, since the record of a shard may be lost too. If there are more shards than a
// transaction may read, the transaction fails.
func (l Layout) Find(tx txn.Records, location string) int {
	for n := range min(l.Filling, store.MaxKeys) + 1 {
		if tx.Get(l.Keys.List(n+1, location)) != nil {
			return n + 1
		}
	}
	return 0
}

// Over reports whether shard n is too large. That happens when a page got more extensions.
func (l Layout) Over(tx txn.Records, n int) bool { return l.over(Decode(tx.Get(l.Keys.Shard(n)))) }

func (l Layout) over(p Shard) bool {
	maxURLs, maxBytes := cmp.Or(l.MaxURLs, sitemap.MaxURLs), cmp.Or(l.MaxBytes, sitemap.MaxBytes)
	return p.Pages > 1 && (p.Pages > maxURLs || p.Bytes > maxBytes-headroom)
}

// Reserved returns the most bytes that an entry of location with these extensions can
// take.
func (l Layout) Reserved(location string, x extension.Values) int {
	return l.size(location) + x.Len(l.URL)
}

// size is the most bytes that an entry can take without extensions. The sums
// in the store are made of it. So the overhead that it adds must never change: otherwise
// removing a page would free other bytes than were reserved.
func (l Layout) size(location string) int {
	return sitemap.EscapedLen(l.URL(location)) + sitemap.MaxEntryOverhead
}

// room reports whether one more entry of this size fits. An empty shard has room for any entry.
func (l Layout) room(p Shard, size int) bool {
	return p.Pages <= 0 || !l.over(Shard{Pages: p.Pages + 1, Bytes: p.Bytes + size})
}

// headroom is more than a file's declaration, root element and end take.
const headroom = 1024

// Guess returns the keys that listing location needs in most cases, so that they can be
// read beforehand. n is the page's shard, 0 for a new page. A wrong guess costs a little
// time.
func (l Layout) Guess(n int, location string) []string {
	if n == 0 {
		n = cmp.Or(l.filling(l.SectionOf(location)), l.Filling+1)
	}
	return []string{l.Keys.Shard(n), l.Keys.List(n, location)}
}
