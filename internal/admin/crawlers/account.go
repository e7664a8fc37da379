package crawlers

import (
	"bytes"
	"cmp"
	"encoding/binary"
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
type counts struct{ claimed, confirmed, refuted uint64 }

// fetched is the last fetch of a file.
type fetched struct {
	at     moment.Time
	status int
}

// account is the stored record of one engine: counts by day, and the last fetch of each
// file.
type account struct {
	days   map[int64]counts
	files  map[string]fetched
	unread codec.Unread
}

func newAccount() account { return account{days: map[int64]counts{}, files: map[string]fetched{}} }

func (a *account) empty() bool { return len(a.days) == 0 && len(a.files) == 0 }

// count adds to the counts of a day.
func (a *account) count(day int64, n counts) {
	c := a.days[day]
	a.days[day] = counts{c.claimed + n.claimed, c.confirmed + n.confirmed, c.refuted + n.refuted}
	for len(a.days) > maxDays {
		delete(a.days, slices.Min(slices.Collect(maps.Keys(a.days))))
	}
}

// fetch notes a fetch of a file, unless a later one is known.
func (a *account) fetch(name string, f fetched) {
	if f.at < a.files[name].at {
		return
	}
	a.files[name] = f
	if len(a.files) > maxFiles {
		delete(a.files, slices.MinFunc(slices.Collect(maps.Keys(a.files)), func(x, y string) int {
			return cmp.Compare(a.files[x].at, a.files[y].at)
		}))
	}
}

// plus returns the sum of both accounts, and changes neither.
func (a *account) plus(b *account) account {
	sum := account{maps.Clone(a.days), maps.Clone(a.files), a.unread}
	for day, n := range b.days {
		sum.count(day, n)
	}
	for name, f := range b.files {
		sum.fetch(name, f)
	}
	return sum
}

// report returns the days and the files, the latest first.
func (a *account) report() (days []Day, files []File) {
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(a.days))) {
		n := a.days[day]
		days = append(days, Day{time.Unix(day*24*60*60, 0).UTC(), codec.Count(n.claimed), codec.Count(n.confirmed), codec.Count(n.refuted)})
	}
	for name, f := range a.files {
		files = append(files, File{name, f.at.Time().UTC(), f.status})
	}
	slices.SortFunc(files, func(x, y File) int { return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.Name, y.Name)) })
	return days, files
}

// readAccount reads what encode wrote. It leaves out what it cannot read.
func readAccount(b []byte) account {
	a := newAccount()
	unread, _ := codec.Read(b, codec.Into(a.fields)) // of a damaged record nothing is left
	a.unread = unread
	return a
}

func (a *account) encode() []byte { return codec.Write(a.fields, a.unread) }

func (a *account) fields(f *codec.Fields) {
	days := slices.Sorted(maps.Keys(a.days))
	f.Data(1, len(days), func(i int) []byte {
		n := a.days[days[i]]
		return numbers(uint64(days[i]), n.claimed, n.confirmed, n.refuted)
	}, func(b []byte) {
		if n, rest := readNumbers(b, 4); rest != nil && n[0] <= lastDay {
			a.count(int64(n[0]), counts{n[1], n[2], n[3]})
		}
	})
	names := slices.Sorted(maps.Keys(a.files))
	f.Data(2, len(names), func(i int) []byte {
		one := a.files[names[i]]
		return append(numbers(uint64(one.at), uint64(one.status)), names[i]...)
	}, func(b []byte) {
		if n, name := readNumbers(b, 2); name != nil && n[0] <= lastDay*24*60*60*1000 && n[1] < 1000 {
			a.fetch(string(name), fetched{moment.Time(n[0]), int(n[1])})
		}
	})
}

// lastDay is the last day of the year 9999, counted from the Unix epoch.
const lastDay = 2_932_896

func numbers(values ...uint64) (b []byte) {
	for _, v := range values {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// readNumbers reads n numbers. It returns what follows them, nil if there are fewer.
func readNumbers(b []byte, n int) (values []uint64, rest []byte) {
	r := bytes.NewReader(b)
	for range n {
		v, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, nil
		}
		values = append(values, v)
	}
	return values, b[len(b)-r.Len():]
}
