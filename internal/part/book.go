package part

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
)

// Keys names the records of one site's parts. It is the common beginning of
// the site's keys.
type Keys string

func (k Keys) list(n int, location string) string {
	return fmt.Sprintf("%slist|%06d|%s", string(k), n, location)
}
func (k Keys) part(n int) string { return fmt.Sprintf("%spart|%06d", string(k), n) }
func (k Keys) file(n int) string { return fmt.Sprintf("%sfile|%06d", string(k), n) }
func (k Keys) head() string      { return string(k) + "head" }

func (k Keys) parts() string { return string(k) + "part|" }

// partOf returns the number at the end of a key that [Keys.part] made.
func (k Keys) partOf(key string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(key, k.parts()))
	return n, err == nil && n > 0
}

// Tx is the view of the store within one transaction.
type Tx interface {
	Get(key string) []byte
	Put(key string, value []byte) // nil deletes
}

// A Book says which page is in which part. Its methods only read and write tx,
// so that they can run again.
type Book struct {
	Keys     Keys
	URL      func(location string) string // the absolute URL of a location
	MaxURLs  int                          // 0 means the protocol's 50,000
	MaxBytes int                          // 0 means the protocol's 52,428,800
}

// meta is the record of one part: its pages, and the bytes reserved for them,
// each as [Book.size] has it.
type meta struct{ pages, bytes int }

func readMeta(b []byte) (m meta) {
	_ = record.Open(b, func(f record.Field) {
		switch f.Num {
		case 1:
			m.pages = int(f.Value)
		case 2:
			m.bytes = int(f.Value)
		}
	})
	return m
}

func (m meta) encode() []byte {
	var enc record.Encoder
	enc.Uint(1, uint64(max(0, m.pages)))
	enc.Uint(2, uint64(max(0, m.bytes)))
	return enc.Seal()
}

// readHead returns the number of the part that is being filled, at least 1.
func readHead(b []byte) int {
	n := 1
	_ = record.Open(b, func(f record.Field) {
		if f.Num == 1 {
			n = max(1, int(f.Value))
		}
	})
	return n
}

func encodeHead(n int) []byte {
	var enc record.Encoder
	enc.Uint(1, uint64(n))
	return enc.Seal()
}

// Add lists location with e and returns its part: that numbered before, if the
// page was there already and there is room, else the one being filled. The room
// is for the most that the entries can ever take, so that no later change of
// their dates, nor a rule, makes a part outgrow its file.
func (b Book) Add(tx Tx, before int, location string, e Entry) int {
	size := b.size(location)
	n := before
	m := readMeta(tx.Get(b.Keys.part(n)))
	if n == 0 || !b.room(m, size) {
		n = readHead(tx.Get(b.Keys.head()))
		m = readMeta(tx.Get(b.Keys.part(n)))
		if !b.room(m, size) {
			for !b.room(m, size) {
				n++
				m = readMeta(tx.Get(b.Keys.part(n)))
			}
			tx.Put(b.Keys.head(), encodeHead(n))
		}
	}
	m.pages++
	m.bytes += size
	tx.Put(b.Keys.part(n), m.encode())
	tx.Put(b.Keys.list(n, location), e.Encode())
	return n
}

// Remove takes location out of part n.
func (b Book) Remove(tx Tx, n int, location string) {
	key := b.Keys.list(n, location)
	if tx.Get(key) == nil {
		return
	}
	m := readMeta(tx.Get(b.Keys.part(n)))
	m.pages--
	m.bytes -= b.size(location)
	tx.Put(b.Keys.part(n), m.encode())
	tx.Put(key, nil)
}

// Set replaces the entry of location, which is in part n, and reports whether
// that changes the part's file.
func (b Book) Set(tx Tx, n int, location string, e Entry) bool {
	key := b.Keys.list(n, location)
	value := e.Encode()
	if string(tx.Get(key)) == string(value) {
		return false
	}
	tx.Put(key, value)
	return true
}

// Find returns the part that lists location, 0 if none does. It asks for one key
// of each part, so it is for the rare case that the page's own record is lost.
func (b Book) Find(tx Tx, location string) int {
	for n := range readHead(tx.Get(b.Keys.head())) {
		if tx.Get(b.Keys.list(n+1, location)) != nil {
			return n + 1
		}
	}
	return 0
}

// size is the most that an entry takes without a priority. It is what the sums
// in the store are made of, so what it adds to the address never changes: else
// taking out a page would free other bytes than were reserved for it.
func (b Book) size(location string) int {
	return sitemap.EscapedLen(b.URL(location)) + sitemap.MaxEntryOverhead - sitemap.PriorityLen
}

// room reports whether one more entry of the size fits, and a priority for each.
func (b Book) room(m meta, size int) bool {
	maxURLs, maxBytes := b.MaxURLs, b.MaxBytes
	if maxURLs == 0 {
		maxURLs = sitemap.MaxURLs
	}
	if maxBytes == 0 {
		maxBytes = sitemap.MaxBytes
	}
	priorities := (m.pages + 1) * sitemap.PriorityLen
	return m.pages < maxURLs && m.bytes+size+priorities <= maxBytes-headroom || m.pages <= 0
}

// headroom is more than a file's declaration, root element and end take.
const headroom = 1024
