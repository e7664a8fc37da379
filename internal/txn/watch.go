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

// watch knows which calls to a store are under way. A store that hangs returns
// no error that could tell of it.
type watch struct {
	log   *slog.Logger
	mu    sync.Mutex // guards what follows, up to told
	last  uint64
	begun map[uint64]time.Time
	told  bool

	later atomic.Bool // a later version has taken over the store
}

func newWatch(log *slog.Logger) *watch { return &watch{log: log, begun: map[uint64]time.Time{}} }

// begin notes a call, and returns what notes its end. That may be called again.
func (w *watch) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	id := w.last
	w.begun[id] = time.Now()
	timer := time.AfterFunc(stallPatience, w.tell)
	return func() {
		timer.Stop()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.begun, id)
		w.told = w.told && w.oldest() >= stallPatience
	}
}

// tell logs that a call stalls, once until none does.
func (w *watch) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.told && w.oldest() >= stallPatience {
		w.told = true
		w.log.Warn("servemap: the store does not answer; the site goes on, and what is seen is stored when it does", "waited", stallPatience)
	}
}

// oldest returns how long the oldest call has been under way, 0 if there is none.
func (w *watch) oldest() (age time.Duration) {
	for _, begun := range w.begun {
		age = max(age, time.Since(begun))
	}
	return age
}

// stalled returns why the store cannot be used, if it is for calls that do not
// return.
func (w *watch) stalled() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if age := w.oldest(); age >= stallPatience {
		return fmt.Errorf("the store has not answered for %v", age.Round(time.Second))
	}
	return nil
}
