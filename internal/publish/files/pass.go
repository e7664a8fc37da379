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
			rest = f.cfg.Every // the first pass made everything, so it took longer than the next one will
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

// pass makes the files that have changed, and then serves them together. One that cannot be made stays as it is,
// and the next pass tries again.
func (f *Files) pass(ctx context.Context) error {
	select {
	case f.passing <- struct{}{}:
		defer func() { <-f.passing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	p := &pass{Files: f}
	if !p.begin() {
		return nil
	}
	err := withWriter(ctx, func(to *writer) error {
		p.to = to
		return p.make(ctx)
	})
	p.end(err)
	if err == nil {
		f.problem = ""
		return nil
	}
	f.wake.poke() // Run may have looked while this pass held what was due
	if text := err.Error(); text != f.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
		f.problem = text // a store in trouble logs that itself
		f.cfg.Logger.Warn("servemap: could not make a file of the sitemap; until that works "+
			"the last one is served, or a 503 if there was none since the start", "err", err)
	}
	return err
}

// pass makes files from the entries in the store.
type pass struct {
	*Files
	todo  due // what it makes; in the end, if it failed, what it could not make
	to    *writer
	trust lastmod.Trust
	now   moment.Time // when the file that is being made was begun
	more  []byte      // the elements of extensions of the entry that is being written
}

// begin takes what is due, and reports whether that is anything. Each pass makes the files beside the sitemap too,
// since any change may concern them.
func (p *pass) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := moment.Of(time.Now())
	for n, one := range p.served.Load().files {
		if passed(one.until, now) {
			p.due.files[n] = true
		}
	}
	if p.policy.Load() == nil || !p.due.any() {
		return false
	}
	for n := range p.asides {
		p.due.files[n] = true
	}
	p.todo = p.due
	p.due = due{files: map[int]bool{}}
	return true
}

// end marks what the pass could not make as due again.
func (p *pass) end(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due.all = p.due.all || p.todo.all
	maps.Copy(p.due.files, p.todo.files)
}

// make makes files and serves them. Their dates may change the trust in the dates of the other files. Then it makes
// those again too, before it serves any. The index names a shard that could never be read: without it, pages that have
// moved there would seem to have left.
func (p *pass) make(ctx context.Context) (problem error) {
	if p.todo.all {
		if err := p.findAll(ctx, p.todo.files); err != nil {
			return err
		}
	}
	old, next, made, failed := p.served.Load(), maps.Clone(p.todo.files), map[int]*file{}, map[int]bool{}
	for p.trust = old.trust; ; clear(next) {
		if trust := p.judge(made); trust != p.trust { // something was learned of the sources
			p.trust = trust
			for n := range old.with(made) {
				next[n] = true
			}
		}
		if len(next) == 0 {
			break
		}
		for _, n := range slices.Sorted(maps.Keys(next)) { // the shards first
			p.now = moment.Of(time.Now())
			one, err := p.file(ctx, n, made)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			delete(failed, n) // it may have failed with the trust of before
			switch {
			case err == nil:
				made[n] = one
			case made[n] == nil && old.files[n] == nil:
				made[n] = &file{unread: true}
				fallthrough
			default:
				failed[n], problem = true, err
			}
		}
	}
	if len(failed) == 0 {
		problem = nil
	}
	p.publish(old.with(made), p.trust)
	p.todo = due{files: failed}
	return problem
}

// findAll adds all files: those of shards that may list a page, and those that are served.
func (p *pass) findAll(ctx context.Context, dirty map[int]bool) error {
	last, err := shards.Last(ctx, p.cfg.Store, p.cfg.Keys)
	if err != nil {
		return err
	}
	for n := range last {
		dirty[n+1] = true
	}
	for n := range p.served.Load().files {
		dirty[n] = true
	}
	return nil
}

// judge returns the trust that the dates of all files earn, with the made files in place
// of the old ones.
func (p *pass) judge(made map[int]*file) lastmod.Trust {
	var all []lastmod.Summary
	for _, one := range p.served.Load().with(made) {
		all = append(all, one.dates)
	}
	return lastmod.Judge(all, p.policy.Load().Trust)
}

// publish serves these files from now on.
func (f *Files) publish(all map[int]*file, trust lastmod.Trust) {
	next := &snapshot{files: all, trust: trust, made: time.Now()}
	next.sum(func(n int) string { return f.cfg.URL(f.cfg.Folder + f.of(n, next)) })
	f.served.Store(next)
	f.proceed()
	f.wake.poke() // other pages may be the next to expire
}
