package shards

import (
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
)

// Entry is what the sitemap tells about a listed page. It has all candidates for lastmod,
// since which of them is believed is decided when the file is made.
type Entry struct {
	lastmod.Candidates
	Freq rate.Freq // changefreq, Unknown for none
	// Until is when the page becomes unavailable by its own unavailable_after. It is
	// not shown from then on.
	Until     moment.Time
	Extension *Extension // nil if it has none

	// room is how many bytes of the part are reserved for the extension. It is stored,
	// so that the same number is freed when the page leaves.
	room   int
	unread codec.Unread
}

// fields lists the fields of a stored entry.
func (e *Entry) fields(f *codec.Fields) {
	e.Candidates.Fields(f, 1)
	codec.Uint(f, 10, &e.Freq)
	f.Date(11, &e.Until)
	f.Count(12, &e.room)
	f.Value(14, 18, e.extensionFields)
}

// Encode returns the entry as it is stored.
func (e Entry) Encode() []byte { return codec.Encode(e.fields, e.unread) }

// DecodeEntry reads what [Entry.Encode] wrote.
func DecodeEntry(b []byte) (e Entry, err error) {
	e.unread, err = codec.Read(b, codec.Into(e.fields))
	e.room = min(e.room, sitemap.MaxBytes)
	return e, err
}
