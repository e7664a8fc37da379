package book

import (
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
)

// Entry is what the sitemap tells of a listed page, before it is known which of
// its dates can be believed.
type Entry struct {
	lastmod.Candidates
	Freq rate.Freq // changefreq, Unknown for none
	// Until is when the page, by its own word, is no longer available; from then
	// on it is not shown.
	Until moment.Time
	// Priority is inferred, in tenths from 1 to 10, 0 for none.
	Priority  uint8
	Extension *Extension // nil if it has none

	// room is how many bytes are reserved for the extension in the part. It is
	// stored, so that as many are freed when the page leaves.
	room   int
	unread record.Unread
}

// The fields of a stored entry, behind those of its candidates.
const (
	entryCandidates = 1
	entryFreq       = entryCandidates + lastmod.CandidateFields + iota - 1
	entryUntil
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
	e.Candidates.Encode(&enc, entryCandidates)
	enc.Uint(entryFreq, uint64(e.Freq))
	enc.Date(entryUntil, e.Until)
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
		case entryFreq:
			e.Freq = rate.Freq(f.Value)
		case entryUntil:
			e.Until = f.Date()
		case entryRoom:
			e.room = min(f.Count(), sitemap.MaxBytes)
		case entryPriority:
			e.Priority = uint8(min(f.Value, sitemap.MaxPriority))
		case entryAlternate, entryImage, entryNews, entryVideo:
			e.decodeExtension(f)
		default:
			return e.Candidates.Decode(f, entryCandidates)
		}
		return true
	})
	e.unread = unread
	return e, err
}
