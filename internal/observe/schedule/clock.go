package schedule

import (
	"math"
	"sync/atomic"
	"time"
)

// tick is how often the clock reads the time while requests come.
const tick = 100 * time.Millisecond

// rests is the horizon while the timer is stopped: every request must read the time.
const rests = math.MaxUint64

// A clock counts milliseconds since its start. To read the system's time takes longer than all else
// that most requests cost here. So while requests come, a timer reads it ten times a second. A request for a target
// that is due only after the next tick reads no time. If no request comes for a whole tick, the
// timer stops.
type clock struct {
	start time.Time
	timer *time.Timer

	_       [64]byte // keeps the fields below, which ticks write, on another cache line
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
