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
	Start                       time.Time
	Claimed, Confirmed, Refuted int
}

// File says when one of the sitemap's files was fetched last, and with what status.
type File struct {
	Name   string
	At     time.Time
	Status int
}

// counts are the counts of one day.
type counts struct {
	Claimed   uint64 `cbor:"1,keyasint,omitzero"`
	Confirmed uint64 `cbor:"2,keyasint,omitzero"`
	Refuted   uint64 `cbor:"3,keyasint,omitzero"`
}

// fetched is the last fetch of a file.
type fetched struct {
	At     moment.Time `cbor:"1,keyasint,omitzero"`
	Status uint16      `cbor:"2,keyasint,omitzero"`
}

// account is the stored record of one engine: counts by day, and the last fetch of each
// file.
type account struct {
	Days  map[int64]counts   `cbor:"1,keyasint,omitempty"`
	Files map[string]fetched `cbor:"2,keyasint,omitempty"`
}

func newAccount() account { return account{map[int64]counts{}, map[string]fetched{}} }

func (a *account) empty() bool { return len(a.Days) == 0 && len(a.Files) == 0 }

// count adds to the counts of a day.
func (a *account) count(day int64, n counts) {
	c := a.Days[day]
	a.Days[day] = counts{c.Claimed + n.Claimed, c.Confirmed + n.Confirmed, c.Refuted + n.Refuted}
	for len(a.Days) > maxDays {
		delete(a.Days, slices.Min(slices.Collect(maps.Keys(a.Days))))
	}
}

// fetch notes a fetch of a file, unless a later one is known.
func (a *account) fetch(name string, f fetched) {
	if f.At < a.Files[name].At {
		return
	}
	a.Files[name] = f
	if len(a.Files) > maxFiles {
		delete(a.Files, slices.MinFunc(slices.Collect(maps.Keys(a.Files)), func(x, y string) int {
			return cmp.Compare(a.Files[x].At, a.Files[y].At)
		}))
	}
}

// plus returns the sum of both accounts, and changes neither.
func (a *account) plus(b *account) account {
	sum := account{maps.Clone(a.Days), maps.Clone(a.Files)}
	for day, n := range b.Days {
		sum.count(day, n)
	}
	for name, f := range b.Files {
		sum.fetch(name, f)
	}
	return sum
}

// report returns the days and the files, the latest first.
func (a *account) report() (days []Day, files []File) {
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(a.Days))) {
		n := a.Days[day]
		days = append(days, Day{time.Unix(day*24*60*60, 0).UTC(), int(n.Claimed), int(n.Confirmed), int(n.Refuted)})
	}
	for name, f := range a.Files {
		files = append(files, File{name, f.At.Time().UTC(), int(f.Status)})
	}
	slices.SortFunc(files, func(x, y File) int { return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.Name, y.Name)) })
	return days, files
}

// readAccount reads what encode wrote. Of a damaged record nothing is left.
func readAccount(b []byte) account {
	a := newAccount()
	var stored account
	if codec.Unmarshal(b, &stored) != nil {
		return a
	}
	for day, n := range stored.Days {
		if 0 <= day && day <= lastDay {
			a.count(day, n)
		}
	}
	for name, f := range stored.Files {
		if 0 <= f.At && f.At.Day() <= lastDay {
			a.fetch(name, f)
		}
	}
	return a
}

func (a *account) encode() []byte { return codec.MarshalOrNil(a) }

// lastDay is the last day of the year 9999, counted from the Unix epoch.
const lastDay = 2_932_896
