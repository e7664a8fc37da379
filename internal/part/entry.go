// Package part keeps the listed pages in parts, each one sitemap file of at
// most 50,000 pages, and serves the files. A page gets a part when it is first
// listed and stays there, so that a change makes one file new and moves nothing.
package part

import (
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
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

// Without returns the set with s taken out.
func (ss Sources) Without(s Source) Sources { return ss &^ (1 << s) }

// Entry is what the sitemap tells of a listed page, before it is known which of
// its dates can be believed. Times are in Unix seconds, 0 for none.
type Entry struct {
	Changed int64          // when the look was that first showed the present content
	Exact   int64          // the given date that moved with that change, and lies between the looks around it
	ExactBy Source         // who gave Exact
	Given   [sources]int64 // the dates of the present content by source
	Young   Sources        // those of them that no look has found old enough to be used
	Fresh   int64          // first sighting, where the page is known to be new
	Freq    rate.Freq      // changefreq, Unknown for none
	// Volatile says that the page is another one at every look.
	Volatile bool
	// Until is when the page, by its own word, is no longer available; from then
	// on it is not shown.
	Until int64
	// Priority is inferred, in tenths from 1 to 10, 0 for none.
	Priority  uint8
	Extension *Extension // nil if it has none

	// room is how many bytes are reserved for the extension in the part. It is
	// stored, so that as many are freed when the page leaves.
	room   int
	unread record.Unread
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
	entryYoung
	entryRoom
	entryPriority
	entryAlternate // one for each
	entryImage     // one for each
	entryNews
	entryVideo // one for each
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
	enc.Uint(entryYoung, uint64(e.Young))
	enc.Uint(entryRoom, uint64(max(0, e.room)))
	enc.Uint(entryPriority, uint64(e.Priority))
	e.Extension.encode(&enc)
	enc.Keep(e.unread)
	return enc.Seal()
}

// DecodeEntry reads what [Entry.Encode] wrote.
func DecodeEntry(b []byte) (Entry, error) {
	var e Entry
	unread, err := record.Read(b, func(f record.Field) bool {
		switch f.Num {
		case entryChanged:
			e.Changed = f.Seconds()
		case entryExact:
			e.Exact = f.Seconds()
		case entryExactBy:
			e.ExactBy = Source(f.Value)
		case entryServer:
			e.Given[Server] = f.Seconds()
		case entryPage:
			e.Given[Page] = f.Seconds()
		case entryFresh:
			e.Fresh = f.Seconds()
		case entryFreq:
			e.Freq = rate.Freq(f.Value)
		case entryVolatile:
			e.Volatile = true
		case entryUntil:
			e.Until = f.Seconds()
		case entryYoung:
			e.Young = Sources(f.Value)
		case entryRoom:
			e.room = min(f.Count(), sitemap.MaxBytes)
		case entryPriority:
			e.Priority = uint8(min(f.Value, sitemap.MaxPriority))
		case entryAlternate, entryImage, entryNews, entryVideo:
			e.decodeExtension(f)
		default:
			return false
		}
		return true
	})
	e.unread = unread
	return e, err
}

// Basis says what a lastmod goes by, or why there is none.
type Basis uint8

// The bases. Only BySeen to ByFresh come with a date.
const (
	Nothing  Basis = iota // no change was seen, and no date is believed
	BySeen                // the look that first showed the present content
	ByExact               // the given date that moved with the change
	ByGiven               // a given date, since no change was seen
	ByFresh               // the first sighting of a page that is known to be new
	Volatile              // none: the page is another one at every look
	Ahead                 // none: the clock is behind what is stored
)

// LastMod returns when the page's content last changed, as far as that is
// known, in Unix seconds, or 0; see [Entry.Dated].
func (e Entry) LastMod(trust Trust, now int64) int64 {
	at, _, _ := e.Dated(trust, now)
	return at
}

// Dated returns when the page's content last changed, as far as that is known,
// in Unix seconds, or 0, what that goes by, and whose date it is if it was
// given. In order: the change that was seen, dated by a believed source that
// moved with it, else by the look; a believed given date; the first sighting of
// a new page. A page that is another at every look has no such time. A date
// after now is never returned.
//
// Whatever belief is lost, the date that takes the place of another is a later
// one: of two given dates the earlier is used, no given date is later than the
// first sighting, and the look that showed a change is the latest of all.
func (e Entry) Dated(trust Trust, now int64) (at int64, by Basis, whose Source) {
	switch {
	case e.Volatile:
		return 0, Volatile, NoSource
	case e.Changed > now:
		return 0, Ahead, NoSource
	case e.Changed != 0 && e.Exact != 0 && e.Exact <= e.Changed && trust.BelievesChange(e.ExactBy, e.Exact):
		return e.Exact, ByExact, e.ExactBy
	case e.Changed != 0:
		return e.Changed, BySeen, NoSource
	}
	likely := false
	for s := Server; s < sources; s++ {
		g, doubt := e.Given[s], e.Against(trust, s, now)
		if wait := doubt == Stamped && trust[s].Likely.holds(g); (wait || doubt == NoDoubt) && (at == 0 || g < at) {
			at, by, whose, likely = g, ByGiven, s, wait
		}
	}
	switch {
	case likely:
		return 0, Nothing, NoSource
	case at != 0:
		return at, by, whose
	case e.Fresh > now:
		return 0, Ahead, NoSource
	case e.Fresh != 0:
		return e.Fresh, ByFresh, NoSource
	}
	return 0, Nothing, NoSource
}

// Against says why the date that a source gives the page's content is not used.
func (e Entry) Against(trust Trust, s Source, now int64) Doubt {
	g := e.Given[s]
	switch doubt := trust.Against(s, g); {
	case g == 0:
		return NotGiven
	case doubt == NoDoubt && (e.Young.Has(s) || g > now || e.Fresh != 0 && g > e.Fresh):
		return TooYoung
	default:
		return doubt
	}
}
