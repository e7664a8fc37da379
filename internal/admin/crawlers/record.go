package crawlers

import (
	"maps"
	"slices"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

const (
	maxDays  = 30  // days that are remembered
	maxFiles = 256 // files of the sitemap whose last fetch is remembered
)

// Day counts the requests of one UTC day that claimed to be an engine's, and those that are known to be.
type Day struct {
	Claimed   int `cbor:"1,keyasint,omitzero"`
	Confirmed int `cbor:"2,keyasint,omitzero"`
}

// File is the last fetch of one of the sitemap's files.
type File struct {
	At     moment.Time `cbor:"1,keyasint,omitzero"`
	Status int         `cbor:"2,keyasint,omitzero"`
}

// Record is what is known of one engine.
type Record struct {
	Days  map[int64]Day   `cbor:"1,keyasint,omitempty"` // by days since 1970
	Files map[string]File `cbor:"2,keyasint,omitempty"` // by name
}

// readRecord reads a stored record. A damaged one counts as empty. It leaves out what a wrong clock has noted for
// later.
func readRecord(b []byte, now moment.Time) (r Record) {
	if codec.Unmarshal(b, &r) != nil {
		return Record{}
	}
	maps.DeleteFunc(r.Days, func(day int64, _ Day) bool { return day > now.Day() })
	maps.DeleteFunc(r.Files, func(_ string, f File) bool { return f.At > now })
	return r
}

// add adds what another record has, and drops what is too old.
func (r *Record) add(other Record) {
	if r.Days == nil {
		r.Days = map[int64]Day{}
	}
	if r.Files == nil {
		r.Files = map[string]File{}
	}
	for day, n := range other.Days {
		sum := r.Days[day]
		r.Days[day] = Day{sum.Claimed + n.Claimed, sum.Confirmed + n.Confirmed}
	}
	for name, f := range other.Files {
		if old, is := r.Files[name]; f.At >= old.At && (is || len(r.Files) < maxFiles) {
			r.Files[name] = f
		}
	}
	for len(r.Days) > maxDays {
		delete(r.Days, slices.Min(slices.Collect(maps.Keys(r.Days))))
	}
}
