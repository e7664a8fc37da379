package files

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"
)

// The bounds of what is withdrawn and not yet confirmed by the store: how many
// locations that a file names, and how many bytes of others.
const (
	withdrawnNamed   = 4096
	withdrawnUnnamed = 1 << 20
)

// withdrawals are the locations that must be in nothing that is served. Most are
// named by a file. Others are only remembered while a file may come that names them,
// since it is made from entries that are older. The latter have a bound of their
// own: a stranger who asks for what was never listed takes no room from what is.
//
// All that happens has a number, in order of time. It is guarded by Files.mu.
type withdrawals struct {
	last  uint64 // the number of what happened last
	of    map[string]withdrawal
	named int               // how many of them a file was seen to name
	bytes int               // of the others
	uncut map[string]uint64 // those that a file being served still names, and their numbers
}

// withdrawal is what is known of one location that is withdrawn.
type withdrawal struct {
	hash    uint64
	number  uint64
	at      time.Time // when the page was last seen to forbid its listing, or to be gone
	named   bool      // a file or the entries of one were seen to name it
	settled uint64    // the number of when the store held the verdict, 0 before
}

// next returns the number of what happens now.
func (w *withdrawals) next() uint64 {
	w.last++
	return w.last
}

// add remembers a location, if there is room for it.
func (w *withdrawals) add(location string, one withdrawal) {
	if one.named && w.named >= withdrawnNamed || !one.named && w.bytes+len(location) > withdrawnUnnamed {
		return
	}
	one.number = w.next()
	w.count(location, one, 1)
	w.of[location] = one
	if one.named {
		w.uncut[location] = one.number
	}
}

// count adds n locations like this one to the sums.
func (w *withdrawals) count(location string, one withdrawal, n int) {
	if one.named {
		w.named += n
		return
	}
	w.bytes += n * len(location)
}

// drop forgets the withdrawals of which no more need be known.
func (w *withdrawals) drop(done func(one withdrawal) bool) {
	for location, one := range w.of {
		if done(one) {
			delete(w.of, location)
			w.count(location, one, -1)
		}
	}
}

// name notes that a file, or the entries of one, names a location.
func (w *withdrawals) name(location string, one withdrawal) {
	w.count(location, one, -1)
	one.named = true
	w.count(location, one, 1)
	w.of[location] = one
}

// check finds the withdrawn locations that new files name.
func (w *withdrawals) check(made iter.Seq[*file]) {
	for location, one := range w.of {
		if anyNames(made, one.hash) {
			w.name(location, one)
			w.uncut[location] = one.number
		}
	}
}

// anyNames reports whether one of some files, nil ones left out, names a location.
func anyNames(files iter.Seq[*file], h uint64) bool {
	for p := range files {
		if p != nil && p.names(h) {
			return true
		}
	}
	return false
}

// Withdraw takes location out of the files being served, and out of those that are
// made from entries written before, at once and whatever the store does, until
// [Files.Settle]. at is when that was seen which forbids the listing.
func (f *Files) Withdraw(location string, at time.Time) {
	h := f.hashOf(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &f.withdrawn
	if one, is := w.of[location]; is {
		if at.After(one.at) { // what the store held before is no verdict on this
			one.at, one.number, one.settled = at, w.next(), 0
			w.of[location] = one
		}
		return
	}
	if named := f.served.Load().names(h); named || f.behind() {
		w.add(location, withdrawal{hash: h, at: at, named: named})
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
	one, is := f.withdrawn.of[location]
	if !is || one.at.After(at) {
		return
	}
	one.settled = f.withdrawn.next()
	f.withdrawn.of[location] = one
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
	w := &f.withdrawn
	one, is := w.of[location]
	if !is || one.settled != 0 {
		return false
	}
	w.name(location, one)
	return true
}

// forgetUnnamed forgets the withdrawals that concern no file, after a pass has made
// all there was to make. The caller holds Files.mu.
func (f *Files) forgetUnnamed(begun uint64) {
	behind := f.behind()
	f.withdrawn.drop(func(one withdrawal) bool { return !one.named && (one.number < begun || !behind) })
}

// cutEvery is the least time between two states of the files that differ only by
// what is withdrawn. For each one, files are compressed anew, and strangers may know
// how to bring withdrawals about.
const cutEvery = time.Second

// current returns the files being served, without all that was withdrawn up to the
// number asked, which is that of when a request came. If they are not without it yet,
// and some was taken out less than a second ago, it waits for the rest of that second.
func (f *Files) current(ctx context.Context, asked uint64) (*snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.withdrawn.isUncut(asked) {
		wait := time.Until(f.lastCut.Add(cutEvery))
		if wait <= 0 {
			f.lastCut = time.Now()
			f.cut(f.lastCut)
			break
		}
		f.mu.Unlock()
		err := sleep(ctx, wait)
		f.mu.Lock()
		if err != nil {
			return nil, err
		}
	}
	return f.served.Load(), nil
}

// now returns the number of what comes now.
func (f *Files) now() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.withdrawn.next()
}

// isUncut reports whether a file being served names what was withdrawn up to a number.
func (w *withdrawals) isUncut(number uint64) bool {
	for _, n := range w.uncut {
		if n <= number {
			return true
		}
	}
	return false
}

// cut takes what is withdrawn out of the files being served. It makes no bytes, and
// never asks the store. The caller holds Files.mu.
func (f *Files) cut(now time.Time) {
	w := &f.withdrawn
	if len(w.uncut) == 0 {
		return
	}
	old := f.served.Load()
	next := &snapshot{parts: maps.Clone(old.parts), trust: old.trust}
	for n, p := range old.parts {
		if next.parts[n] = w.without(p, now); next.parts[n] == nil {
			delete(next.parts, n)
		}
	}
	for i, p := range old.sides {
		next.sides[i] = w.without(p, now)
	}
	clear(w.uncut)
	f.replace(next)
}

// without returns a file, which may be nil, without what is uncut.
func (w *withdrawals) without(p *file, now time.Time) *file {
	if p == nil {
		return nil
	}
	var gone []string
	var hashes locations
	for location := range w.uncut {
		if h := w.of[location].hash; p.names(h) {
			gone, hashes = append(gone, location), append(hashes, h)
		}
	}
	if gone == nil {
		return p
	}
	slices.Sort(hashes)
	return p.without(gone, hashes, now)
}

// sleep waits, unless ctx ends before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
