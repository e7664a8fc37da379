// Package schedule decides for each request whether to look at its target now. It takes targets, and how
// earlier looks at them ended. Most requests teach nothing, so the answer must cost next to
// nothing: one hash, two cache lines, and no lock if the target is known.
package schedule

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

// The time between looks at one page. The second look is due Shortest after the first. Each wait is
// a quarter longer than the last, up to Longest. So on a page with visitors, a withdrawal is seen
// within a minute.
const (
	Shortest = 2 * time.Second
	Longest  = time.Minute
)

// longestPass is the longest wait after looks that taught nothing.
const longestPass = 10 * time.Second

// lease is how long an unsettled look keeps other looks at its target from beginning.
const lease = time.Second

// ways is how many slots share a bucket; a target may be in any of them.
const ways = 8

// A Table remembers when each of a bounded number of request targets is next due. An unknown target
// is due at once, as long as the shared budget for unknown targets lasts. Targets that were Reset
// need no budget. It is safe for concurrent use.
type Table struct {
	seed    maphash.Seed
	clock   *clock
	mask    uint64
	buckets [][ways]slot

	_         [64]byte   // every request reads what is above, and not what is written to below
	inserting sync.Mutex // held while a target gets a slot
	unknown   bucket
	expected  [expectedGroups]expectedGroup // the tags of expected targets, by their lower bits
}

// expectedGroups bounds the expected targets, to this many groups of 8. In a group that is full, a
// new one replaces another.
const expectedGroups = 1 << 12

type expectedGroup [8]atomic.Uint64

// slot is one target. The tag is a hash of it, or 0 for a free slot. The high 48 bits of the state
// say when the target is next due, in milliseconds since the table's start. The low 16 bits are its
// last wait in tenths of a second.
type slot struct {
	tag   atomic.Uint64
	state atomic.Uint64
}

// New returns a table with room for at least size targets.
func New(size int) *Table {
	n := 1
	for n*ways < size {
		n *= 2
	}
	return &Table{
		seed:    maphash.MakeSeed(),
		clock:   newClock(),
		mask:    uint64(n - 1),
		buckets: make([][ways]slot, n),
		unknown: bucket{cost: 1_000_000 / unknownRate, size: 1_000_000 / unknownRate * unknownBurst},
	}
}

// unknownRate (per second) and unknownBurst bound the looks at unknown targets. A flood of made-up
// addresses must not crowd out the site's pages, but a crawl of a new site must not lose any.
const (
	unknownRate  = 2_000
	unknownBurst = 20_000
)

// A Look is a claim on one target. Its owner settles it once it knows what the response showed.
// Settling the zero Look does nothing.
type Look struct {
	table *Table
	slot  *slot
	tag   uint64
}

// Begin claims a look at target. ok is false if the target is not due.
func (t *Table) Begin(target string) (look Look, ok bool) {
	tag := t.tag(target)
	if s := t.find(tag); s != nil {
		return t.claim(s, tag)
	}
	now := t.clock.now()
	if !t.expects(tag) && !t.unknown.take(now) {
		return Look{}, false
	}
	return t.insert(tag, now)
}

// claim begins a look at the target in s, if it is due and nobody else has begun one.
func (t *Table) claim(s *slot, tag uint64) (look Look, ok bool) {
	state := s.state.Load()
	due := state >> 16
	if t.clock.beyond(due) {
		return Look{}, false
	}
	now := t.clock.now()
	if due > now {
		t.clock.wake(now)
		return Look{}, false
	}
	if !s.state.CompareAndSwap(state, leased(now, state&0xffff)) {
		return Look{}, false
	}
	return Look{t, s, tag}, true
}

// Accept settles a look that taught something. The next wait is longer than the last.
func (l Look) Accept() { l.wait(Longest) }

// Pass settles a look that taught nothing, and the next one would not either: the target is no
// page, or not now. The wait grows too, but only to a few seconds, since the target may be a page
// for another client.
func (l Look) Pass() { l.wait(longestPass) }

func (l Look) wait(longest time.Duration) {
	const tenth = uint64(100 * time.Millisecond)
	l.settle(func(wait uint64) uint64 {
		wait = min(max(wait*5/4, uint64(Shortest)/tenth), uint64(longest)/tenth)
		return pack(l.table.clock.now()+wait*100, wait)
	})
}

