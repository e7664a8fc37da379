package files

import (
	"maps"
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
	named    bool      // a file was seen to contain it
	settled  bool      // the store holds the verdict
	passes   int       // how many passes had begun when it was withdrawn, or later settled
}

// withdrawals are the locations that the served and the coming files may not contain, by
// their hashes. Files.mu guards them.
type withdrawals struct {
	all   map[uint64]withdrawal
	uncut map[uint64]string // those that the served files may still contain
}

// forget drops the withdrawals that are done.
func (w *withdrawals) forget(done func(one withdrawal) bool) {
	for h, one := range w.all {
		if done(one) {
			delete(w.all, h)
			delete(w.uncut, h)
		}
	}
}

// locations returns all withdrawn pages.
func (w *withdrawals) locations() map[uint64]string {
	all := make(map[uint64]string, len(w.all))
	for h, one := range w.all {
		all[h] = one.location
	}
	return all
}

// wereCut notes that these pages are no longer in the served files. named are those that were.
func (w *withdrawals) wereCut(named locations, cut map[uint64]string) {
	for h := range cut {
		delete(w.uncut, h)
	}
	for _, h := range named {
		if one, is := w.all[h]; is {
			one.named = true
			w.all[h] = one
		}
	}
}

// Withdraw takes location out of the served files at once, whatever the store does. Until
// [Files.Settle] is called, it stays out of new files too, although the store may still have
// its entry. at is when the page was seen to forbid its listing, or to be gone. If no
// file contains location, the withdrawal is kept while a file that does may still come.
func (f *Files) Withdraw(location string, at time.Time) {
	h := f.hashOf(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	served := f.served.Load()
	one, is := f.gone.all[h]
	if is && !at.After(one.at) {
		return // the store may hold a newer verdict
	}
	named := one.named || served.names(h)
	behind := f.due.any() || f.due.passing || !served.whole // the next files may contain more pages
	if !is && !named && (!behind || len(f.gone.all) >= unnamedMost) {
		return
	}
	f.gone.all[h] = withdrawal{location: location, at: at, named: named, passes: f.due.passes}
	if !is {
		f.gone.uncut[h] = location
	}
}

// Settle says that the store now holds the verdict on location, from everything seen of
// it up to a time. shard is where the page is listed, 0 for nowhere. Files that are made
// from now on follow the store again, unless the location was withdrawn later than that.
func (f *Files) Settle(location string, shard int, at time.Time) {
	h := f.hashOf(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	one, is := f.gone.all[h]
	if !is || one.at.After(at) {
		return
	}
	one.settled, one.passes = true, f.due.passes
	f.gone.all[h] = one
	if shard > 0 {
		f.due.files[shard] = true
		f.wake.poke()
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
	return len(f.gone.uncut) > 0
}

// cut takes the pages that were withdrawn since the last cut out of the served files. It
// never asks the store. The caller holds replacing.
func (f *Files) cut() {
	f.mu.Lock()
	gone := maps.Clone(f.gone.uncut)
	f.mu.Unlock()
	served := f.served.Load()
	next := *served
	next.files = maps.Clone(served.files)
	if named := next.cut(gone, f.cfg.URL); len(named) > 0 {
		f.replace(&next, named, gone)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone.wereCut(nil, gone)
}

// replace serves next, whose files are set, and fills in the rest. named are the withdrawn
// pages that were cut out, of those in gone. The caller holds replacing.
func (f *Files) replace(next *snapshot, named locations, gone map[uint64]string) {
	old := f.served.Load()
	next.pages, next.until, next.index, next.replaced = 0, 0, nil, make(chan struct{})
	next.date(old, moment.Of(time.Now()).Second())
	next.sum(func(n int) string { return f.cfg.URL(f.cfg.Folder + f.of(n)) }, old.index)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone.wereCut(named, gone)
	f.served.Store(next)
	close(old.replaced)
}
