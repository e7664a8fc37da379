package files

import (
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/keys"
)

// file is one of the files. Once it is served it is replaced, never changed.
type file struct {
	record
	gz      []byte      // the bytes, compressed; nil if only the record of the file was read
	damaged int         // entries that could not be read
	dated   int         // entries with a lastmod
	until   moment.Time // when the first page expires, 0 for never
	listed  locations
	linked  locations // of other pages that its entries name
	news    []mention // of its pages, for the files beside the sitemap
}

// since returns the time of a file that takes the place of another at some time, or of none. The same bytes keep
// their time. Others get a later one, so that a client that compares times to the second gets them.
func (p *file) since(before *file, at moment.Time) moment.Time {
	switch {
	case before == nil:
		return at
	case before.Hash == p.Hash:
		return before.Modified
	}
	return max(at, before.Modified.Add(time.Second))
}

// names reports whether the file lists a location or links to it.
func (p *file) names(h uint64) bool { return p.listed.has(h) || p.linked.has(h) }

// locations is a set of locations, as sorted hashes. The hashes are in memory only
// and have another seed in each process, so that no stranger can know of two
// locations with one hash. nil holds none.
type locations []uint64

// newLocations returns the set of these hashes, and keeps none of the slice.
func newLocations(hashes []uint64) locations {
	if len(hashes) == 0 {
		return nil
	}
	slices.Sort(hashes)
	return slices.Clone(slices.Compact(hashes))
}

func (s locations) has(hash uint64) bool {
	_, is := slices.BinarySearch(s, hash)
	return is
}

// snapshot is one state of all files. It is replaced, never changed.
type snapshot struct {
	files    map[int]*file // those that list a page, by their numbers
	index    *file         // lists the shards; nil if there are fewer than two
	pages    int           // listed by the shards
	until    moment.Time   // when the first of the pages expires, 0 for never
	trust    lastmod.Trust
	whole    bool          // all of them were made since the start
	made     time.Time     // when files were last made, or known to be there, the zero time for never
	replaced chan struct{} // closed when another snapshot takes its place
}

// shards returns the numbers of the shards, in order.
func (s *snapshot) shards() []int {
	numbers := slices.Sorted(maps.Keys(s.files))
	return slices.DeleteFunc(numbers, func(n int) bool { return n > keys.MaxShard })
}

// lists reports whether a shard lists the location with this hash.
func (s *snapshot) lists(h uint64) bool {
	for n, p := range s.files {
		if n <= keys.MaxShard && p.listed.has(h) {
			return true
		}
	}
	return false
}

// names reports whether a file names the location with this hash.
func (s *snapshot) names(h uint64) bool {
	for _, p := range s.files {
		if p.names(h) {
			return true
		}
	}
	return false
}

// with returns the files, with the made ones in place of the old ones.
func (s *snapshot) with(made map[int]*file) map[int]*file {
	next := map[int]*file{}
	maps.Copy(next, s.files)
	maps.Copy(next, made)
	maps.DeleteFunc(next, func(_ int, p *file) bool { return p.Pages == 0 })
	return next
}

// named returns the file that a name stands for, nil if there is none. While there is only
// one shard, that goes by the name of the index.
func (s *snapshot) named(n name) *file {
	if !n.top {
		return s.files[n.number]
	}
	if s.index != nil {
		return s.index
	}
	for _, number := range s.shards() {
		return s.files[number]
	}
	return nil
}

// cut takes pages out of the files, and returns which of them the files named.
func (s *snapshot) cut(gone map[uint64]string, url func(string) string) (named locations) {
	for n, p := range s.files {
		in := map[uint64]string{}
		for h, location := range gone {
			if p.names(h) {
				in[h] = location
				named = append(named, h)
			}
		}
		if len(in) == 0 {
			continue
		}
		if s.files[n] = p.without(in, url); s.files[n].Pages == 0 {
			delete(s.files, n)
		}
	}
	return newLocations(named)
}

// date gives the files that take the place of old ones their times. One that was cut out of an old one still has
// the time of that.
func (s *snapshot) date(old *snapshot, now moment.Time) {
	for n, p := range s.files {
		before := old.files[n]
		if before == nil || before == p {
			continue
		}
		at := p.Modified
		if at <= before.Modified {
			at = now
		}
		p.Modified = p.since(before, at)
	}
}

// sum fills in what the files say together. address returns the address of a file.
func (s *snapshot) sum(address func(n int) string, before *file) {
	for n, p := range s.files {
		if s.until = earlier(s.until, p.until); n <= keys.MaxShard {
			s.pages += p.Pages
		}
	}
	if numbers := s.shards(); len(numbers) > 1 {
		s.index = s.writeIndex(numbers, address, before)
	}
}

// writeIndex returns the index of shards. Its date is that of its newest shard. If the index has
// changed, its date is also later than before.
func (s *snapshot) writeIndex(numbers []int, address func(n int) string, before *file) *file {
	made, w := new(file), new(writer)
	w.begin(sitemap.IndexOpen)
	for _, n := range numbers {
		at := s.files[n].Modified
		w.text, _ = sitemap.AppendSitemap(w.text, address(n), at.Seconds())
		w.flush()
		made.Modified = max(made.Modified, at)
	}
	w.end(made, sitemap.IndexClose)
	made.Modified = made.since(before, made.Modified)
	return made
}

// passed reports whether now is at or after t, where 0 is never.
func passed(t, now moment.Time) bool { return t != 0 && t <= now }

// earlier returns the first of two times, where 0 is never.
func earlier(a, b moment.Time) moment.Time {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
