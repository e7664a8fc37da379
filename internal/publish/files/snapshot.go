package files

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/keys"
)

// file is one of the files. Once it is served it is replaced, never changed.
type file struct {
	hash    hash
	gz      []byte          // the bytes, compressed
	size    int             // of the bytes before compression
	pages   int             // that it lists
	changed moment.Time     // when what is stored of its pages last changed, to the second, 0 if that is unknown
	dates   lastmod.Summary // that its pages give
	damaged int             // entries that could not be read
	dated   int             // entries with a lastmod
	until   moment.Time     // when the first page expires, 0 for never
	listed  locations
	section string    // of its pages, "" for none
	news    []mention // of its pages, for the files beside the sitemap
	unread  bool      // there is a shard, and it could not be read since the start
}

// hash is the hash of a file's bytes before compression. It has no seed, since entity tags go by it in every process.
// Somebody who makes two states of a file with one hash only hides that change from crawlers.
type hash [16]byte

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
	files map[int]*file  // those that list a page, or may, by their numbers
	parts map[int]string // the names of the shards in sections, such as "blog-2"
	index *file          // lists the shards; nil if there are fewer than two, and no sections
	pages int            // listed by the shards
	until moment.Time    // when the first of the pages expires, 0 for never
	trust lastmod.Trust
	made  time.Time // the zero time for never
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

// with returns the files, with the made ones in place of the old ones.
func (s *snapshot) with(made map[int]*file) map[int]*file {
	next := map[int]*file{}
	maps.Copy(next, s.files)
	maps.Copy(next, made)
	maps.DeleteFunc(next, func(_ int, p *file) bool { return p.pages == 0 && !p.unread })
	return next
}

// named returns the file that a name stands for, nil if there is none. While there is only
// one shard, that goes by the name of the index.
func (s *snapshot) named(n name) *file {
	for number, part := range s.parts {
		if n.part == part && part != "" {
			return s.files[number]
		}
	}
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

// sum fills in what the files say together. address returns the address of a file.
func (s *snapshot) sum(address func(n int) string) {
	for n, p := range s.files {
		if s.until = earlier(s.until, p.until); n <= keys.MaxShard {
			s.pages += p.pages
		}
	}
	numbers, counts := s.shards(), map[string]int{}
	for _, n := range numbers {
		section := s.files[n].section
		if section == "" {
			continue
		}
		if s.parts == nil {
			s.parts = map[int]string{}
		}
		if s.parts[n], counts[section] = section, counts[section]+1; counts[section] > 1 {
			s.parts[n] += "-" + strconv.Itoa(counts[section])
		}
	}
	if len(numbers) > 1 || len(s.parts) > 0 {
		s.index = s.writeIndex(numbers, address)
	}
}

// writeIndex returns the index of shards.
func (s *snapshot) writeIndex(numbers []int, address func(n int) string) *file {
	made, w := new(file), new(writer)
	w.begin(sitemap.IndexOpen)
	for _, n := range numbers {
		at := s.files[n].changed
		w.text, _ = sitemap.AppendSitemap(w.text, address(n), at.Seconds())
		w.flush()
		made.changed = max(made.changed, at)
	}
	w.end(made, sitemap.IndexClose)
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
