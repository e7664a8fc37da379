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
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// passer is what passes remember of each other. It belongs to the pass that holds the lock.
type passer struct {
	lock    lock
	opened  bool   // the stored records were read
	problem string // the last failure, so that each is logged once
	writer  writer
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
	served bool         // the made files are served
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
	p := f.begin()
	if p == nil {
		return nil
	}
	err := p.run(ctx)
	p.end()
	if err == nil {
		f.passer.problem = ""
		return nil
	}
	poke(f.wake) // Run may have looked while this pass had taken what is due
	if text := err.Error(); text != f.passer.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
		f.passer.problem = text // an unavailable store tells of its troubles itself
		f.cfg.Logger.Warn("servemap: could not make the sitemap; the last one is served until that works", "err", err)
	}
	return err
}

// begin returns a new pass, nil if nothing has changed.
func (f *Files) begin() *pass {
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
	number := f.due.passes + 1
	p := &pass{Files: f, number: number, all: f.due.all || !f.passer.opened, dirty: f.due.files, made: map[int]*file{}, failed: map[int]bool{}}
	f.due = due{files: map[int]bool{}, passing: true, passes: number}
	return p
}

// end marks what the pass has not made as due again.
func (p *pass) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due.passing = false
	if maps.Copy(p.due.files, p.failed); !p.served {
		p.due.all = p.due.all || p.all
		maps.Copy(p.due.files, p.dirty)
	}
	if len(p.failed) == 0 && p.served {
		p.forgetUnnamed(p.number, p.due.any())
	}
}

// run makes the files of a pass and serves them. Each pass makes the files beside the sitemap
// too, after the shards, since any change may concern them.
func (p *pass) run(ctx context.Context) error {
	for n := range p.asides {
		p.dirty[n] = true
	}
	if p.all {
		if err := p.findAll(ctx); err != nil {
			return err
		}
	}
	todo, trust := p.dirty, p.Trust()
	var failed error
	for judged := p.judge(p.made); ; judged = p.judge(p.made) {
		if judged != trust { // something was learned of the sources
			trust = judged
			maps.Copy(todo, p.failed)
			for n := range p.Files.served.Load().with(p.made) {
				todo[n] = true
			}
			clear(p.failed)
		}
		if len(todo) == 0 {
			break
		}
		failed = p.makeFiles(ctx, slices.Sorted(maps.Keys(todo)), trust)
		todo = map[int]bool{}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed != nil && !p.loaded.is() {
		return failed
	}
	p.publish(p.made, trust, p.number)
	p.served = true
	return failed
}

// findAll adds all shards to the pass: those with a record in the store, whatever it says, since it
// may be damaged, and those with a file, since a record may be lost. Their entries decide.
func (p *pass) findAll(ctx context.Context) error {
	known, err := shards.ReadAll(ctx, p.cfg.Store, p.cfg.Keys)
	if err != nil {
		return err
	}
	for n := range p.Files.served.Load().files {
		if n <= keys.MaxShard {
			p.dirty[n] = true
		}
	}
	for n := range known {
		p.dirty[n] = true
	}
	if p.passer.opened {
		return nil
	}
	return p.open(ctx)
}

// open reads the stored records of the files in the first pass. If every shard has one, the
// index is served at once, and a request for another file waits for the end of the pass.
func (p *pass) open(ctx context.Context) error {
	numbers := slices.Sorted(maps.Keys(p.dirty))
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = p.cfg.Keys.File(n)
	}
	records, err := txn.ReadAll(ctx, p.cfg.Store, names...)
	if err != nil {
		return err
	}
	p.passer.opened = true
	files := map[int]*file{}
	for i, n := range numbers {
		if r, ok := readRecord(records[i]); ok {
			files[n] = &file{record: r, stored: string(r.encode()) == string(records[i])}
		} else if n <= keys.MaxShard {
			return nil
		}
	}
	p.publish(files, p.judge(files), 0)
	return nil
}

