package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/store"
)

// maker is what only the goroutine of Run uses.
type maker struct {
	press   press
	hashes  []uint64 // of the locations that the file being made lists
	linked  []uint64 // and of those that it links to
	given   lastmod.Gatherer
	opened  bool   // the store was read
	problem string // the last failure, so that each is logged once
}

// pass is what is made together: all that has changed. What it learns of the dates may
// change the trust in the dates of all the other parts; then these are made anew too,
// before any of them is served.
type pass struct {
	begun  uint64       // its number, see withdrawals
	all    bool         // every part is made
	dirty  map[int]bool // else these
	todo   []int        // parts still to be made
	made   map[int]*file
	failed map[int]bool // parts that could not be made
	served bool         // what was made is served
	trust  lastmod.Trust
}

// again has a part made once more, if the pass has made it.
func (p *pass) again(n int) {
	if _, is := p.made[n]; is {
		delete(p.made, n)
		p.todo = append(p.todo, n)
	}
}

// pass makes what has changed and has it served. A part that cannot be made keeps its
// file, and does not keep the others from theirs: it is tried again with the next pass.
func (f *Files) pass(ctx context.Context) error {
	p := f.begin(moment.Of(time.Now()))
	if p == nil {
		return nil
	}
	err := f.open(ctx)
	if err == nil {
		err = f.make(ctx, p)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.passing = false
	if maps.Copy(f.dirty, p.failed); !p.served {
		f.allDirty = f.allDirty || p.all
		maps.Copy(f.dirty, p.dirty)
	}
	if err == nil {
		f.maker.problem = ""
		f.forgetUnnamed(p.begun)
		return nil
	}
	if text := err.Error(); text != f.maker.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
		f.maker.problem = text // an unavailable store tells of its troubles itself
		f.cfg.Logger.Warn("servemap: the sitemap could not be rendered; the last one is served until it can", "err", err)
	}
	return err
}

// begin returns the pass that is to be made now, nil if nothing has changed.
func (f *Files) begin(now moment.Time) *pass {
	f.mu.Lock()
	defer f.mu.Unlock()
	served := f.served.Load()
	for n, p := range served.parts {
		if passed(p.until, now) {
			f.dirty[n] = true
		}
	}
	if f.policy.Load() == nil || !f.allDirty && len(f.dirty) == 0 && !passed(served.until, now) {
		return nil
	}
	p := &pass{begun: f.withdrawn.next(), all: f.allDirty || !f.maker.opened, dirty: f.dirty, made: map[int]*file{}, failed: map[int]bool{}}
	f.allDirty, f.dirty, f.passing = false, map[int]bool{}, true
	return p
}

// open reads, at the first time, what the store knows of the files. If that is
// all, the sitemap is served from then on.
func (f *Files) open(ctx context.Context) error {
	if f.maker.opened {
		return nil
	}
	files, whole, err := f.readFiles(ctx)
	if err != nil {
		return err
	}
	if f.maker.opened = true; whole {
		trust := f.judge(files)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.publish(files, nil, trust, 0)
		close(f.loaded)
	}
	return nil
}

// readFiles returns the files as the store knows them. whole says that it knows
// of each that there is.
func (f *Files) readFiles(ctx context.Context) (files map[int]*file, whole bool, err error) {
	parts, err := book.ReadParts(ctx, f.cfg.Store, f.cfg.Keys)
	if err != nil {
		return nil, false, err
	}
	files = map[int]*file{}
	for chunk := range slices.Chunk(filled(parts), store.MaxKeys) {
		values, err := f.view(ctx, len(chunk), func(i int) string { return f.cfg.Keys.File(chunk[i]) })
		if err != nil {
			return nil, false, err
		}
		for i, n := range chunk {
			p := readFile(values[i])
			if p == nil {
				return nil, false, nil
			}
			files[n] = p
		}
	}
	return files, true, nil
}

