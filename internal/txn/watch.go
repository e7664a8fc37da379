package txn

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// stallPatience is how long a call to a store may take before Stats and the log
// tell of it. Ordinary stores on ordinary disks stall for seconds now and then.
const stallPatience = 15 * time.Second

// watch notices calls to a store that do not return. A store that hangs returns no
// error that could tell of it.
type watch struct {
	log  *slog.Logger
	late atomic.Int64 // calls that have been under way for longer than stallPatience

	later atomic.Bool // a later version has taken over the store
}

// begin notes a call, and returns what notes its end. That may be called again. The
// log tells of a call that is late, once until none is.
func (w *watch) begin() (end func()) {
	timer := time.AfterFunc(stallPatience, func() {
		if w.late.Add(1) == 1 {
			w.log.Warn("servemap: the store does not answer; the site goes on, and what is seen is stored when it does", "waited", stallPatience)
		}
	})
	return sync.OnceFunc(func() {
		if !timer.Stop() {
			w.late.Add(-1)
		}
	})
}

// stalled returns why the store cannot be used, if it is for calls that do not
// return.
func (w *watch) stalled() error {
	if w.late.Load() > 0 {
		return fmt.Errorf("the store has not answered for more than %v", stallPatience)
	}
	return nil
}
