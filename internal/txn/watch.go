package txn

import (
	"fmt"
	"log/slog"
	"sync"
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

// begin notes the start of a call, and returns the function that notes its end, which may be called
// again. A late call is logged, but only if no other is late.
func (w *watch) begin() (end func()) {
	timer := time.AfterFunc(stallPatience, func() {
		if w.late.Add(1) == 1 {
			w.log.Warn("servemap: the store does not answer; the site goes on, and what was seen is stored once it answers", "waited", stallPatience)
		}
	})
	return sync.OnceFunc(func() {
		if !timer.Stop() {
			w.late.Add(-1)
		}
	})
}

// stalled returns an error while calls do not return.
func (w *watch) stalled() error {
	if w.late.Load() > 0 {
		return fmt.Errorf("the store has not answered for more than %v", stallPatience)
	}
	return nil
}
