package files

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/moment"
)

// restFor is how much longer than a rendering took the next one waits, so that a
// large site that changes all over costs a tenth of a core at most.
const restFor = 9

// Run renders what has changed and what has lost a page to time, at most once
// per Config.Every, until ctx ends. The first change after a quiet time is
// rendered at once.
func (f *Files) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time
	var took time.Duration
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-timer.C:
		}
		stale, fresh := f.stale(time.Now())
		if !stale {
			timer.Reset(fresh)
			continue
		}
		if wait := max(f.cfg.Every, restFor*took) - time.Since(last); wait > 0 && !last.IsZero() {
			timer.Reset(wait)
			continue
		}
		first, began := last.IsZero(), time.Now()
		err := f.Render(ctx)
		last = time.Now()
		if took = last.Sub(began); first {
			took = 0 // it made everything, and the next one will not
		}
		if err != nil && ctx.Err() == nil {
			timer.Reset(max(f.cfg.Every, time.Second))
			continue
		}
		_, fresh = f.stale(last)
		timer.Reset(fresh)
	}
}

// lookAgain is the longest time between two looks at the clock, which may be set
// while it is waited for.
const lookAgain = time.Hour

// stale reports whether there is something to render, and if not, for how long
// that can hold at most.
func (f *Files) stale(now time.Time) (stale bool, fresh time.Duration) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.allDirty || len(f.dirty) > 0 || passed(f.served.until, moment.Of(now)) {
		return true, 0
	}
	if left := f.served.until.Sub(moment.Of(now)); f.served.until != 0 && left < lookAgain {
		return false, left
	}
	return false, lookAgain
}
