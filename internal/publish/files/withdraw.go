package files

import (
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
)

// unnamedMost is how many withdrawals are kept before those that no file names are
// refused. A stranger who asks for pages that were never listed cannot fill the memory.
const unnamedMost = 4096

// withdrawal is a location that no served file may contain.
type withdrawal struct {
	hash    uint64
	at      time.Time // when the page was last seen to forbid its listing, or to be gone
	named   bool      // a file, or an entry of one, was seen to contain it
	settled bool      // the store holds the verdict
	passes  int       // how many passes had begun when it was withdrawn, or later settled
}

// withdrawals are the locations that the served and the coming files may not contain.
type withdrawals struct {
	pages   map[string]withdrawal // by location
	uncut   []string              // locations that the served files may still contain
	lastCut time.Time
}

// Withdraw takes location out of the served files at once, whatever the store does. Until
// [Files.Settle] is called, new files leave it out too, although the store may still have
// its entry. at is when the page was seen to forbid its listing, or to be gone. If no
// file contains location, the withdrawal is kept while a file that does may still come.
func (f *Files) Withdraw(location string, at time.Time) {
	h := f.hashOf(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone.pages[location]
	if is && !at.After(one.at) {
		return // the store may hold a newer verdict
	}
	named := one.named || f.served.Load().names(h)
	if !is && !named && (!f.behind() || len(f.gone.pages) >= unnamedMost) {
		return
	}
	f.gone.pages[location] = withdrawal{hash: h, at: at, named: named, passes: f.due.passes}
	if !is {
		f.gone.uncut = append(f.gone.uncut, location)
	}
}

// behind reports whether the next files may contain locations that the served ones do
// not. The caller holds Files.mu.
func (f *Files) behind() bool { return f.due.any() || f.due.passing || !f.whole() }

// Settle says that the store now holds the verdict on location, from everything seen of
// it up to a time. part is where the page is listed, 0 for nowhere. Files that are made
// from now on follow the store again, unless the location was withdrawn later than that.
func (f *Files) Settle(location string, part int, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone.pages[location]
	if !is || one.at.After(at) {
		return
	}
	one.settled, one.passes = true, f.due.passes
	f.gone.pages[location] = one
	if part > 0 {
		f.due.files[part] = true
		poke(f.wake)
	}
}

// isWithdrawn reports whether location, which an entry names, must stay out of the file
// that is being made. Cutting it out later would give the file another date in each pass.
// Once the withdrawal is settled, files follow the store; if an entry is older than the
// verdict, the location is cut out when the file is published.
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

// forget drops the withdrawals that are done. The caller holds Files.mu.
func (f *Files) forget(done func(one withdrawal) bool) {
	maps.DeleteFunc(f.gone.pages, func(_ string, one withdrawal) bool { return done(one) })
}

// cutEvery is the least time between two cuts. Files are compressed again after each one,
// and strangers may know how to cause withdrawals.
const cutEvery = time.Second

// current returns the served files, without anything that is withdrawn by now. If the
// last cut was less than cutEvery ago, it waits for the rest of that time.
func (f *Files) current() *snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	if wait := time.Until(f.gone.lastCut.Add(cutEvery)); len(f.gone.uncut) > 0 && wait > 0 {
		f.mu.Unlock()
		time.Sleep(wait)
		f.mu.Lock()
	}
	// Otherwise another request has waited and cut just now.
	if len(f.gone.uncut) > 0 && time.Since(f.gone.lastCut) >= cutEvery {
		f.gone.lastCut = time.Now()
		f.cut()
	}
	return f.served.Load()
}

// cut takes the locations that were withdrawn since the last cut out of the served files.
// The caller holds Files.mu.
func (f *Files) cut() {
	if next := f.cutFrom(f.served.Load()); next != nil {
		f.replace(next)
	}
}

// cutFrom returns the files without the locations that were withdrawn since the last cut,
// nil if no file names one. It never asks the store. It makes no bytes: cutBytes does that
// for the first request. The caller holds Files.mu.
func (f *Files) cutFrom(s *snapshot) *snapshot {
	gone := map[uint64]string{}
	for _, location := range f.gone.uncut {
		if one, is := f.gone.pages[location]; is {
			gone[one.hash] = location
		}
	}
	f.gone.uncut = nil
	if len(gone) == 0 {
		return nil
	}
	hashes, now := slices.Sorted(maps.Keys(gone)), moment.Of(time.Now()).Second()
	next, changed := &snapshot{files: map[int]*file{}, trust: s.trust}, false
	for n, p := range s.files {
		named := slices.DeleteFunc(slices.Clone(hashes), func(h uint64) bool { return !p.names(h) })
		for _, h := range named {
			one := f.gone.pages[gone[h]]
			one.named = true
			f.gone.pages[gone[h]] = one
		}
		if next.files[n] = p.without(named, gone, now); next.files[n] == nil {
			delete(next.files, n)
		}
		changed = changed || len(named) > 0
	}
	if !changed {
		return nil
	}
	return next
}

// without returns a copy of the file without the named locations, whose hashes are
// sorted. It returns nil if the file would list nothing else.
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
