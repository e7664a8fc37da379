package part

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/sitemap"
)

// snapshot is one state of all files. It is replaced, never changed.
type snapshot struct {
	parts   map[int]*file // those that list a page
	indexes []index       // only if there are several parts
	sides   sides
	pages   int
	damaged int
	until   int64 // when the first of its pages expires, in Unix seconds, 0 for never
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
func (f *Files) publish(made map[int]*file, trust Trust) {
	f.publishing.Lock()
	defer f.publishing.Unlock()
	f.replace(f.with(made), f.current().sides, trust)
}

// publishAll is publish with other side files.
func (f *Files) publishAll(made map[int]*file, beside sides, trust Trust) {
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
	old := f.served
	listed := len(f.withdrawnFrom(old.all(), 0)) > 0
	f.mu.RUnlock()
	if listed {
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

// replace serves parts, which it may change, and side files.
func (f *Files) replace(parts map[int]*file, beside sides, trust Trust) {
	old := f.current()
	for {
		f.mu.RLock()
		seen := f.withdrawn.last
		f.mu.RUnlock()
		f.withdrawFrom(parts)
		for i, x := range beside {
			beside[i] = f.withoutWithdrawn(x)
		}
		if f.swap(f.assemble(parts, beside, old), trust, seen) {
			break
		}
	}
	f.forgetBytes(old.parts)
	f.forgetStrangers(0)
	poke(f.wake) // other pages may be the next to expire
}

// swap serves snap, unless it lists a page that was withdrawn after the withdrawal
// with the number seen.
func (f *Files) swap(snap snapshot, trust Trust, seen uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.withdrawnFrom(snap.all(), seen)) > 0 {
		return false
	}
	f.served, f.trust = snap, trust
	for n, p := range snap.parts {
		if p.unsure && p.listed != nil {
			f.dirty[n] = true
		}
	}
	return true
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
		next.indexes = old.indexes
	default:
		next.indexes = f.indexes(parts, old.indexes, time.Now())
	}
	return next
}

// sameIndex reports whether an index says the same of both.
func sameIndex(a, b map[int]*file) bool {
	return maps.EqualFunc(a, b, func(p, q *file) bool { return p.modified.Equal(q.modified) })
}

// indexes returns the indexes of parts, each of as many as one may name. One
// whose bytes are those of the one before is that.
func (f *Files) indexes(parts map[int]*file, before []index, now time.Time) (all []index) {
	most := f.cfg.MaxFiles
	if most == 0 {
		most = sitemap.MaxURLs
	}
	for numbers := range slices.Chunk(slices.Sorted(maps.Keys(parts)), most) {
		body := []byte(sitemap.IndexOpen)
		for _, n := range numbers {
			body, _ = sitemap.AppendSitemap(body, f.partURL(n), parts[n].modified.Unix())
		}
		made := f.newIndex(append(body, sitemap.IndexClose...), now)
		switch i := len(all); {
		case i >= len(before):
		case before[i].hash == made.hash:
			made = before[i]
		default:
			made.modified = before[i].later(now)
		}
		all = append(all, made)
	}
	return all
}

// newIndex compresses the body of an index. The caller holds Files.publishing.
func (f *Files) newIndex(body []byte, now time.Time) index {
	p := &f.small
	p.begin(len(body) / 8)
	for piece := range slices.Chunk(body, pieceBytes) {
		p.text = append(p.text, piece...)
		p.flush(false)
	}
	h, size, gz := p.end()
	return index{file: &file{hash: h, size: size, modified: now.Truncate(time.Second)}, gz: gz}
}

// noteIndexes stores since when each index is as it is, and takes over what the
// store knows of that. The caller holds Files.pass or Files.turn.
func (f *Files) noteIndexes(ctx context.Context) {
	for i, x := range f.current().indexes {
		if x.stored {
			continue
		}
		noted := *x.file
		f.note(ctx, f.cfg.Keys.index(i+1), &noted, x.file, x.modified)
		f.noted.Store(true)
		f.publishing.Lock()
		f.mu.Lock()
		if now := f.served.indexes; i < len(now) && now[i].file == x.file {
			f.served.indexes = slices.Clone(now)
			f.served.indexes[i].file = &noted
		}
		f.mu.Unlock()
		f.publishing.Unlock()
	}
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
func (f *Files) judge(made map[int]*file) Trust {
	var all []dates
	for _, p := range f.with(made) {
		all = append(all, p.dates)
	}
	known := f.Trust()
	if f.cfg.Doubts != nil {
		known = known.follow(f.cfg.Doubts())
	}
	return judge(all, known)
}
