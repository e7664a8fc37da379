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
	location string
	at       time.Time // when the page was last seen to forbid its listing, or to be gone
	named    bool      // a file, or an entry of one, was seen to contain it
	settled  bool      // the store holds the verdict
	passes   int       // how many passes had begun when it was withdrawn, or later settled
}

// withdrawals are the locations that the served and the coming files may not contain, by
// their hashes. Files.mu guards them.
type withdrawals map[uint64]withdrawal

// forget drops the withdrawals that are done. The caller holds mu.
func (f *Files) forget(done func(one withdrawal) bool) {
	for h, one := range f.gone {
		if done(one) {
			delete(f.gone, h)
			delete(f.uncut, h)
		}
	}
}

// forgetSettled drops those that the store had decided before a pass. The files that it
// made follow the store again. The caller holds mu.
func (f *Files) forgetSettled(pass int) {
	f.forget(func(one withdrawal) bool { return one.settled && one.passes < pass })
}

// forgetUnnamed drops those that no file names, at the end of a pass that has made all of its
// files. Later ones stay if more files are due. The caller holds mu.
func (f *Files) forgetUnnamed(pass int, due bool) {
	f.forget(func(one withdrawal) bool { return !one.named && (one.passes < pass || !due) })
}

// all returns all withdrawn pages by their hashes.
func (g withdrawals) all() map[uint64]string {
	all := make(map[uint64]string, len(g))
	for h, one := range g {
		all[h] = one.location
	}
	return all
}

// wereCut notes that these pages are no longer in the served files. named are those that were.
// The caller holds mu.
func (f *Files) wereCut(named locations, cut map[uint64]string) {
	for h := range cut {
		delete(f.uncut, h)
	}
	for _, h := range named {
		if one, is := f.gone[h]; is {
			one.named = true
			f.gone[h] = one
		}
	}
}

// Withdraw takes location out of the served files at once, whatever the store does. Until
// [Files.Settle] is called, new files leave it out too, although the store may still have
// its entry. at is when the page was seen to forbid its listing, or to be gone. If no
// file contains location, the withdrawal is kept while a file that does may still come.
func (f *Files) Withdraw(location string, at time.Time) {
	h := f.Hash(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone[h]
	if is && !at.After(one.at) {
		return // the store may hold a newer verdict
	}
	named := one.named || f.served.Load().names(h)
	behind := f.due.any() || f.due.passing || !f.loaded.is() // the next files may contain more pages
	if !is && !named && (!behind || len(f.gone) >= unnamedMost) {
		return
	}
	f.gone[h] = withdrawal{location: location, at: at, named: named, passes: f.due.passes}
	if !is {
		f.uncut[h] = location
	}
}

// Settle says that the store now holds the verdict on location, from everything seen of
// it up to a time. shard is where the page is listed, 0 for nowhere. Files that are made
// from now on follow the store again, unless the location was withdrawn later than that.
func (f *Files) Settle(location string, shard int, at time.Time) {
	h := f.Hash(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone[h]
	if !is || one.at.After(at) {
		return
	}
	one.settled, one.passes = true, f.due.passes
	f.gone[h] = one
	if shard > 0 {
		f.due.files[shard] = true
		poke(f.wake)
	}
}

// cutEvery is the least time between two cuts. Files are compressed again by each one,
// and strangers may know how to cause withdrawals.
const cutEvery = time.Second

// current returns the served files, without anything that is withdrawn by now. If the
// last cut was less than cutEvery ago, it waits for the rest of that time.
func (f *Files) current() *snapshot {
	if !f.mustCut() {
		return f.served.Load()
	}
	f.replacing.take()
	defer f.replacing.release()
	if f.mustCut() { // else another request has cut just now
		time.Sleep(time.Until(f.lastCut.Add(cutEvery)))
		f.lastCut = time.Now()
		f.cut()
	}
	return f.served.Load()
}

// mustCut reports whether the served files may contain withdrawn pages.
func (f *Files) mustCut() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.uncut) > 0
}

// cut takes the pages that were withdrawn since the last cut out of the served files. It
// never asks the store. The caller holds replacing.
func (f *Files) cut() {
	f.mu.Lock()
	gone := maps.Clone(f.uncut)
	f.mu.Unlock()
	if len(gone) == 0 {
		return
	}
	served := f.served.Load()
	next := &snapshot{files: maps.Clone(served.files), trust: served.trust}
	named := next.cut(gone, f.cfg.URL, moment.Of(time.Now()).Second())
	if len(named) == 0 {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.wereCut(nil, gone)
		return
	}
	f.replace(next, named, gone)
}

// cut takes pages out of the files, and returns which of them the files named.
func (s *snapshot) cut(gone map[uint64]string, url func(string) string, now moment.Time) (named locations) {
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
		if s.files[n] = p.without(in, url, now); s.files[n].Pages == 0 {
			delete(s.files, n)
		}
	}
	slices.Sort(named)
	return slices.Compact(named)
}
