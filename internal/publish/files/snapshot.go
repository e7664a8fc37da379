package files

import (
	"maps"
	"slices"
	"strconv"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/keys"
)

// snapshot is one state of all files. It is replaced, never changed.
type snapshot struct {
	files   map[int]*file // parts and side files that list a page, by their numbers
	index   *file         // lists the parts; nil if there are fewer than two
	pages   int           // listed by the parts
	damaged int
	until   moment.Time // when the first of the pages expires, 0 for never
	trust   lastmod.Trust
}

// lists reports whether a part lists the location with this hash.
func (s *snapshot) lists(h uint64) bool {
	for n, p := range s.files {
		if n <= keys.MaxPart && p.listed.has(h) {
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
	next := maps.Clone(s.files)
	if next == nil {
		next = map[int]*file{}
	}
	maps.Copy(next, made)
	maps.DeleteFunc(next, func(_ int, p *file) bool { return p.pages == 0 })
	return next
}

// replace serves next from now on. The caller gives files and trust; replace fills in the
// rest. The caller holds Files.mu.
func (f *Files) replace(next *snapshot) {
	old := f.served.Load()
	var parts []int
	for n, p := range next.files {
		if next.until = earlier(next.until, p.until); n <= keys.MaxPart {
			parts = append(parts, n)
			next.pages += p.pages
			next.damaged += p.damaged
		}
	}
	if len(parts) > 1 {
		slices.Sort(parts)
		next.index = f.makeIndex(parts, next.files, old.index)
	}
	f.served.Store(next)
	for n, p := range old.files {
		if q := next.files[n]; q == nil || q.hash != p.hash {
			f.cache.remove(p.hash)
		}
	}
}

// makeIndex returns the index of parts. Its date is that of its newest part. If the index
// has changed, its date is also later than before. The caller holds Files.mu.
func (f *Files) makeIndex(parts []int, files map[int]*file, before *file) *file {
	made, p := new(file), &f.indexer
	p.begin()
	p.text = append(p.text, sitemap.IndexOpen...)
	for _, n := range parts {
		at := files[n].modified
		p.text, _ = sitemap.AppendSitemap(p.text, f.cfg.URL(f.cfg.Folder+f.cfg.Name+"-"+strconv.Itoa(n)+".xml"), at.Seconds())
		p.flush()
		made.modified = max(made.modified, at)
	}
	p.end(made, sitemap.IndexClose)
	switch {
	case before == nil:
	case before.hash == made.hash:
		return before
	case made.modified <= before.modified:
		made.modified = before.later(made.modified)
	}
	return made
}

// has reports whether p is being served.
func (s *snapshot) has(p *file) bool { return slices.Contains(slices.Collect(maps.Values(s.files)), p) }

// swap serves made, which has bytes, in place of old if old is still served. The caller
// holds Files.mu.
func (f *Files) swap(old, made *file) {
	next := *f.served.Load()
	next.files = maps.Clone(next.files)
	for n, p := range next.files {
		if p == old {
			f.cache.remove(old.hash)
			f.cache.put(made.hash, made.gz)
			made.gz = nil
			next.files[n] = made
		}
	}
	f.served.Store(&next)
}