// filled returns the numbers of the parts that have pages, in order.
func filled(parts map[int]book.Part) (numbers []int) {
	for n, p := range parts {
		if p.Pages > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// make makes the files of a pass, and has them served.
func (f *Files) make(ctx context.Context, p *pass) error {
	p.todo = slices.Sorted(maps.Keys(p.dirty))
	if p.all {
		if err := f.findAll(ctx, p); err != nil {
			return err
		}
	}
	if p.trust = f.judge(p.made); p.trust != f.Trust() { // something was learned of the sources
		p.addAll(f.served.Load())
	}
	failed := f.makeParts(ctx, p)
	for judged := f.judge(p.made); judged != p.trust; judged = f.judge(p.made) {
		p.trust = judged
		p.addAll(f.served.Load())
		failed = f.makeParts(ctx, p)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed != nil && !f.whole() {
		return failed
	}
	sides, err := f.makeSides(ctx, p)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.publish(p.made, sides, p.trust, p.begun)
	p.served = true
	if !f.whole() {
		close(f.loaded)
	}
	return failed
}

// addAll has all the parts made that are served, or that the pass has made or could
// not make.
func (p *pass) addAll(served *snapshot) {
	p.todo = slices.AppendSeq(p.todo, maps.Keys(served.with(p.made)))
	p.todo = slices.AppendSeq(p.todo, maps.Keys(p.failed))
	clear(p.failed)
	slices.Sort(p.todo)
	p.todo = slices.Compact(p.todo)
}

// findAll has all parts made that the store has, and takes out those that it has not.
func (f *Files) findAll(ctx context.Context, p *pass) error {
	parts, err := book.ReadParts(ctx, f.cfg.Store, f.cfg.Keys)
	if err != nil {
		return err
	}
	p.todo = filled(parts)
	for n := range f.served.Load().parts {
		if parts[n].Pages <= 0 {
			p.made[n] = new(file)
		}
	}
	return nil
}

// makeParts makes the parts that are to be made, and those between them that
// somebody asks for. It returns the error of the first that could not be made, and
// gives up where the store cannot be used.
func (f *Files) makeParts(ctx context.Context, p *pass) (failed error) {
	for len(p.todo) > 0 {
		f.answer(ctx, p)
		n := p.todo[0]
		p.todo = p.todo[1:]
		made, gz, err := f.makePart(ctx, n, p.trust)
		if err != nil {
			p.failed[n], failed = true, cmp.Or(failed, err)
		} else {
			p.made[n] = made
			f.offer(n, made, gz)
		}
		if ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) {
			for _, left := range p.todo {
				p.failed[left] = true
			}
			p.todo = nil
		}
	}
	return failed
}

// offer keeps the bytes of a part that nobody asked for, if there is room.
func (f *Files) offer(n int, made *file, gz []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var replaced hash
	if old := f.served.Load().parts[n]; old != nil {
		replaced = old.hash
	}
	if made.pages > 0 {
		f.cache.offer(made.hash, gz, replaced)
	}
}

// publish has the parts that were made served in place of the old ones, and the side
// files unless sides is nil. begun is the number of the pass that made them, by whose
// files the withdrawals end that were settled before; 0 for none. The caller holds
// Files.mu.
func (f *Files) publish(made map[int]*file, sides *sides, trust lastmod.Trust, begun uint64) {
	now := time.Now()
	f.cut(now) // what ends now must be out of the files that stay
	f.withdrawn.drop(func(one withdrawal) bool { return one.settled != 0 && one.settled < begun })
	old := f.served.Load()
	if sides == nil {
		sides = &old.sides
	}
	for n, p := range made {
		switch q := old.parts[n]; {
		case q == nil && f.whole() && p.modified.Before(now.Truncate(time.Second)):
			// It showed nothing since, and before that perhaps other pages.
			p.modified, p.stored = now.Truncate(time.Second), false
		case q != nil && (q.hash != p.hash || len(q.gone) > 0) && !p.modified.After(q.modified):
			// Pages were taken out of the old file while this one was made.
			p.modified, p.stored = q.later(p.modified), false
		case q != nil && q.hash == p.hash && len(q.gone) == 0 && q.modified.After(p.modified):
			p.modified, p.stored = q.modified, false // a request has made the same file meanwhile
		}
	}
	f.replace(&snapshot{parts: old.with(made), sides: *sides, trust: trust})
	f.withdrawn.check(maps.Values(made))
	f.withdrawn.check(slices.Values(sides[:]))
	poke(f.wake) // other pages may be the next to expire
}

// judge returns the trust that the dates of the files earn, with those made in
// place of the old ones.
func (f *Files) judge(made map[int]*file) lastmod.Trust {
	served := f.served.Load()
	var all []lastmod.Summary
	for _, p := range served.with(made) {
		all = append(all, p.dates)
	}
	return lastmod.Judge(all, served.trust.Follow(f.policy.Load().Trust))
}

// makePart makes the file of part n as the store now has it, without what is
// withdrawn, and returns its bytes, compressed. One that lists nothing has no pages.
func (f *Files) makePart(ctx context.Context, n int, trust lastmod.Trust) (*file, []byte, error) {
	now := time.Now()
	m := making{trust: trust, now: moment.Of(now)}
	made, err := f.compose(ctx, n, &m)
	if err != nil {
		return nil, nil, fmt.Errorf("part %d: %w", n, err)
	}
	gz := made.gz
	made.gz = nil
	old := f.served.Load().parts[n]
	if old != nil && slices.Equal(old.listed, made.listed) {
		made.listed = old.listed // so that there is but one of them
	}
	f.note(ctx, f.cfg.Keys.File(n), f.cfg.Keys.Part(n), made, old, now)
	return made, gz, nil
}
