package files

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/moment"
)

// restFor times the length of a pass is the least wait before the next one. So a large
// site that changes everywhere costs a tenth of a core at most.
const restFor = 9

// lookAgain is the longest wait before the clock is read again: somebody may have set it.
const lookAgain = time.Hour

// Run makes the files until ctx ends. A file that a request asks for is made at once, and
// so is everything that has changed while somebody waits in Render. Otherwise Run makes
// the files that have changed, or in which a page has expired, at most once per
// Config.Every. The first change after a quiet time is rendered at once. Call Run once.
func (f *Files) Run(ctx context.Context) {
	defer close(f.stopped)
	timer := time.NewTimer(0)
	defer timer.Stop()
	var notBefore time.Time // of the next pass that nobody waits for
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-timer.C:
		}
		f.answer(ctx, nil)
		now := time.Now()
		if wait := max(f.fresh(now), notBefore.Sub(now)); wait > 0 && !f.awaited() {
			timer.Reset(wait)
			continue
		}
		err := f.renderAwaited(ctx)
		rest := max(f.cfg.Every, restFor*time.Since(now))
		switch {
		case err != nil:
			rest = max(rest, time.Second)
		case notBefore.IsZero():
			rest = f.cfg.Every // the first pass made everything; the next one will not
		}
		notBefore = time.Now().Add(rest)
		timer.Reset(0)
	}
}

// fresh returns how long Run may sleep before something is due, 0 if something is due now.
func (f *Files) fresh(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	until := f.served.Load().until
	switch left := until.Sub(moment.Of(now)); {
	case f.allDirty, len(f.dirty) > 0, until != 0 && left <= 0:
		return 0
	case until != 0:
		return min(left, lookAgain)
	}
	return lookAgain
}

// awaited reports whether somebody waits in Render.
func (f *Files) awaited() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.flushes) > 0
}

// errStopped is returned once Run has ended.
var errStopped = errors.New("the sitemap is closed")

// Render waits until the served files show what the store held at the call. If it
// returns an error, the files that could not be made stay as they were.
func (f *Files) Render(ctx context.Context) error {
	done := make(chan error, 1)
	f.mu.Lock()
	f.flushes = append(f.flushes, done)
	f.mu.Unlock()
	poke(f.wake)
	var err error
	select {
	case err = <-done:
	case <-f.stopped:
		err = errStopped
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("rendering the sitemap: %w", err)
	}
	return nil
}

// renderAwaited runs a pass, and ends the calls of Render that were waiting before it.
func (f *Files) renderAwaited(ctx context.Context) error {
	f.mu.Lock()
	waiting := f.flushes
	f.flushes = nil
	f.mu.Unlock()
	err := f.pass(ctx)
	for _, done := range waiting {
		done <- err
	}
	return err
}

// demand is a request for a file. Its results may be read once done is closed.
type demand struct {
	done chan struct{}
	made *file // nil if it lists nothing
	gz   []byte
	err  error
}

// demand asks Run for file n and waits for it. Run makes the file once for all who wait.
func (f *Files) demand(ctx context.Context, n int) (*demand, error) {
	f.mu.Lock()
	d := f.demands[n]
	if d == nil {
		d = &demand{done: make(chan struct{})}
		f.demands[n] = d
	}
	f.mu.Unlock()
	poke(f.wake)
	select {
	case <-d.done:
		return d, d.err
	case <-f.stopped:
		return d, f.answerLate(ctx, d)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answerLate makes a file after [Files.Run] has returned. So the last sitemap can be
// served for as long as the store is open.
func (f *Files) answerLate(ctx context.Context, d *demand) error {
	f.maker.late.Lock()
	defer f.maker.late.Unlock()
	select {
	case <-d.done: // another request has made it
		return d.err
	default:
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), demandPatience)
	defer cancel()
	f.answer(ctx, nil)
	return d.err
}

// answer makes the files in demand. If such a file has changed since the pass that is
// going on made it, the pass makes it again.
func (f *Files) answer(ctx context.Context, going *pass) {
	for {
		n, d := f.nextDemand()
		if d == nil {
			return
		}
		var changed bool
		if changed, d.err = f.makeNow(ctx, n, d); changed && going != nil {
			going.again(n)
		}
		f.mu.Lock()
		delete(f.demands, n)
		f.mu.Unlock()
		close(d.done)
	}
}

func (f *Files) nextDemand() (int, *demand) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, d := range f.demands {
		return n, d
	}
	return 0, nil
}

// makeNow makes file n and serves it, unless its bytes are in memory by now. If its dates
// change the trust in the dates of other parts, all files are marked as changed. makeNow
// reports whether the file has changed.
func (f *Files) makeNow(ctx context.Context, n int, d *demand) (changed bool, err error) {
	old := f.served.Load().files[n]
	if old == nil {
		return false, nil
	}
	if gz := f.bytes(old); gz != nil && old.known() {
		d.made, d.gz = old, gz
		return false, nil
	}
	trust := f.Trust()
	made, gz, err := f.makeFile(ctx, n, trust)
	if err != nil {
		return false, err
	}
	only := map[int]*file{n: made}
	if judged := f.judge(only); judged != trust {
		trust = judged
		if made, gz, err = f.makeFile(ctx, n, trust); err != nil {
			return false, err
		}
		only[n] = made
		f.ChangedAll()
	}
	d.made, d.gz = made, gz
	f.keep(made, gz)
	f.publish(only, trust, 0)
	return made.hash != old.hash, nil
}
