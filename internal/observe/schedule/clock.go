package schedule

import (
	"math"
	"sync/atomic"
	"time"
)

// tick is how often the clock reads the time while requests come.
const tick = 100 * time.Millisecond

// rests is a horizon that no time is beyond.
const rests = math.MaxUint64

// A clock counts milliseconds since its start. Reading the time would take longer than all else
// that a request for a target which is not due costs. So while requests come, a timer reads it. A
// target that is due only after the next tick needs no reading. If no request comes for a whole
// tick, the timer stops.
type clock struct {
	start time.Time
	timer *time.Timer

	_       [64]byte // separates what is written below from what every request reads above
	horizon atomic.Uint64
	running atomic.Bool
	used    atomic.Bool // whether a request used the clock since the last tick
	_       [64]byte
}

func newClock() *clock {
	c := &clock{start: time.Now()}
	c.horizon.Store(rests)
	c.timer = time.AfterFunc(tick, c.tick)
	c.timer.Stop()
	return c
}

// beyond reports whether t is certainly in the future.
func (c *clock) beyond(t uint64) bool {
	if t <= c.horizon.Load() {
		return false
	}
	if !c.used.Load() {
		c.used.Store(true)
	}
	return true
}

// now reads the time from the monotonic clock.
func (c *clock) now() uint64 { return uint64(time.Since(c.start) / time.Millisecond) }

// wake starts the timer if it has stopped.
func (c *clock) wake(now uint64) {
	if c.running.Load() || !c.running.CompareAndSwap(false, true) {
		return
	}
	c.horizon.Store(now + uint64(tick.Milliseconds())) // before the first tick can replace it
	c.timer.Reset(tick)
}

func (c *clock) tick() {
	if !c.used.Swap(false) {
		c.horizon.Store(rests)
		c.running.Store(false)
		return
	}
	c.horizon.Store(c.now() + uint64(tick.Milliseconds()))
	c.timer.Reset(tick)
}
