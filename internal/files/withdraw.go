package files

import (
	"context"
	"slices"
	"time"
)

// The bounds of what is withdrawn and not yet confirmed by the store: how many
// locations that a file lists, and how many bytes of others.
const (
	withdrawnKept     = 4096
	withdrawnUnlisted = 1 << 20
)

// withdrawals are the locations that are withdrawn. Most are named by a file
// being served. Others are only remembered while a file may come that names
// them, since it was or is rendered from entries that are older: so a stranger
// who asks for what was never listed takes no room from what is. It is guarded by
// Files.mu.
type withdrawals struct {
	of       map[string]withdrawal
	last     uint64 // number of the last one
	unlisted int    // those that no file is known to name
	bytes    int    // of these
}

// withdrawal is what is known of one location that is withdrawn.
type withdrawal struct {
	hash    uint32
	number  uint64    // in order of time
	pass    uint64    // how many passes had begun
	named   bool      // a file or the entries of one were seen to name it
	counted bool      // in withdrawals.unlisted and bytes
	settled bool      // the store holds the verdict
	part    int       // of the page then
	at      time.Time // when the page was last seen to forbid its listing, or to be gone
}

func (w *withdrawals) has(location string) bool {
	_, is := w.of[location]
	return is
}

// add remembers a location, if there is room for it.
func (w *withdrawals) add(location string, hash uint32, pass uint64, listed bool, at time.Time) bool {
	if listed && len(w.of)-w.unlisted >= withdrawnKept || !listed && w.bytes+len(location) > withdrawnUnlisted {
		return false
	}
	if !listed {
		w.unlisted++
		w.bytes += len(location)
	}
	w.last++
	w.of[location] = withdrawal{hash: hash, number: w.last, pass: pass, counted: !listed, at: at}
	return true
}

// uncount takes a location out of those that no file is known to name.
func (w *withdrawals) uncount(location string, one withdrawal) {
	if one.counted {
		w.unlisted--
		w.bytes -= len(location)
	}
}

// name says that a file, or the entries of one, named a location.
func (w *withdrawals) name(location string) {
	one, is := w.of[location]
	if !is || one.named {
		return
	}
	w.uncount(location, one)
	one.named, one.counted = true, false
	w.of[location] = one
}

// again says that a location was withdrawn once more. What the store held before is
// no verdict on that.
func (w *withdrawals) again(location string, pass uint64, at time.Time) {
	if one := w.of[location]; at.After(one.at) {
		one.at, one.pass, one.settled = at, pass, false
		w.of[location] = one
	}
}

// settle says that the store holds the verdict by what was seen up to a time, and
// reports whether that settles a withdrawal: one that was seen later waits to be
// stored itself. part is that of the page, 0 for none.
func (w *withdrawals) settle(location string, part int, at time.Time) bool {
	one, is := w.of[location]
	if !is || one.at.After(at) {
		return false
	}
	one.settled, one.part = true, part
	w.of[location] = one
	return true
}

// drop forgets those of which no more need be known.
func (w *withdrawals) drop(done func(location string, one withdrawal) bool) {
	for location, one := range w.of {
		if done(location, one) {
			delete(w.of, location)
			w.uncount(location, one)
		}
	}
}

// Withdraw takes location out of the files being served, and out of those that
// are rendered from entries written before, at once and whatever the store does,
// until [Files.Settle]. at is when that was seen which forbids the listing.
func (f *Files) Withdraw(location string, at time.Time) {
	h := f.hashOf(location)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.withdrawn.has(location) {
		f.withdrawn.again(location, f.passes, at)
		return
	}
	listed := f.served.lists(location, h)
	if !listed && !f.behind() {
		return
	}
	if f.withdrawn.add(location, h, f.passes, listed, at) && listed {
		poke(f.cuts)
	}
}

// behind reports whether files may come that list what those being served do not.
// It does as long as it is not known what these list, since a pass that did not
// make them all is to be repeated. The caller holds Files.mu.
func (f *Files) behind() bool {
	return !f.whole() || f.allDirty || len(f.dirty) > 0 || len(f.pass) > 0
}

// Settle says that the store now holds the verdict on a location, whatever it
// is, by all that was seen of it up to a time, and in which part the page is, 0
// for none. If the location was withdrawn, and not later than that, the next
// rendering goes by the store again.
func (f *Files) Settle(location string, part int, at time.Time) {
	f.mu.Lock()
	known := f.withdrawn.settle(location, part, at)
	if known && part > 0 {
		f.dirty[part] = true
	}
	f.mu.Unlock()
	if known {
		poke(f.wake)
	}
}

// cutEvery is the least time between two cuts. Each makes a file anew, and
// strangers may know how to bring withdrawals about.
const cutEvery = time.Second

// RunWithdrawals takes what is withdrawn out of the files being served, until
// ctx ends. It never asks the store.
func (f *Files) RunWithdrawals(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.cuts:
			_ = f.awaitCut(ctx) // an error is that ctx has ended
		}
	}
}

