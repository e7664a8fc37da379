package files

import (
	"iter"
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

// isUncut reports whether a file being served names what was withdrawn up to a number.
func (w *withdrawals) isUncut(number uint64) bool {
	for _, n := range w.uncut {
		if n <= number {
			return true
		}
	}
	return false
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
