package files

import (
	"maps"
	"slices"
	"strconv"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
)

// snapshot is one state of all files. It is replaced, never changed.
type snapshot struct {
	parts   map[int]*file // those that list a page
	index   *file         // of the parts, nil if there is but one
	sides   sides
	pages   int
	damaged int
	until   moment.Time // when the first of the pages expires, 0 for never
	trust   lastmod.Trust
}

// lists reports whether a part lists the location with this hash.
func (s *snapshot) lists(h uint64) bool {
	for _, p := range s.parts {
		if p.listed.has(h) {
			return true
		}
	}
	return false
}

// names reports whether a file names the location with this hash.
func (s *snapshot) names(h uint64) bool {
	return anyNames(maps.Values(s.parts), h) || anyNames(slices.Values(s.sides[:]), h)
}

// with returns the parts with those made in place of the old ones.
func (s *snapshot) with(made map[int]*file) map[int]*file {
	next := make(map[int]*file, len(s.parts)+len(made))
	maps.Copy(next, s.parts)
	for n, p := range made {
		if next[n] = p; p.pages == 0 {
			delete(next, n)
		}
	}
	return next
}

// replace has the files in next served: its parts, side files and trust are given, and
// what follows from these is filled in. The caller holds Files.mu.
func (f *Files) replace(next *snapshot) {
	old := f.served.Load()
	for _, x := range next.sides {
		if x != nil {
			next.until = earlier(next.until, x.until)
		}
	}
	for _, p := range next.parts {
		next.pages += p.pages
		next.damaged += p.damaged
		next.until = earlier(next.until, p.until)
	}
	switch {
	case len(next.parts) < 2:
	case maps.EqualFunc(next.parts, old.parts, func(p, q *file) bool { return p.modified.Equal(q.modified) }):
		next.index = old.index
	default:
		next.index = f.makeIndex(next.parts, old.index)
	}
	f.served.Store(next)
	for n, p := range old.parts {
		if q := next.parts[n]; q == nil || q.hash != p.hash {
			f.cache.remove(p.hash)
		}
	}
}

// makeIndex returns the index of parts. It is as old as the newest of these, but newer
// than the one before if it is another one. The caller holds Files.mu.
func (f *Files) makeIndex(parts map[int]*file, before *file) *file {
	made := new(file)
	p := &f.indexing
	p.begin()
	p.text = append(p.text, sitemap.IndexOpen...)
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		at := parts[n].modified
		p.text, _ = sitemap.AppendSitemap(p.text, f.partURL(n), at.Unix())
		p.flush()
		if at.After(made.modified) {
			made.modified = at
		}
	}
	p.end(made, sitemap.IndexClose)
	switch {
	case before == nil:
	case before.hash == made.hash:
		return before
	case !made.modified.After(before.modified):
		made.modified = before.later(made.modified)
	}
	return made
}

func (f *Files) partURL(n int) string {
	return f.cfg.URL(f.cfg.Folder + f.cfg.Name + "-" + strconv.Itoa(n) + ".xml")
}

// has reports whether a file is one of those being served.
func (s *snapshot) has(p *file) bool {
	for _, q := range s.parts {
		if p == q {
			return true
		}
	}
	return slices.Contains(s.sides[:], p)
}

// swap has a file, whose bytes were made, served in place of the same one without. The
// caller holds Files.mu.
func (f *Files) swap(old, made *file) {
	next := *f.served.Load()
	next.parts = maps.Clone(next.parts)
	for n, p := range next.parts {
		if p == old {
			f.cache.remove(old.hash)
			f.cache.put(made.hash, made.gz)
			made.gz = nil
			next.parts[n] = made
		}
	}
	if s := slices.Index(next.sides[:], old); s >= 0 {
		next.sides[s] = made
	}
	f.served.Store(&next)
}