// Return settles a look that taught nothing. The target stays due.
func (l Look) Return() {
	l.settle(func(wait uint64) uint64 { return pack(l.table.clock.now(), wait) })
}

// settle sets the state that next makes of the last wait, unless another target has the slot now.
func (l Look) settle(next func(wait uint64) uint64) {
	if l.slot == nil {
		return
	}
	state := l.slot.state.Load()
	if l.slot.tag.Load() == l.tag {
		l.slot.state.CompareAndSwap(state, next(state&0xffff))
	}
}

// Reset makes target due at once, and its waits short again. From then on the table expects it,
// until another target replaces it.
func (t *Table) Reset(target string) {
	tag := t.tag(target)
	t.expect(tag)
	if s := t.find(tag); s != nil {
		s.state.Store(pack(t.clock.now(), 0))
	}
}

// Expects reports whether target was Reset and not forgotten since. Then no stranger made it up.
func (t *Table) Expects(target string) bool { return t.expects(t.tag(target)) }

// Next returns when target is next due, or the zero Time if it is due now.
func (t *Table) Next(target string) time.Time {
	s := t.find(t.tag(target))
	if s == nil {
		return time.Time{}
	}
	if due := s.state.Load() >> 16; due > t.clock.now() {
		return t.clock.start.Add(time.Duration(due) * time.Millisecond)
	}
	return time.Time{}
}

func (t *Table) expects(tag uint64) bool {
	group := t.group(tag)
	for i := range group {
		if group[i].Load() == tag {
			return true
		}
	}
	return false
}

// expect notes tag. If its group is full, the upper bits of the tag choose which one it replaces.
func (t *Table) expect(tag uint64) {
	if t.expects(tag) {
		return
	}
	group := t.group(tag)
	place := &group[tag>>61]
	for i := range group {
		if group[i].Load() == 0 {
			place = &group[i]
		}
	}
	place.Store(tag)
}

func (t *Table) group(tag uint64) *expectedGroup { return &t.expected[tag>>1%expectedGroups] }

func pack(due, wait uint64) uint64 { return due<<16 | wait }

func leased(now, wait uint64) uint64 { return pack(now+uint64(lease.Milliseconds()), wait) }

func (t *Table) tag(target string) uint64 { return maphash.String(t.seed, target) | 1 }

func (t *Table) find(tag uint64) *slot {
	b := &t.buckets[tag>>1&t.mask]
	for i := range b {
		if b[i].tag.Load() == tag {
			return &b[i]
		}
	}
	return nil
}

// insert puts tag into a free slot of its bucket, or else into the slot that has been due longest,
// whose page has the fewest visits. It begins the look. If several callers have one tag, only the
// first gets the look.
func (t *Table) insert(tag, now uint64) (look Look, ok bool) {
	t.inserting.Lock()
	defer t.inserting.Unlock()
	if s := t.find(tag); s != nil {
		return t.claim(s, tag)
	}
	s := t.victim(tag)
	s.tag.Store(0) // a look at the old target must not settle the new one
	s.state.Store(leased(now, 0))
	s.tag.Store(tag)
	return Look{t, s, tag}, true
}

// victim returns the slot for tag.
func (t *Table) victim(tag uint64) *slot {
	b := &t.buckets[tag>>1&t.mask]
	oldest := &b[0]
	for i := range b {
		if b[i].tag.Load() == 0 {
			return &b[i]
		}
		if b[i].state.Load() < oldest.state.Load() {
			oldest = &b[i]
		}
	}
	return oldest
}

// bucket is a token bucket without a lock. Like the generic cell rate algorithm, it stores the time
// at which it would be full.
type bucket struct {
	full atomic.Uint64 // when it would be full, in microseconds
	cost uint64        // microseconds until one token is back
	size uint64        // microseconds until an empty bucket is full
}

func (b *bucket) take(nowMillis uint64) bool {
	now := nowMillis * 1000
	for {
		full := b.full.Load()
		next := max(full, now) + b.cost
		if next > now+b.size {
			return false
		}
		if b.full.CompareAndSwap(full, next) {
			return true
		}
	}
}
