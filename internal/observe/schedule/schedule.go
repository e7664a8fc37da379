// Package schedule decides for each request whether to observe its target now. It takes targets, and how
// earlier observations of them ended. Most requests teach nothing, so the answer must cost next to
// nothing: one hash, two cache lines, and no lock if the target is known.
package schedule

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/decide/quota"
)

// The time between observations of one page. The second observation is due Shortest after the first. Each wait is
// a quarter longer than the last, up to Longest. So on a page with visitors, a withdrawal is seen
// within a minute.
const (
	Shortest = 2 * time.Second
	Longest  = time.Minute
)

// lease is how long an unsettled claim keeps others from claiming its target.
const lease = time.Second

// ways is how many slots share a bucket; a target may be in any of them.
const ways = 8

// A Table remembers when each of a bounded number of request targets is next due. An unknown target
// is due at once, as long as the budget for unknown targets lasts. Targets that were Reset need no budget. It is
// safe for concurrent use.
type Table struct {
	seed  maphash.Seed
	clock *clock
	slots atomic.Pointer[slots]

	_        [64]byte   // keeps the fields above, which every request reads, on another cache line than those below
	mu       sync.Mutex // guards the rest, and is held while a target gets a slot, is settled, or is made due
	most     int        // buckets
	unknown  *quota.Part
	expected quota.Recent // the tags of targets that were Reset
}

// slots are the targets, in buckets of a number that is a power of two.
type slots [][ways]slot

func newSlots(buckets int) *slots {
	s := make(slots, buckets)
	return &s
}

// of returns the bucket of a tag.
func (s slots) of(tag uint64) *[ways]slot { return &s[tag>>1&uint64(len(s)-1)] }

// slot is one target. The tag is a hash of it, or 0 for a free slot. The high 48 bits of the state
// say when the target is next due, in milliseconds since the table's start. The low 16 bits are its
// last wait in tenths of a second.
type slot struct {
	tag   atomic.Uint64
	state atomic.Uint64
}

// fewest is how many buckets a table has at first.
const fewest = 4

// New returns a table that grows to room for at least size targets.
func New(size int) *Table {
	most := 1
	for most*ways < size {
		most *= 2
	}
	t := &Table{
		seed:    maphash.MakeSeed(),
		clock:   newClock(),
		most:    most,
		unknown: quota.NewPart(nil, unknown, time.Now()),
	}
	t.slots.Store(newSlots(min(fewest, most)))
	return t
}

// unknown bounds the observations of unknown targets. A flood of made-up addresses must not crowd out the
// site's pages, but a crawl of a new site must not lose any.
var unknown = quota.Rate{PerSecond: 2_000, Most: 30_000, Reserved: 10_000, Half: 10 * time.Second}

// A Claim is the right to observe the response to one target. Its owner settles it once it knows
// what the response showed. Settling the zero Claim does nothing.
type Claim struct {
	table *Table
	tag   uint64
}

// Waits reports whether target is known and not due, as most are.
func (t *Table) Waits(target string) bool {
	s := t.find(t.tag(target))
	return s != nil && t.later(s.state.Load()>>16)
}

// later reports whether a time is in the future.
func (t *Table) later(due uint64) bool {
	if t.clock.beyond(due) {
		return true
	}
	now := t.clock.now()
	if due > now {
		t.clock.wake(now)
	}
	return due > now
}

// Begin claims an observation of target. ok is false if the target is not due. If it is unknown, vouched is asked
// whether something on the site vouches for it.
func (t *Table) Begin(target string, vouched func() bool) (claim Claim, ok bool) {
	tag := t.tag(target)
	if s := t.find(tag); s != nil {
		return t.claim(s, tag)
	}
	known := vouched()
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.find(tag); s != nil { // of several callers, only the first gets the claim
		return t.claim(s, tag)
	}
	if !t.expected.Has(tag) {
		if !t.unknown.Allows(time.Now(), known) {
			return Claim{}, false
		}
		t.unknown.Pay(1)
	}
	s := t.room(tag)
	s.tag.Store(0) // a claim on the old target must not settle the new one
	s.state.Store(leased(t.clock.now(), 0))
	s.tag.Store(tag)
	return Claim{t, tag}, true
}

