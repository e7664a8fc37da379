package files

import (
	"context"
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
)

// restFor times the length of a pass is the least wait before the next one. So a large
// site that changes everywhere costs a tenth of a core at most.
const restFor = 9

// lookAgain is the longest wait before the clock is read again: somebody may have set it.
const lookAgain = time.Hour

// Run makes the files that have changed, or in which a page has expired, until ctx ends. It
// does so at most once per Config.Every. The first change after a quiet time is rendered at
// once. Call Run once.
func (f *Files) Run(ctx context.Context) {
	var notBefore time.Time // of the next pass
	for ctx.Err() == nil {
		now := time.Now()
		f.mu.Lock()
		wait := max(f.due.wait(f.served.Load().until, moment.Of(now)), notBefore.Sub(now))
		f.mu.Unlock()
		if wait > 0 {
			select {
			case <-ctx.Done():
			case <-f.wake:
			case <-time.After(wait):
			}
			continue
		}
		err := f.pass(ctx)
		rest := max(f.cfg.Every, restFor*time.Since(now))
		switch {
		case err != nil:
			rest = max(rest, time.Second)
		case notBefore.IsZero():
			rest = f.cfg.Every // the first pass made everything; the next one will not
		}
		notBefore = time.Now().Add(rest)
	}
}

// Render waits until the served files show what the store held at the call. If it
// returns an error, the files that could not be made stay as they were.
func (f *Files) Render(ctx context.Context) error {
	if err := f.pass(ctx); err != nil {
		return fmt.Errorf("rendering the sitemap: %w", err)
	}
	return nil
}
