package files

import (
	"context"
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/txn"
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
		if wait := max(f.fresh(now), notBefore.Sub(now)); wait > 0 {
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

// fresh returns how long Run may sleep before something is due, 0 if something is due now.
func (f *Files) fresh(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	until := f.served.Load().until
	switch left := until.Sub(moment.Of(now)); {
	case f.due.any(), until != 0 && left <= 0:
		return 0
	case until != 0:
		return min(left, lookAgain)
	}
	return lookAgain
}

// Render waits until the served files show what the store held at the call. If it
// returns an error, the files that could not be made stay as they were. It returns when
// ctx ends, even if the store hangs.
func (f *Files) Render(ctx context.Context) error {
	_, err := txn.Within(ctx, func() (done struct{}, err error) { return done, f.pass(ctx) })
	if err != nil {
		return fmt.Errorf("rendering the sitemap: %w", err)
	}
	return nil
}

// demandPatience is how long a request waits for a file that is not in memory.
const demandPatience = 10 * time.Second

// demand is a file that requests wait for. Its results may be read once done is closed.
type demand struct {
	done chan struct{}
	made *file // nil if it lists nothing
	gz   []byte
	err  error
}

// demand makes file n and waits for it. It is made once for all requests that wait for
// it, also after Run has returned: the last sitemap is served for as long as the store is
// open.
func (f *Files) demand(ctx context.Context, n int) (*demand, error) {
	f.mu.Lock()
	d := f.demands[n]
	if d == nil {
		d = &demand{done: make(chan struct{})}
		f.demands[n] = d
		go f.answer(context.WithoutCancel(ctx), n, d)
	}
	f.mu.Unlock()
	select {
	case <-d.done:
		return d, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *Files) answer(ctx context.Context, n int, d *demand) {
	ctx, cancel := context.WithTimeout(ctx, demandPatience)
	defer cancel()
	d.err = f.makeNow(ctx, n, d)
	f.mu.Lock()
	delete(f.demands, n)
	f.mu.Unlock()
	close(d.done)
}

// makeNow makes file n and serves it, unless its bytes are in memory by now. If its dates
// change the trust in the dates of other parts, all files are marked as changed.
func (f *Files) makeNow(ctx context.Context, n int, d *demand) error {
	old := f.served.Load().files[n]
	if old == nil {
		return nil
	}
	if gz := f.bytes(old); gz != nil && old.known() {
		d.made, d.gz = old, gz
		return nil
	}
	trust := f.Trust()
	made, gz, err := f.makeFile(ctx, n, trust)
	if err != nil {
		return err
	}
	only := map[int]*file{n: made}
	if judged := f.judge(only); judged != trust {
		trust = judged
		if made, gz, err = f.makeFile(ctx, n, trust); err != nil {
			return err
		}
		only[n] = made
	}
	d.made, d.gz = made, gz
	f.keep(made, gz)
	if f.publish(only, trust, 0) != trust {
		f.ChangedAll()
	}
	return nil
}
