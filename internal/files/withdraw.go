package files

import (
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/moment"
)

// unnamedMost bounds the withdrawn locations beyond which one is not remembered that no
// file names: a stranger who asks for what was never listed takes little room.
const unnamedMost = 4096

// withdrawal is a location that must be in nothing that is served.
type withdrawal struct {
	hash    uint64
	at      time.Time // when the page was last seen to forbid its listing, or to be gone
	named   bool      // a file or the entries of one were seen to name it
	settled bool      // the store holds the verdict
	passes  int       // that had begun when it was withdrawn, and once it is settled, by then
}

// withdrawals are what the files being served and those to come may not name.
type withdrawals struct {
	pages   map[string]withdrawal // by location
	uncut   []string              // those that are still in the bytes of files
	lastCut time.Time
}

// Withdraw takes location out of the files being served, and out of those that are
// made from entries written before, at once and whatever the store does, until
// [Files.Settle]. at is when that was seen which forbids the listing. A location that no
// file names is remembered as long as one may come that does, as it is made from entries
// that are older.
func (f *Files) Withdraw(location string, at time.Time) {
	h := f.hashOf(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone.pages[location]
	if is && !at.After(one.at) {
		return // what the store holds since may be the verdict on this
	}
	named := one.named || f.served.Load().names(h)
	if !is && !named && (!f.behind() || len(f.gone.pages) >= unnamedMost) {
		return
	}
	f.gone.pages[location] = withdrawal{hash: h, at: at, named: named, passes: f.passes}
	if !is {
		f.gone.uncut = append(f.gone.uncut, location)
	}
}

// behind reports whether files may come that name what those being served do not.
// The caller holds Files.mu.
func (f *Files) behind() bool { return f.allDirty || len(f.dirty) > 0 || f.passing || !f.whole() }

// Settle says that the store now holds the verdict on a location, whatever it is,
// by all that was seen of it up to a time, and in which part the page is, 0 for none.
// If the location was withdrawn, and not later than that, the files that are made
// from then on go by the store again.
func (f *Files) Settle(location string, part int, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone.pages[location]
	if !is || one.at.After(at) {
		return
	}
	one.settled, one.passes = true, f.passes
	f.gone.pages[location] = one
	if part > 0 {
		f.dirty[part] = true
		poke(f.wake)
	}
}

// isWithdrawn reports whether a file that is being made may not name a location, which
// its entries do. Once the store holds the verdict it may: if the entries are older
// than that, the location is taken out when the file is served.
func (f *Files) isWithdrawn(location string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone.pages[location]
	if !is || one.settled {
		return false
	}
	one.named = true
	f.gone.pages[location] = one
	return true
}

// forget drops the withdrawals of which no more need be known. The caller holds Files.mu.
func (f *Files) forget(done func(one withdrawal) bool) {
	maps.DeleteFunc(f.gone.pages, func(_ string, one withdrawal) bool { return done(one) })
}

// cutEvery is the least time between two states of the files that differ only by
// what is withdrawn. For each one, files are compressed anew, and strangers may know
// how to bring withdrawals about.
const cutEvery = time.Second

// current returns the files being served, without all that was withdrawn by now. If some
// was taken out less than a second ago, it waits for the rest of that second.
func (f *Files) current() *snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	if wait := time.Until(f.gone.lastCut.Add(cutEvery)); len(f.gone.uncut) > 0 && wait > 0 {
		f.mu.Unlock()
		time.Sleep(wait)
		f.mu.Lock()
	}
	// Else somebody else who waited has done it just now.
	if len(f.gone.uncut) > 0 && time.Since(f.gone.lastCut) >= cutEvery {
		f.gone.lastCut = time.Now()
		f.cut()
	}
	return f.served.Load()
}

// cut takes what was withdrawn since the last time out of the files being served. The
// bytes without it are made when somebody asks for them, see cutBytes. It never asks the
// store. The caller holds Files.mu.
func (f *Files) cut() {
	gone := map[uint64]string{}
	for _, location := range f.gone.uncut {
		if one, is := f.gone.pages[location]; is {
			gone[one.hash] = location
		}
	}
	f.gone.uncut = nil
	if len(gone) == 0 {
		return
	}
	old, now := f.served.Load(), moment.Of(time.Now()).Second()
	next := &snapshot{files: map[int]*file{}, trust: old.trust}
	for n, p := range old.files {
		named := slices.DeleteFunc(slices.Sorted(maps.Keys(gone)), func(h uint64) bool { return !p.names(h) })
		for _, h := range named {
			one := f.gone.pages[gone[h]]
			one.named = true
			f.gone.pages[gone[h]] = one
		}
		if next.files[n] = p.without(named, gone, now); next.files[n] == nil {
			delete(next.files, n)
		}
	}
	f.replace(next)
}

// without returns the file without withdrawn locations that it names, by their hashes in
// order; nil if it lists nothing else.
func (p *file) without(named locations, gone map[uint64]string, now moment.Time) *file {
	if len(named) == 0 {
		return p
	}
	next := *p
	next.gone = slices.Clone(p.gone)
	for _, h := range named {
		next.gone = append(next.gone, gone[h])
	}
	next.listed, next.linked = p.listed.without(named), p.linked.without(named)
	if next.pages -= len(p.listed) - len(next.listed); next.pages <= 0 {
		return nil
	}
	next.modified, next.stored = p.later(now), false
	return &next
}
