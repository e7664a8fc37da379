// Package book says which page is in which part of the sitemap, and what the part's
// file says of it. A part is one file of at most 50,000 pages. A page gets a part
// when it is first listed and stays there, so that a change makes one file new and
// moves nothing. The package reads and writes records; it makes no file.
package book

import (
	"math"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store"
)

// Tx is the view of the store within one transaction.
type Tx interface {
	Get(key string) []byte
	Put(key string, value []byte) // nil deletes
}

// A Book says which page is in which part. Its methods only read and write tx,
// so that they can run again.
type Book struct {
	Keys     keys.Keys
	URL      func(location string) string // the absolute URL of a location
	MaxURLs  int                          // 0 means the protocol's 50,000
	MaxBytes int                          // 0 means the protocol's 52,428,800
}

// kinds are the extensions that a part's file may have to declare.
var kinds = [...]sitemap.Namespaces{sitemap.Alternates, sitemap.Images, sitemap.Videos}

// Part is the record of one part.
type Part struct {
	Pages   int
	Bytes   int             // reserved for the pages
	Using   [len(kinds)]int // how many pages have which extension
	Changes int             // raised by all that may make the file another one

	unread record.Unread
}

func (p *Part) fields(f *record.Fields) {
	f.Count(1, &p.Pages)
	f.Count(2, &p.Bytes)
	for i := range p.Using { // one for each extension
		f.Count(3+i, &p.Using[i])
	}
	f.Count(6, &p.Changes)
}

// Uses returns the extensions that the part's file has to declare.
func (p Part) Uses() (n sitemap.Namespaces) {
	for i, kind := range kinds {
		if p.Using[i] > 0 {
			n |= kind
		}
	}
	return n
}

// count adds n pages with these extensions.
func (p *Part) count(uses sitemap.Namespaces, n int) {
	for i, kind := range kinds {
		if uses&kind != 0 {
			p.Using[i] += n
		}
	}
}

// DecodePart reads the record of a part.
func DecodePart(b []byte) (p Part) {
	p.unread, _ = record.Read(b, record.Into(p.fields))
	return p
}

func (p Part) encode() []byte {
	var enc record.Encoder
	enc.Add(p.fields)
	enc.Keep(p.unread)
	return enc.Seal()
}

// putPart stores the record of a part that has changed.
func (b Book) putPart(tx Tx, n int, p Part) {
	p.Changes = (p.Changes + 1) % math.MaxInt32
	tx.Put(b.Keys.Part(n), p.encode())
}

// readNumber returns the number that is all that a record holds, 0 if it is damaged.
func readNumber(b []byte) (n int) {
	_, _ = record.Read(b, record.Into(func(f *record.Fields) { f.Count(1, &n) }))
	return n
}

// putNumber stores such a record.
func putNumber(tx Tx, key string, n int) {
	tx.Put(key, record.Write(func(f *record.Fields) { f.Count(1, &n) }, record.Others(tx.Get(key), 1)))
}

// readHead returns the part that is being filled, at least 1.
func readHead(b []byte) (filling int) {
	if n := readNumber(b); 1 <= n && n <= keys.MaxPart {
		return n
	}
	return 1 // it is for [Book.Mend] to say
}

func (b Book) putHead(tx Tx, filling int) { putNumber(tx, b.Keys.Head(), filling) }

// Add lists location with e and returns its part: that numbered before, if the
// page was there already and there is room, else the one being filled. Room is
// reserved for the most that an entry with these extensions can ever take, so that
// no later change of its dates, and no rule, makes the file too long. It asks for a
// few keys, however many parts there are.
func (b Book) Add(tx Tx, before int, location string, e Entry) int {
	size := b.Reserved(location, e.Extension)
	e.room = size - b.size(location)
	n, p := b.choose(tx, before, size)
	p.Pages++
	p.Bytes += size
	p.count(e.Extension.uses(), 1)
	b.putPart(tx, n, p)
	tx.Put(b.Keys.List(n, location), e.Encode())
	b.announce(tx, n, location, nil, e.Extension)
	return n
}

func (b Book) choose(tx Tx, before, size int) (int, Part) {
	if before > 0 {
		if p := DecodePart(tx.Get(b.Keys.Part(before))); b.room(p, size) {
			return before, p
		}
	}
	filling := readHead(tx.Get(b.Keys.Head()))
	n, p := b.firstRoom(tx, filling, size)
	if n != filling {
		b.putHead(tx, n)
	}
	return n, p
}

// askedAhead is how many parts firstRoom reads at once after a damaged head, as a
// transaction can only be run again a few times for further keys.
const askedAhead = 32

// firstRoom returns the first part from n on that has room.
func (b Book) firstRoom(tx Tx, n, size int) (int, Part) {
	for from := n; ; n++ {
		if n > from && (n-from)%askedAhead == 1 {
			for ahead := range askedAhead {
				tx.Get(b.Keys.Part(n + ahead))
			}
		}
		if p := DecodePart(tx.Get(b.Keys.Part(n))); b.room(p, size) {
			return n, p
		}
	}
}

