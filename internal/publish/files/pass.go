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

// pass makes the files that have changed, and then serves them together. One that cannot be made stays as it is,
// and the next pass tries again. If it was never served, the others stay too: pages may have moved to it.
func (f *Files) pass(ctx context.Context) error {
	select {
	case f.passing <- struct{}{}:
		defer f.passing.release()
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
	f.wake.poke() // Run may have looked while this pass had taken what is due
	if text := err.Error(); text != f.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
		f.problem = text // an unavailable store tells of its troubles itself
		f.cfg.Logger.Warn("servemap: could not make a file of the sitemap; the last one is served until that works", "err", err)
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
	p.due.passing = true
	p.due.passes++
	p.todo = p.due
	p.due.all, p.due.files = false, map[int]bool{}
	return true
}

// end marks what the pass could not make as due again.
func (p *pass) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.due.passing = false; err != nil {
		p.due.all = p.due.all || p.todo.all
		maps.Copy(p.due.files, p.todo.files)
		return
	}
	// No later file names what none of these does.
	p.gone.forget(func(one withdrawal) bool { return !one.named && (one.passes < p.todo.passes || !p.due.any()) })
}

// make makes files and serves them. Their dates may change the trust in the dates of the other files. Then it makes
// those again too, before it serves any. But a file of which only the record was served is served as soon as it is made.
func (p *pass) make(ctx context.Context) (problem error) {
	if p.todo.all || !p.opened {
		if err := p.findAll(ctx, p.todo.files); err != nil {
			return err
		}
	}
	next, made, failed := maps.Clone(p.todo.files), map[int]*file{}, map[int]bool{}
	for p.trust = p.Trust(); ; clear(next) {
		if trust := p.judge(made); trust != p.trust { // something was learned of the sources
			p.trust = trust
			for n := range p.served.Load().with(made) {
				next[n] = true
			}
		}
		if len(next) == 0 {
			break
		}
		for _, n := range slices.Sorted(maps.Keys(next)) { // the shards first
			old := p.served.Load()
			p.now = moment.Of(time.Now())
			one, err := p.file(ctx, n, made)
			delete(failed, n) // it may have failed with the trust before
			switch {
			case err != nil && (ctx.Err() != nil || old.files[n] == nil):
				return err // without this file, pages that are new in it would seem to have left the others
			case err != nil:
				failed[n], problem = true, err
			case old.files[n] != nil && old.files[n].gz == nil:
				p.publish(map[int]*file{n: one}, p.trust, 0)
			default:
				made[n] = one
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	number := p.todo.passes
	if len(failed) > 0 {
		number = 0 // what stays, or is made of it, may name withdrawn pages
	} else {
		problem = nil
	}
	p.publish(made, p.trust, number)
	p.todo.all, p.todo.files = false, failed
	return problem
}

// findAll adds all files: those of shards with a record in the store, whatever it says, since it may be damaged, and
// those that are served, since a record may be lost. Their entries decide.
func (p *pass) findAll(ctx context.Context, dirty map[int]bool) error {
	known, err := shards.ReadAll(ctx, p.cfg.Store, p.cfg.Keys)
	if err != nil {
		return err
	}
	for n := range known {
		dirty[n] = true
	}
	for n := range p.served.Load().files {
		dirty[n] = true
	}
	if p.opened {
		return nil
	}
	return p.open(ctx, dirty)
}

// open reads the stored records of the files in the first pass. If every shard has one, the index is
// served at once, and each file as soon as it is made.
func (p *pass) open(ctx context.Context, dirty map[int]bool) error {
	files := map[int]*file{}
	for stored, err := range p.cfg.Store.Scan(ctx, p.cfg.Keys.Files(), "") {
		if err != nil {
			return err
		}
		n, ok := keys.NumberOf(stored.Key, p.cfg.Keys.Files())
		if !ok || n > keys.MaxShard && p.asides[n] == nil {
			continue
		}
		dirty[n] = true
		if r, ok := readRecord(stored.Value); ok {
			files[n] = &file{record: r}
		}
	}
	p.opened = true
	for n := range dirty {
		if n <= keys.MaxShard && files[n] == nil {
			return nil
		}
	}
	p.publish(files, p.judge(files), 0)
	return nil
}

// judge returns the trust that the dates of all files earn, with the made files in place
// of the old ones.
func (p *pass) judge(made map[int]*file) lastmod.Trust {
	var all []lastmod.Summary
	for _, one := range p.served.Load().with(made) {
		all = append(all, one.Dates)
	}
	return lastmod.Judge(all, p.policy.Load().Trust)
}

// publish serves the made files in place of the old ones. number is the number of the pass
// if it made all its files, else 0. It ends the withdrawals that were settled before the pass:
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
