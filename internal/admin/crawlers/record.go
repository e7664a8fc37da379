package crawlers

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

const (
	maxDays  = 30  // that are remembered
	maxFiles = 256 // of the sitemap whose last fetch is remembered
)

// Day counts the requests of one UTC day that claimed to be an engine's.
type Day struct {
	Claimed   int `cbor:"1,keyasint,omitzero"`
	Confirmed int `cbor:"2,keyasint,omitzero"`
	Refuted   int `cbor:"3,keyasint,omitzero"`
}

// File is the last fetch of one of the sitemap's files.
type File struct {
	At     moment.Time `cbor:"1,keyasint,omitzero"`
	Status int         `cbor:"2,keyasint,omitzero"`
}

// record is what is stored of one engine: counts by day, and the last fetch of each file.
type record struct {
	Days  map[int64]Day   `cbor:"1,keyasint,omitempty"` // by days since 1970
	Files map[string]File `cbor:"2,keyasint,omitempty"`
}

// readRecord reads a stored record. Of a damaged one nothing is left. A time later than now, of a wrong
// clock, counts as now.
func readRecord(b []byte, now moment.Time) (r record) {
	var stored record
	if codec.Unmarshal(b, &stored) != nil {
		return r
	}
	for day, n := range stored.Days {
		r.add(record{Days: map[int64]Day{min(day, now.Day()): n}})
	}
	for name, f := range stored.Files {
		r.add(record{Files: map[string]File{name: {min(f.At, now), f.Status}}})
	}
	return r
}

// add adds what another record has, and drops what is too old.
func (r *record) add(other record) {
	if r.Days == nil {
		r.Days, r.Files = map[int64]Day{}, map[string]File{}
	}
	for day, n := range other.Days {
		sum := r.Days[day]
		r.Days[day] = Day{sum.Claimed + n.Claimed, sum.Confirmed + n.Confirmed, sum.Refuted + n.Refuted}
	}
	for name, f := range other.Files {
		if f.At >= r.Files[name].At {
			r.Files[name] = f
		}
	}
	for len(r.Days) > maxDays {
		delete(r.Days, slices.Min(slices.Collect(maps.Keys(r.Days))))
	}
	for len(r.Files) > maxFiles {
		delete(r.Files, r.latest()[len(r.Files)-1])
	}
}

// latest returns the names of the files, the latest fetch first.
func (r *record) latest() []string {
	return slices.SortedFunc(maps.Keys(r.Files), func(x, y string) int {
		return cmp.Or(cmp.Compare(r.Files[y].At, r.Files[x].At), cmp.Compare(x, y))
	})
}

// Report is what one engine fetched.
type Report struct {
	Engine      Engine
	Confirmable bool // its addresses are published, or the DNS knows them
	record      record
	Since       time.Time // when this process began to follow pages
	Day, Week   int       // listed pages fetched in that time, or since Since if that is later
	Never       int       // listed pages not fetched since Since
}

// EachDay yields the days and their counts, the latest first.
func (r *Report) EachDay(yield func(time.Time, Day) bool) {
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(r.record.Days))) {
		if !yield(time.Unix(day*24*60*60, 0).UTC(), r.record.Days[day]) {
			return
		}
	}
}

// EachFile yields the names of files and their last fetches, the latest first.
func (r *Report) EachFile(yield func(string, File) bool) {
	for _, name := range r.record.latest() {
		if !yield(name, r.record.Files[name]) {
			return
		}
	}
}