// Remove takes location out of part n. What that leaves free stays free, so that
// few files become new.
func (b Book) Remove(tx Tx, n int, location string) {
	key := b.Keys.List(n, location)
	entry := tx.Get(key)
	if entry == nil {
		return
	}
	e, _ := DecodeEntry(entry) // of a damaged one nothing but the address is known
	p := DecodePart(tx.Get(b.Keys.Part(n)))
	p.Pages--
	p.Bytes -= b.size(location) + e.room
	p.count(e.Extension.uses(), -1)
	b.putPart(tx, n, p)
	tx.Put(key, nil)
	b.announce(tx, n, location, e.Extension, nil)
}

// Move takes location out of part n, and returns the part that lists it then, which
// is n if it cannot be moved.
func (b Book) Move(tx Tx, n int, location string) int {
	e, err := DecodeEntry(tx.Get(b.Keys.List(n, location)))
	if err != nil {
		return n
	}
	b.Remove(tx, n, location)
	return b.Add(tx, 0, location, e)
}

// Set replaces the entry of location, which is in part n, and reports whether
// that changes the part's file. With other extensions the part may have more
// than it may by then; [Book.Move] takes the page out of it.
func (b Book) Set(tx Tx, n int, location string, e Entry) bool {
	key := b.Keys.List(n, location)
	old := tx.Get(key)
	before, _ := DecodeEntry(old)
	e.room, e.unread = e.Extension.room(b.URL), before.unread
	value := e.Encode()
	if string(old) == string(value) {
		return false
	}
	p := DecodePart(tx.Get(b.Keys.Part(n)))
	p.Bytes += e.room - before.room
	p.count(before.Extension.uses(), -1)
	p.count(e.Extension.uses(), 1)
	b.putPart(tx, n, p)
	b.announce(tx, n, location, before.Extension, e.Extension)
	tx.Put(key, value)
	return true
}

// Extension returns that of the entry of location, which is in part n, nil if it
// has none.
func (b Book) Extension(tx Tx, n int, location string) *Extension {
	e, err := DecodeEntry(tx.Get(b.Keys.List(n, location)))
	if err != nil {
		return nil
	}
	return e.Extension
}

// Find returns the part that lists location, 0 if none does. It asks for one key
// of each part, so it is for the rare case that the page's own record is lost. Of
// more parts than a transaction takes it asks for more than that, and no further.
func (b Book) Find(tx Tx, location string) int {
	for n := range min(readHead(tx.Get(b.Keys.Head())), store.MaxKeys+1) {
		if tx.Get(b.Keys.List(n+1, location)) != nil {
			return n + 1
		}
	}
	return 0
}

// Mend brings the head in line with the records of parts, of all as [ReadParts]
// returns them, and returns the part that is being filled.
func (b Book) Mend(tx Tx, parts map[int]Part) (filling int) {
	known := readHead(tx.Get(b.Keys.Head()))
	filling = known
	for n := range parts {
		filling = max(filling, n)
	}
	if filling != known {
		b.putHead(tx, filling)
	}
	return filling
}

// Over reports whether part n has more than it may, which happens when the limits
// were lowered, or a page got more extensions.
func (b Book) Over(tx Tx, n int) bool { return b.over(DecodePart(tx.Get(b.Keys.Part(n)))) }

func (b Book) over(p Part) bool {
	maxURLs, maxBytes := b.limits()
	return p.Pages > 1 && (p.Pages > maxURLs || p.Bytes+p.Pages*sitemap.PriorityLen > maxBytes-headroom)
}

// Uneven returns the parts that have more than they may, and those that have so
// few pages that the part being filled takes them.
func (b Book) Uneven(parts map[int]Part, filling int) (over, thin map[int]bool) {
	over, thin = map[int]bool{}, map[int]bool{}
	maxURLs, maxBytes := b.limits()
	for n, p := range parts {
		switch {
		case b.over(p):
			over[n] = true
		case n < filling && 4*p.Pages < maxURLs && 4*p.Bytes < maxBytes:
			thin[n] = true
		}
	}
	return over, thin
}

// Reserved returns the most bytes that an entry of location with these extensions
// takes without a priority.
func (b Book) Reserved(location string, x *Extension) int { return b.size(location) + x.room(b.URL) }

// size is the most that an entry takes without a priority and extensions. It is
// what the sums in the store are made of, so what it adds to the address never
// changes: else taking out a page would free other bytes than were reserved for it.
func (b Book) size(location string) int {
	return sitemap.EscapedLen(b.URL(location)) + sitemap.MaxEntryOverhead - sitemap.PriorityLen
}

// room reports whether one more entry of the size fits, and a priority for each.
// An empty part has room for any.
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

// Guess returns the keys that listing location takes in most cases, for who reads
// them beforehand: n is the part that it is in, or for a new page, with isNew,
// that which the last one went to. A wrong guess costs a little time.
func (b Book) Guess(n int, location string, isNew bool) []string {
	switch {
	case n == 0:
		return nil
	case isNew:
		return []string{b.Keys.Head(), b.Keys.Part(n), b.Keys.List(n, location)}
	}
	return []string{b.Keys.Part(n), b.Keys.List(n, location)}
}
