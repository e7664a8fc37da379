package files

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/store"
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

// pass makes the files that have changed, and then serves them together. If one cannot be made, all stay as they
// are, and the next pass tries again.
func (f *Files) pass(ctx context.Context) error {
	select {
	case f.passing <- struct{}{}:
		defer f.passing.release()
	case <-ctx.Done():
		return ctx.Err()
	}
	d, any := f.begin()
	if !any {
		return nil
	}
	err := withWriter(ctx, func(to *writer) error { return f.make(ctx, d, to) })
	f.end(d, err)
	if err == nil {
		f.problem = ""
		return nil
	}
	f.wake.poke() // Run may have looked while this pass had taken what is due
	if text := err.Error(); text != f.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
		f.problem = text // an unavailable store tells of its troubles itself
		f.cfg.Logger.Warn("servemap: could not make the sitemap; the last one is served until that works", "err", err)
	}
	return err
}

// begin takes what is due. Each pass makes the files beside the sitemap too, since any change may concern them.
func (f *Files) begin() (d due, any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := moment.Of(time.Now())
	for n, p := range f.served.Load().files {
		if passed(p.until, now) {
			f.due.files[n] = true
		}
	}
	if f.policy.Load() == nil || !f.due.any() {
		return due{}, false
	}
	for n := range f.asides {
		f.due.files[n] = true
	}
	f.due.passing = true
	f.due.passes++
	d = f.due
	f.due.all, f.due.files = false, map[int]bool{}
	return d, true
}

// end marks what a pass could not make as due again.
func (f *Files) end(d due, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.due.passing = false; err != nil {
		f.due.all = f.due.all || d.all
		maps.Copy(f.due.files, d.files)
		return
	}
	// No later file names what none of these does.
	f.gone.forget(func(one withdrawal) bool { return !one.named && (one.passes < d.passes || !f.due.any()) })
}

// make makes files and serves them. Their dates may change the trust in the dates of the other files. Then it makes
// those again too, before it serves any.
func (f *Files) make(ctx context.Context, d due, to *writer) error {
	if d.all || !f.opened {
		if err := f.findAll(ctx, d.files); err != nil {
			return err
		}
	}
	todo, made, trust := maps.Clone(d.files), map[int]*file{}, f.Trust()
	for {
		if judged := f.judge(made); judged != trust { // something was learned of the sources
			trust = judged
			for n := range f.served.Load().with(made) {
				todo[n] = true
			}
		}
		if len(todo) == 0 {
			break
		}
		for _, n := range slices.Sorted(maps.Keys(todo)) { // the shards first
			c := composer{Files: f, to: to, trust: trust, now: moment.Of(time.Now())}
			one, err := c.file(ctx, n, made)
			if err != nil {
				return err
			}
			if old := f.served.Load(); old.files[n] != nil && old.files[n].gz == nil && old.trust == trust {
				f.publish(map[int]*file{n: one}, trust, 0) // only its record was served, so this changes nothing for others
			} else {
				made[n] = one
			}
		}
		clear(todo)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f.publish(made, trust, d.passes)
	return nil
}

// findAll adds all files: those of shards with a record in the store, whatever it says, since it may be damaged, and
// those that are served, since a record may be lost. Their entries decide.
func (f *Files) findAll(ctx context.Context, dirty map[int]bool) error {
	known, err := shards.ReadAll(ctx, f.cfg.Store, f.cfg.Keys)
	if err != nil {
		return err
	}
	for n := range known {
		dirty[n] = true
	}
	for n := range f.served.Load().files {
		dirty[n] = true
	}
	if f.opened {
		return nil
	}
	return f.open(ctx, dirty)
}

// open reads the stored records of the files in the first pass. If every shard has one, the index is
// served at once, and each file as soon as it is made.
func (f *Files) open(ctx context.Context, dirty map[int]bool) error {
	files := map[int]*file{}
	for stored, err := range f.cfg.Store.Scan(ctx, f.cfg.Keys.Files(), "") {
		if err != nil {
			return err
		}
		n, ok := keys.NumberOf(stored.Key, f.cfg.Keys.Files())
		if !ok || n > keys.MaxShard && f.asides[n] == nil {
			continue
		}
		dirty[n] = true
		if r, ok := readRecord(stored.Value); ok {
			files[n] = &file{record: r}
		}
	}
	f.opened = true
	for n := range dirty {
		if n <= keys.MaxShard && files[n] == nil {
			return nil
		}
	}
	f.publish(files, f.judge(files), 0)
	return nil
}

// judge returns the trust that the dates of all files earn, with the made files in place
// of the old ones.
func (f *Files) judge(made map[int]*file) lastmod.Trust {
	var all []lastmod.Summary
	for _, one := range f.served.Load().with(made) {
		all = append(all, one.Dates)
	}
	return lastmod.Judge(all, f.policy.Load().Trust)
}

// publish serves the made files in place of the old ones. number is the number of the pass
// if these are all its files, else 0. It ends the withdrawals that were settled before the pass:
// its files follow the store again.
func (f *Files) publish(made map[int]*file, trust lastmod.Trust, number int) {
	f.replacing.take()
	defer f.replacing.release()
	f.cut() // before withdrawals end, their pages must be out of the files that stay
	f.mu.Lock()
	f.gone.forget(func(one withdrawal) bool { return one.settled && one.passes < number })
	gone := f.gone.locations() // the made files may name them
	f.mu.Unlock()

	old := f.served.Load()
	next := &snapshot{files: old.with(made), trust: trust, whole: old.whole || number > 0, made: time.Now()}
	f.replace(next, next.cut(gone, f.cfg.URL), gone)
	f.wake.poke() // other pages may be the next to expire
}
