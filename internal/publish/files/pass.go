package files

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/store"
)

// passer is what passes remember of each other. It belongs to the pass that holds the lock.
type passer struct {
	lock    lock
	opened  bool   // the stored records were read
	problem string // the last failure, so that each is logged once
}

// pass makes all files that have changed, and then serves them together. Their dates may
// change the trust in the dates of the other shards. Then the pass makes those again too,
// before it serves any.
type pass struct {
	*Files
	number int
	all    bool         // every file is made
	dirty  map[int]bool // the files to make if not all
	made   map[int]*file
	failed map[int]bool // files that could not be made
	done   bool         // the made files are served
	to     *writer
}

// pass makes and serves the files that have changed. A file that cannot be made stays as
// it is, and the next pass tries again; the others are served. Only after a start, while no
// pass has made all files, a file that cannot be made holds back all.
func (f *Files) pass(ctx context.Context) error {
	select {
	case f.passer.lock <- struct{}{}:
		defer f.passer.lock.release()
	case <-ctx.Done():
		return ctx.Err()
	}
	p := newPass(f)
	if p == nil {
		return nil
	}
	to, end, err := f.cfg.Passes.begin(ctx)
	if err == nil {
		p.to = to
		err = p.run(ctx)
		end()
	}
	p.end()
	if err == nil {
		f.passer.problem = ""
		return nil
	}
	f.wake.poke() // Run may have looked while this pass had taken what is due
	if text := err.Error(); text != f.passer.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
		f.passer.problem = text // an unavailable store tells of its troubles itself
		f.cfg.Logger.Warn("servemap: could not make the sitemap; the last one is served until that works", "err", err)
	}
	return err
}

// newPass returns a pass of f, nil if nothing has changed. Each pass makes the files beside the
// sitemap too, since any change may concern them.
func newPass(f *Files) *pass {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := moment.Of(time.Now())
	for n, p := range f.served.Load().files {
		if passed(p.until, now) {
			f.due.files[n] = true
		}
	}
	if f.policy.Load() == nil || !f.due.any() {
		return nil
	}
	for n := range f.asides {
		f.due.files[n] = true
	}
	p := &pass{Files: f, number: f.due.passes + 1, all: f.due.all || !f.passer.opened, dirty: f.due.files, made: map[int]*file{}, failed: map[int]bool{}}
	f.due = due{files: map[int]bool{}, passing: true, passes: p.number}
	return p
}

// end marks what the pass has not made as due again.
func (p *pass) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due.passing = false
	if maps.Copy(p.due.files, p.failed); !p.done {
		p.due.all = p.due.all || p.all
		maps.Copy(p.due.files, p.dirty)
	}
	if len(p.failed) == 0 && p.done { // no later file names what none of these does
		p.gone.forget(func(one withdrawal) bool { return !one.named && (one.passes < p.number || !p.due.any()) })
	}
}

// run makes the files of a pass and serves them.
func (p *pass) run(ctx context.Context) (failed error) {
	if p.all {
		if err := p.findAll(ctx); err != nil {
			return err
		}
	}
	todo, trust := maps.Clone(p.dirty), p.Trust()
	for judged := p.judge(p.made); ; judged = p.judge(p.made) {
		if judged != trust { // something was learned of the sources
			trust = judged
			maps.Copy(todo, p.failed)
			for n := range p.served.Load().with(p.made) {
				todo[n] = true
			}
			clear(p.failed)
		}
		if len(todo) == 0 {
			break
		}
		failed = p.makeFiles(ctx, todo, trust)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed != nil && !p.served.Load().whole {
		return failed
	}
	p.publish(p.made, trust, p.number)
	p.done = true
	return failed
}

// findAll adds all shards to the pass: those with a record in the store, whatever it says, since it
// may be damaged, and those with a file, since a record may be lost. Their entries decide.
func (p *pass) findAll(ctx context.Context) error {
	known, err := shards.ReadAll(ctx, p.cfg.Store, p.cfg.Keys)
	if err != nil {
		return err
	}
	for n := range known {
		p.dirty[n] = true
	}
	for n := range p.served.Load().files {
		p.dirty[n] = true
	}
	if p.passer.opened {
		return nil
	}
	return p.open(ctx)
}

// open reads the stored records of the files in the first pass. If every shard has one, the index is
// served at once, and each file as soon as it is made.
func (p *pass) open(ctx context.Context) error {
	files := map[int]*file{}
	for stored, err := range p.cfg.Store.Scan(ctx, p.cfg.Keys.Files(), "") {
		if err != nil {
			return err
		}
		n, ok := keys.NumberOf(stored.Key, p.cfg.Keys.Files())
		if !ok || n > keys.MaxShard && p.asides[n] == nil {
			continue
		}
		p.dirty[n] = true
		if r, ok := readRecord(stored.Value); ok {
			files[n] = &file{record: r, stored: string(r.encode()) == string(stored.Value)}
		}
	}
	p.passer.opened = true
	for n := range p.dirty {
		if n <= keys.MaxShard && files[n] == nil {
			return nil
		}
	}
	p.publish(files, p.judge(files), 0)
	return nil
}

// makeFiles makes some files, the shards first. It returns the error of the first file that could
// not be made. It gives up if the store cannot be used. A file of which only the record is served
// changes nothing for others, so it is served as soon as it is made.
func (p *pass) makeFiles(ctx context.Context, todo map[int]bool, trust lastmod.Trust) (failed error) {
	for _, n := range slices.Sorted(maps.Keys(todo)) {
		c := composer{Files: p.Files, to: p.to, trust: trust, now: moment.Of(time.Now())}
		made, err := c.file(ctx, n, p.made)
		switch old := p.served.Load(); {
		case err != nil:
			p.failed[n], failed = true, cmp.Or(failed, err)
			if ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) {
				maps.Copy(p.failed, todo)
				clear(todo)
				return failed
			}
		case old.files[n] != nil && old.files[n].gz == nil && old.trust == trust:
			p.publish(map[int]*file{n: made}, trust, 0)
		default:
			p.made[n] = made
		}
		delete(todo, n)
	}
	return failed
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
	next := &snapshot{files: old.with(made), trust: trust, known: true, whole: old.whole || number > 0, made: time.Now()}
	named := next.cut(gone, f.cfg.URL, moment.Of(next.made).Second())
	next.date(old, made)
	f.replace(next, named, gone)
	f.wake.poke() // other pages may be the next to expire
}