// makeFiles makes some files. It returns the error of the first file that could not be
// made. It gives up if the store cannot be used.
func (p *pass) makeFiles(ctx context.Context, todo []int, trust lastmod.Trust) (failed error) {
	for i, n := range todo {
		c := composer{Files: p.Files, to: &p.passer.writer, trust: trust, now: moment.Of(time.Now())}
		made, err := c.file(ctx, n, p.made)
		if err == nil {
			p.made[n] = made
			continue
		}
		p.failed[n], failed = true, cmp.Or(failed, err)
		if ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) {
			for _, left := range todo[i:] {
				p.failed[left] = true
			}
			return failed
		}
	}
	return failed
}

// judge returns the trust that the dates of all files earn, with the made files in place
// of the old ones.
func (p *pass) judge(made map[int]*file) lastmod.Trust {
	var all []lastmod.Summary
	for _, one := range p.Files.served.Load().with(made) {
		all = append(all, one.Dates)
	}
	return lastmod.Judge(all, p.policy.Load().Trust)
}

// publish serves the made files in place of the old ones. number is the number of the pass
// that has made them all, 0 for records that were only read. It ends the withdrawals that
// were settled before the pass.
func (f *Files) publish(made map[int]*file, trust lastmod.Trust, number int) {
	f.replacing.take()
	defer f.replacing.release()
	f.cut() // before withdrawals end, their pages must be out of the files that stay
	f.mu.Lock()
	f.forgetSettled(number)
	gone := f.gone.all() // the made files may name them
	f.mu.Unlock()

	old, now := f.served.Load(), moment.Of(time.Now()).Second()
	for n, p := range made {
		old.date(n, p, now, f.loaded.is())
	}
	next := &snapshot{files: old.with(made), trust: trust}
	named := next.cut(gone, f.cfg.URL, now)
	f.replace(next, named, gone)
	f.made.Store(time.Now().Unix())
	if f.known.give(); number > 0 {
		f.loaded.give()
	}
	poke(f.wake) // other pages may be the next to expire
}

// date corrects the time of a made file. It was right for the file that was served when it
// was made. Meanwhile pages may have been taken out of that one.
func (s *snapshot) date(n int, made *file, now moment.Time, whole bool) {
	before, at := s.files[n], made.Modified
	switch {
	case before == nil && whole:
		at = max(at, now) // the file was empty until now, and before that it may have listed other pages
	case before == nil:
	case before.Hash == made.Hash:
		at = max(at, before.Modified)
	case at <= before.Modified:
		at = before.later(at)
	}
	made.stored = made.stored && at == made.Modified
	made.Modified = at
}

// replace serves next, whose files, trust and times are set, and fills in the rest. named are
// the withdrawn pages that were cut out, of those in gone. The caller holds replacing.
func (f *Files) replace(next *snapshot, named locations, gone map[uint64]string) {
	for n, p := range next.files {
		if next.until = earlier(next.until, p.until); n <= keys.MaxShard {
			next.pages += p.Pages
			next.damaged += p.damaged
		}
	}
	if numbers := next.shards(); len(numbers) > 1 {
		address := func(n int) string { return f.cfg.URL(f.cfg.Folder + f.of(n)) }
		next.index = next.writeIndex(numbers, address, f.served.Load().index)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wereCut(named, gone)
	f.served.Store(next)
}

// writeIndex returns the index of shards, each at the address of its number. Its date is that
// of its newest shard. If the index has changed, its date is also later than before.
func (s *snapshot) writeIndex(numbers []int, address func(n int) string, before *file) *file {
	made, w := new(file), new(writer)
	w.begin(sitemap.IndexOpen)
	for _, n := range numbers {
		at := s.files[n].Modified
		w.text, _ = sitemap.AppendSitemap(w.text, address(n), at.Seconds())
		w.flush()
		made.Modified = max(made.Modified, at)
	}
	w.end(made, sitemap.IndexClose)
	switch {
	case before == nil:
	case before.Hash == made.Hash:
		return before
	case made.Modified <= before.Modified:
		made.Modified = before.later(made.Modified)
	}
	return made
}