// awaitCut returns once the files being served are without all that was withdrawn
// before the call. If they are not, and were replaced less than a second ago, it
// waits for the rest of that second. So what is withdrawn meanwhile costs one cut,
// and is in nothing that is served.
func (f *Files) awaitCut(ctx context.Context) error {
	f.mu.RLock()
	number := f.withdrawn.last
	done := f.cutTo >= number
	f.mu.RUnlock()
	if done || f.isCut(number) {
		return nil
	}
	if err := take(ctx, f.cutting); err != nil {
		return err
	}
	defer func() { <-f.cutting }()
	if f.isCut(number) {
		return nil // by who was here before
	}
	f.mu.RLock()
	timer := time.NewTimer(time.Until(f.replaced.Add(cutEvery)))
	f.mu.RUnlock()
	defer timer.Stop()
	select {
	case <-timer.C:
		f.cut()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isCut reports whether the files being served are without all that was withdrawn,
// up to the withdrawal with this number.
func (f *Files) isCut(number uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noteCut()
	return f.cutTo >= number
}

// noteCut notes it if the files being served are without all that is withdrawn. The
// caller holds Files.mu.
func (f *Files) noteCut() {
	if f.cutTo < f.withdrawn.last && len(f.withdrawnFrom(f.served.all(), f.cutTo)) == 0 {
		f.cutTo = f.withdrawn.last
	}
}

// withdrawals returns the locations that are withdrawn at this moment, for a file
// that is being made to say which of them its entries name. One that is withdrawn
// later is taken out when the file is published.
func (f *Files) withdrawals() map[string]bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	gone := make(map[string]bool, len(f.withdrawn.of))
	for location := range f.withdrawn.of {
		gone[location] = false
	}
	return gone
}

// named notes which of the withdrawn locations were named.
func (f *Files) named(gone map[string]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for location, named := range gone {
		if named {
			f.withdrawn.name(location)
		}
	}
}

// withdrawnFrom returns, of each file that names any, the locations that are
// withdrawn, those after the number since only. The caller holds Files.mu.
func (f *Files) withdrawnFrom(parts map[int]*file, since uint64) map[int][]string {
	var gone map[int][]string
	for location, one := range f.withdrawn.of {
		if one.number <= since {
			continue
		}
		for n, p := range parts {
			if p.names(location, one.hash) {
				if gone == nil {
					gone = map[int][]string{}
				}
				gone[n] = append(gone[n], location)
			}
		}
	}
	return gone
}

// withdrawFrom replaces the files in parts that name what is withdrawn. The
// caller holds Files.publishing.
func (f *Files) withdrawFrom(parts map[int]*file) {
	f.mu.RLock()
	gone := f.withdrawnFrom(parts, 0)
	f.mu.RUnlock()
	for n, locations := range gone {
		if parts[n] = f.without(parts[n], locations); parts[n] == nil {
			delete(parts, n)
		}
	}
}

// without returns the file without the locations in gone, nil if it lists
// nothing else. Where its bytes are not at hand, all that is known of it then is
// that it has become another one.
func (f *Files) without(p *file, gone []string) *file {
	next := *p
	next.stored = false
	gz := f.cache.peek(p.hash)
	if gz == nil || p.unsure {
		next.absent = slices.Concat(p.absent, gone)
		next.unsure, next.modified = true, p.later(time.Now())
		for _, location := range gone {
			if p.listed.has(f.hashOf(location)) {
				next.pages--
			}
		}
		next.pages = max(1, next.pages) // the set may err, so whether none is left is for the rendering to say
		return &next
	}
	cut, made, ok := f.cutURLs(gz, gone)
	if !ok {
		next.absent, next.unsure = slices.Concat(p.absent, gone), true
		return &next
	}
	f.absent(&next, cut.named)
	if made.hash == p.hash {
		return &next
	}
	next.hash, next.size, next.modified = made.hash, made.size, p.later(time.Now())
	if next.pages -= cut.entries; next.pages <= 0 {
		return nil
	}
	f.cache.offer(next.hash, made.gz, p.hash)
	return &next
}

// absent notes in a file which withdrawn locations it does not name although its
// sets hold them: those that it did name, and others, which are forgotten once
// nobody withdraws them any more.
func (f *Files) absent(p *file, named map[string]bool) {
	f.named(named)
	f.mu.RLock()
	defer f.mu.RUnlock()
	p.absent = slices.Clone(p.absent)
	p.strange = slices.DeleteFunc(slices.Clone(p.strange), func(location string) bool { return !f.withdrawn.has(location) })
	for location, was := range named {
		switch {
		case !p.names(location, f.hashOf(location)):
		case was:
			p.absent = append(p.absent, location)
		default:
			p.strange = append(p.strange, location)
		}
	}
}

// forgetStrangers forgets the withdrawals that turned out to concern no file:
// none is seen to name them, and none can come that was rendered from older
// entries. pass is the number of the pass that has ended, 0 for none; what
// came during the one before it is kept, since that may have begun when an entry
// was stored and [Files.Changed] not yet called.
func (f *Files) forgetStrangers(pass uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	behind := f.behind()
	if behind && pass == 0 {
		return
	}
	f.noteCut()
	f.withdrawn.drop(func(location string, one withdrawal) bool {
		return !one.named && one.number <= f.cutTo && (!behind || one.pass+1 < pass)
	})
}

// later returns the time of a file that takes the place of p: now, but after p's,
// so that who goes by times to the second gets the new one.
func (p *file) later(now time.Time) time.Time {
	now = now.Truncate(time.Second)
	if next := p.modified.Add(time.Second); next.After(now) {
		return next
	}
	return now
}
