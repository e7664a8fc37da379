package txn

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// stallPatience is how long a call to a store may take before Stats and the log report it. Ordinary
// stores on ordinary disks stall for seconds now and then.
const stallPatience = 15 * time.Second

// watch notices calls to a store that do not return. A store that hangs returns no error.
type watch struct {
	log  *slog.Logger
	late atomic.Int64 // calls that have taken longer than stallPatience and not returned

	later atomic.Bool // a later version has taken over the store
}

// begin notes the start of a call. A late call is logged, but only if no other is late.
func (w *watch) begin() *call {
	return &call{late: &w.late, running: true, timer: time.AfterFunc(stallPatience, func() {
		if w.late.Add(1) == 1 {
			w.log.Warn("servemap: the store does not answer; the site goes on, and what was seen is stored once it answers", "waited", stallPatience)
		}
	})}
}

// call is a call to the store that is timed.
type call struct {
	late    *atomic.Int64
	timer   *time.Timer
	running bool
}

// end notes the end of the call. More calls of end do nothing.
func (c *call) end() {
	if c.running && !c.timer.Stop() {
		c.late.Add(-1)
	}
	c.running = false
}

// resume times the call anew after end. A scan does so for each record, so that only the
// time of the store counts.
func (c *call) resume() {
	c.timer.Reset(stallPatience)
	c.running = true
}

// stalled returns an error while calls do not return.
func (w *watch) stalled() error {
	if w.late.Load() > 0 {
		return fmt.Errorf("the store has not answered for more than %v", stallPatience)
	}
	return nil
}