// claim claims the target in s, if it is due and nobody else has claimed it.
func (t *Table) claim(s *slot, tag uint64) (claim Claim, ok bool) {
	state := s.state.Load()
	if t.later(state>>16) || !s.state.CompareAndSwap(state, leased(t.clock.now(), state&0xffff)) {
		return Claim{}, false
	}
	return Claim{t, tag}, true
}

// Accept settles a claim whose response taught something, or when the next one will teach nothing. The next wait is
// longer than the last.
func (c Claim) Accept() {
	const tenth = uint64(100 * time.Millisecond)
	c.settle(func(wait uint64) uint64 {
		wait = min(max(wait*5/4, uint64(Shortest)/tenth), uint64(Longest)/tenth)
		return pack(c.table.clock.now()+wait*100, wait)
	})
}

// Return settles a claim whose response taught nothing. The target stays due.
func (c Claim) Return() {
	c.settle(func(wait uint64) uint64 { return pack(c.table.clock.now(), wait) })
}

// settle sets the state that next makes of the last wait, unless another target has the slot now, or
// another claim.
func (c Claim) settle(next func(wait uint64) uint64) {
	if c.table == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	if s := c.table.find(c.tag); s != nil {
		state := s.state.Load()
		s.state.CompareAndSwap(state, next(state&0xffff))
	}
}

// Reset makes target due at once, and its waits short again. From then on the table expects it,
// until many others were Reset.
func (t *Table) Reset(target string) {
	tag := t.tag(target)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expected.Add(tag)
	if s := t.find(tag); s != nil {
		s.state.Store(pack(t.clock.now(), 0))
	}
}

// Expects reports whether target was Reset and not forgotten since. Then no stranger made it up.
func (t *Table) Expects(target string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.expected.Has(t.tag(target))
}

// Next returns when target is next due, or the zero Time if it is due now.
func (t *Table) Next(target string) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.find(t.tag(target))
	if s == nil {
		return time.Time{}
	}
	if due := s.state.Load() >> 16; due > t.clock.now() {
		return t.clock.start.Add(time.Duration(due) * time.Millisecond)
	}
	return time.Time{}
}

func pack(due, wait uint64) uint64 { return due<<16 | wait }

func leased(now, wait uint64) uint64 { return pack(now+uint64(lease.Milliseconds()), wait) }

func (t *Table) tag(target string) uint64 { return maphash.String(t.seed, target) | 1 }

func (t *Table) find(tag uint64) *slot {
	b := t.slots.Load().of(tag)
	for i := range b {
		if b[i].tag.Load() == tag {
			return &b[i]
		}
	}
	return nil
}

// room returns the slot for a new tag: a free one of its bucket, if need be in a larger table. If there is none, it
// takes the one that has been due longest, since that page has the fewest visits. t.mu is held.
func (t *Table) room(tag uint64) *slot {
	all := t.slots.Load()
	s := all.victim(tag)
	for s.tag.Load() != 0 && len(*all) < t.most {
		all = all.grown()
		t.slots.Store(all)
		s = all.victim(tag)
	}
	return s
}

// grown returns the targets in slots of twice the number. A claim that begins meanwhile in the old slots is forgotten.
func (s slots) grown() *slots {
	next := newSlots(2 * len(s))
	for i := range s {
		for j := range s[i] {
			if tag := s[i][j].tag.Load(); tag != 0 {
				to := next.victim(tag)
				to.state.Store(s[i][j].state.Load())
				to.tag.Store(tag)
			}
		}
	}
	return next
}

// victim returns a free slot for a tag, or else the one that has been due longest.
func (s slots) victim(tag uint64) *slot {
	b := s.of(tag)
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
