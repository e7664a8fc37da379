package files

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
)

// snapshot is one state of all files. It is replaced, never changed.
type snapshot struct {
	parts   map[int]*file // those that list a page
	index   *index        // of the parts, nil if there is but one
	sides   sides
	pages   int
	damaged int
	until   moment.Time // when the first of its pages expires, 0 for never
}

// index is a file that is small enough to be kept whole: an index of parts, or a
// side file.
type index struct {
	*file
	gz []byte
}

func (s snapshot) lists(location string, h uint32) bool {
	for _, p := range s.parts {
		if p.lists(location, h) {
			return true
		}
	}
	return false
}

// publish serves the files made in place of those there are, but without the
// pages that are withdrawn. The caller holds Files.turn.
func (f *Files) publish(made map[int]*file, trust lastmod.Trust) {
	f.publishing.Lock()
	defer f.publishing.Unlock()
	f.replace(f.with(made), f.current().sides, trust)
}

// publishAll is publish with other side files.
func (f *Files) publishAll(made map[int]*file, beside sides, trust lastmod.Trust) {
	f.publishing.Lock()
	defer f.publishing.Unlock()
	f.replace(f.with(made), beside, trust)
}

// cut takes what is withdrawn out of the files being served. It asks neither the
// store nor for the turn, which may be held for long where the store is slow.
func (f *Files) cut() {
	f.publishing.Lock()
	defer f.publishing.Unlock()
	f.mu.RLock()
	last := f.withdrawn.last
	f.mu.RUnlock()
	if !f.isCut(last) {
		old := f.current()
		f.replace(maps.Clone(old.parts), old.sides, f.Trust())
	}
}

// all returns all files that list pages, the side files by numbers below 1.
func (s snapshot) all() map[int]*file {
	if s.sides == (sides{}) {
		return s.parts
	}
	all := maps.Clone(s.parts)
	for i, x := range s.sides {
		if x != nil {
			all[-i] = x.file
		}
	}
	return all
}

// replace serves parts, which it may change, and side files, all without what was
// withdrawn before. What is withdrawn meanwhile is left to the next cut.
func (f *Files) replace(parts map[int]*file, beside sides, trust lastmod.Trust) {
	old := f.current()
	f.mu.RLock()
	seen := f.withdrawn.last
	f.mu.RUnlock()
	f.withdrawFrom(parts)
	for i, x := range beside {
		beside[i] = f.withoutWithdrawn(x)
	}
	f.swap(f.assemble(parts, beside, old), trust, seen)
	f.forgetBytes(old.parts)
	f.forgetStrangers(0)
	poke(f.wake) // other pages may be the next to expire
}

// swap serves snap, which is without what was withdrawn up to the withdrawal with
// the number seen.
func (f *Files) swap(snap snapshot, trust lastmod.Trust, seen uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.served, f.trust = snap, trust
	f.cutTo, f.replaced = seen, time.Now()
	if len(f.withdrawnFrom(snap.all(), seen)) > 0 {
		poke(f.cuts)
	}
	for n, p := range snap.parts {
		if p.unsure && p.listed != nil {
			f.dirty[n] = true
		}
	}
}

// forgetBytes drops the bytes of files that are served no more.
func (f *Files) forgetBytes(old map[int]*file) {
	now := f.current().parts
	for n, p := range old {
		if q := now[n]; q == nil || q.hash != p.hash {
			f.cache.remove(p.hash)
		}
	}
}

// assemble makes a snapshot of parts, with an index if there are several.
func (f *Files) assemble(parts map[int]*file, beside sides, old snapshot) snapshot {
	next := snapshot{parts: parts, sides: beside}
	for _, x := range beside {
		if x != nil {
			next.until = earlier(next.until, x.until)
		}
	}
	for _, p := range parts {
		next.pages += p.pages
		next.damaged += p.damaged
		next.until = earlier(next.until, p.until)
	}
	switch {
	case len(parts) < 2:
	case sameIndex(parts, old.parts):
		next.index = old.index
	default:
		next.index = f.index(parts, old.index)
	}
	return next
}

// sameIndex reports whether an index says the same of both.
func sameIndex(a, b map[int]*file) bool {
	return maps.EqualFunc(a, b, func(p, q *file) bool { return p.modified.Equal(q.modified) })
}

// index returns the index of parts. It is as old as the newest of these, but newer
// than the one before if it is another one. The caller holds Files.publishing.
func (f *Files) index(parts map[int]*file, before *index) *index {
	body := []byte(sitemap.IndexOpen)
	var modified time.Time
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		at := parts[n].modified
		body, _ = sitemap.AppendSitemap(body, f.partURL(n), at.Unix())
		if at.After(modified) {
			modified = at
		}
	}
	p := &f.small
	p.begin(len(body) / 8)
	for piece := range slices.Chunk(append(body, sitemap.IndexClose...), pieceBytes) {
		p.text = append(p.text, piece...)
		p.flush(false)
	}
	h, size, gz := p.end()
	if before != nil && before.hash == h {
		return before
	}
	if before != nil && !modified.After(before.modified) {
		modified = before.later(modified)
	}
	return &index{file: &file{hash: h, size: size, modified: modified}, gz: gz}
}

func (f *Files) partURL(n int) string {
	return f.cfg.URL(f.cfg.Folder + f.cfg.Name + "-" + strconv.Itoa(n) + ".xml")
}

// with returns the files being served with those made in place of the old ones.
func (f *Files) with(made map[int]*file) map[int]*file {
	next := maps.Clone(f.current().parts)
	if next == nil {
		next = map[int]*file{}
	}
	for n, p := range made {
		if next[n] = p; p == nil {
			delete(next, n)
		}
	}
	return next
}

// judge returns the trust that the dates of the files earn, with those made in
// place of the old ones.
func (f *Files) judge(made map[int]*file) lastmod.Trust {
	var all []lastmod.Summary
	for _, p := range f.with(made) {
		all = append(all, p.dates)
	}
	known := f.Trust()
	if f.cfg.Doubts != nil {
		known = known.Follow(f.cfg.Doubts())
	}
	return lastmod.Judge(all, known)
}
