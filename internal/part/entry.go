// Package part keeps the listed pages in parts, each one sitemap file of at
// most 50,000 pages, and serves the files. A page gets a part when it is first
// listed and stays there, so that a change makes one file new and moves nothing.
package part

import (
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
)

// Source says who gave a date of a page.
type Source uint8

// The sources. Their numbers are stored.
const (
	NoSource Source = iota
	Server          // the Last-Modified header
	Page            // the page itself, as article:modified_time or JSON-LD dateModified
	sources
)

// Sources is a set of sources, with one bit each.
type Sources uint8

// Has reports whether s is in the set.
func (ss Sources) Has(s Source) bool { return ss>>s&1 == 1 }

// With returns the set with s added.
func (ss Sources) With(s Source) Sources { return ss | 1<<s }

// Entry is what the sitemap tells of a listed page, before it is known which of
// its dates can be believed. Times are in Unix seconds, 0 for none.
type Entry struct {
	Changed int64          // when the look was that first showed the present content
	Exact   int64          // the given date that moved with that change, and lies between the looks around it
	ExactBy Source         // who gave Exact
	Given   [sources]int64 // the present dates by source
	Fresh   int64          // first sighting, where the page is known to be new
	Freq    rate.Freq      // changefreq, Unknown for none
	// Volatile says that the page is another one at every look.
	Volatile bool
	// Until is when the page, by its own word, is no longer available; from then
	// on it is not shown.
	Until int64
}

// The fields of a stored entry.
const (
	entryChanged = 1 + iota
	entryExact
	entryExactBy
	entryServer
	entryPage
	entryFresh
	entryFreq
	entryVolatile
	entryUntil
)

// Encode returns the entry as it is stored.
func (e Entry) Encode() []byte {
	var enc record.Encoder
	enc.Int(entryChanged, e.Changed)
	enc.Int(entryExact, e.Exact)
	enc.Uint(entryExactBy, uint64(e.ExactBy))
	enc.Int(entryServer, e.Given[Server])
	enc.Int(entryPage, e.Given[Page])
	enc.Int(entryFresh, e.Fresh)
	enc.Uint(entryFreq, uint64(e.Freq))
	enc.Bool(entryVolatile, e.Volatile)
	enc.Int(entryUntil, e.Until)
	return enc.Seal()
}

// DecodeEntry reads what [Entry.Encode] wrote.
func DecodeEntry(b []byte) (Entry, error) {
	var e Entry
	err := record.Open(b, func(f record.Field) {
		switch f.Num {
		case entryChanged:
			e.Changed = f.Int()
		case entryExact:
			e.Exact = f.Int()
		case entryExactBy:
			e.ExactBy = Source(f.Value)
		case entryServer:
			e.Given[Server] = f.Int()
		case entryPage:
			e.Given[Page] = f.Int()
		case entryFresh:
			e.Fresh = f.Int()
		case entryFreq:
			e.Freq = rate.Freq(f.Value)
		case entryVolatile:
			e.Volatile = true
		case entryUntil:
			e.Until = f.Int()
		}
	})
	return e, err
}

// LastMod returns when the page's content last changed, as far as that is
// known, in Unix seconds, or 0. In order: the change that was seen, dated by a
// trusted source that moved with it, else by the look; a trusted given date;
// the first sighting of a new page. A page that is another at every look has
// no such time. A date after now is never returned.
func (e Entry) LastMod(trust Trust, now int64) int64 {
	if e.Volatile {
		return 0
	}
	if e.Changed != 0 {
		if e.Exact != 0 && trust.believes(e.ExactBy, e.Exact) {
			return notAfter(e.Exact, now)
		}
		return notAfter(e.Changed, now)
	}
	for s := Server; s < sources; s++ {
		if g := e.Given[s]; g != 0 && g <= now && trust.believes(s, g) {
			return g
		}
	}
	return notAfter(e.Fresh, now)
}

func notAfter(t, now int64) int64 {
	if t > now {
		return 0
	}
	return t
}
