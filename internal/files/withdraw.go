package files

import (
	"context"
	"maps"
	"time"
)

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

// cut takes what is withdrawn out of the files being served. The bytes without it are
// made when somebody asks for them, see cutBytes. It never asks the store. The caller
// holds Files.mu.
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
