package files

import (
	"cmp"
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
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// passer is what passes remember of each other. It belongs to the pass that holds the lock.
type passer struct {
	lock    lock
	opened  bool   // the store was read
	problem string // the last failure, so that each is logged once
}

// maker makes one file after another. It belongs to the pass or the request that holds the
// lock.
type maker struct {
	lock   lock
	made   int // files so far
	press  press
	hashes []uint64 // of the locations that the file being made lists
	linked []uint64 // of the locations that it links to
	given  lastmod.Gatherer
}

// next returns the order of the next file. The caller holds the lock.
func (m *maker) next() int {
	m.made++
	return m.made
}

// pass makes all files that have changed, and then serves them together. Their dates may
// change the trust in the dates of the other parts. Then the pass makes those again too,
// before it serves any.
type pass struct {
	number int
	all    bool         // every file is made
	dirty  map[int]bool // the files to make if not all
	todo   []int        // files still to be made, in order
	made   map[int]*file
	failed map[int]bool // files that could not be made
	served bool         // the made files are served
	trust  lastmod.Trust
}

// add adds files to those that are to be made.
func (p *pass) add(numbers ...int) {
	p.todo = append(p.todo, numbers...)
	slices.Sort(p.todo)
	p.todo = slices.Compact(p.todo)
}

// pass makes and serves the files that have changed. A file that cannot be made stays as
// it is, and the next pass tries again; the others are served.
func (f *Files) pass(ctx context.Context) error {
	if err := f.passer.lock.take(ctx); err != nil {
		return err
	}
	defer f.passer.lock.give()
	p := f.begin(moment.Of(time.Now()))
	if p == nil {
		return nil
	}
	err := f.make(ctx, p)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due.passing = false
	if maps.Copy(f.due.files, p.failed); !p.served {
		f.due.all = f.due.all || p.all
		maps.Copy(f.due.files, p.dirty)
	}
	if err == nil {
		f.passer.problem = ""
		behind := f.behind()
		f.forget(func(one withdrawal) bool { return !one.named && (one.passes < p.number || !behind) })
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
func (f *Files) begin(now moment.Time) *pass {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, p := range f.served.Load().files {
		if passed(p.until, now) {
			f.due.files[n] = true
		}
	}
	if f.policy.Load() == nil || !f.due.any() {
		return nil
	}
	number := f.due.passes + 1
	p := &pass{number: number, all: f.due.all || !f.passer.opened, dirty: f.due.files, made: map[int]*file{}, failed: map[int]bool{}}
	f.due = due{files: map[int]bool{}, passing: true, passes: number}
	return p
}

// open reads the stored records of the files in the first pass. If every part has one, the
// sitemap is served at once.
func (f *Files) open(ctx context.Context, parts []int) error {
	numbers := slices.AppendSeq(parts, maps.Values(f.sides()))
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = f.key(n)
	}
	records, err := txn.ReadAll(ctx, f.cfg.Store, names...)
	if err != nil {
		return err
	}
	f.passer.opened = true
	files := map[int]*file{}
	for i, n := range numbers {
		if p := readFile(records[i]); p != nil {
			files[n] = p
		} else if n < newsFile {
			return nil
		}
	}
	f.publish(files, f.judge(files), 0)
	return nil
}

// filled returns the numbers of the parts that have pages, in order.
func filled(parts map[int]shards.Part) (numbers []int) {
	for n, p := range parts {
		if p.Pages > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// make makes the files of a pass and serves them. Each pass makes the side files too,
// after the parts, since any change may concern them.
func (f *Files) make(ctx context.Context, p *pass) error {
	p.add(slices.AppendSeq(slices.Collect(maps.Keys(p.dirty)), maps.Values(f.sides()))...)
	if p.all {
		if err := f.findAll(ctx, p); err != nil {
			return err
		}
	}
	p.trust = f.Trust()
	var failed error
	for judged := f.judge(p.made); ; judged = f.judge(p.made) {
		if judged != p.trust { // something was learned of the sources
			p.trust = judged
			p.add(slices.AppendSeq(slices.Collect(maps.Keys(p.failed)), maps.Keys(f.served.Load().with(p.made)))...)
			clear(p.failed)
		}
		if len(p.todo) == 0 {
			break
		}
		failed = f.makeFiles(ctx, p)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed != nil && !f.whole() {
		return failed
	}
	f.publish(p.made, p.trust, p.number)
	p.served = true
	return failed
}

// findAll adds all parts that the store has to the pass, and empties the files of the
// others.
func (f *Files) findAll(ctx context.Context, p *pass) error {
	if err := f.maker.lock.take(ctx); err != nil {
		return err
	}
	order := f.maker.next() // of the files that list nothing: those that were made before are older
	f.maker.lock.give()
	parts, err := shards.ReadParts(ctx, f.cfg.Store, f.cfg.Keys)
	if err == nil && !f.passer.opened {
		err = f.open(ctx, filled(parts))
	}
	p.add(filled(parts)...)
	for n := range f.served.Load().files {
		if n < newsFile && parts[n].Pages <= 0 {
			p.made[n] = &file{order: order}
		}
	}
	return err
}

// makeFiles makes the files of the pass. It returns the error of the first file that could
// not be made. It gives up if the store cannot be used.
func (f *Files) makeFiles(ctx context.Context, p *pass) (failed error) {
	for len(p.todo) > 0 {
		n := p.todo[0]
		p.todo = p.todo[1:]
		made, gz, err := f.makeFile(ctx, n, p.trust)
		if err != nil {
			p.failed[n], failed = true, cmp.Or(failed, err)
		} else {
			p.made[n] = made
			f.keep(made, gz)
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

// keep puts the bytes of a made file into the cache.
func (f *Files) keep(made *file, gz []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if made.pages > 0 {
		f.cache.put(made.hash, gz)
	}
}

// publish serves the made files in place of the old ones. number is the number of the
// pass that made them, 0 for none. It ends the withdrawals that were settled before it, and
// returns the trust that the old files were made with.
func (f *Files) publish(made map[int]*file, trust lastmod.Trust, number int) (before lastmod.Trust) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut() // before withdrawals end, their pages must be out of the files that stay
	f.forget(func(one withdrawal) bool { return one.settled && one.passes < number })
	f.made.Store(time.Now().Unix())
	old, now, whole := f.served.Load(), moment.Of(time.Now()).Second(), f.whole()
	for n, p := range made {
		switch q := old.files[n]; {
		case f.orders[n] > p.order && p.order != 0:
			// It was made again meanwhile, perhaps with another trust, and may list nothing now.
			if made[n] = q; q == nil {
				delete(made, n)
			}
			f.due.files[n] = true
			continue
		case q == nil && whole && p.modified < now:
			// The file was empty until now, and before that it may have listed other pages.
			p.modified, p.stored = now, false
		case q != nil && (q.hash != p.hash || len(q.gone) > 0) && p.modified <= q.modified:
			// Pages were taken out of the old file while this one was made.
			p.modified, p.stored = q.later(p.modified), false
		case q != nil && q.hash == p.hash && len(q.gone) == 0 && q.modified > p.modified:
			p.modified, p.stored = q.modified, false // a request has made the same file meanwhile
		}
		f.orders[n] = max(f.orders[n], p.order)
	}
	f.gone.uncut = slices.Collect(maps.Keys(f.gone.pages)) // the made files may name them
	next := &snapshot{files: old.with(made), trust: trust}
	f.replace(cmp.Or(f.cutFrom(next), next))
	if !whole {
		close(f.loaded)
	}
	poke(f.wake) // other pages may be the next to expire
	return old.trust
}

// judge returns the trust that the dates of all files earn, with the made files in place
// of the old ones.
func (f *Files) judge(made map[int]*file) lastmod.Trust {
	served := f.served.Load()
	var all []lastmod.Summary
	for _, p := range served.with(made) {
		all = append(all, p.dates)
	}
	return lastmod.Judge(all, served.trust.Follow(f.policy.Load().Trust))
}

// makeFile makes file n from the store, without withdrawn pages. It returns the file and
// its compressed bytes. A file that lists nothing has 0 pages.
func (f *Files) makeFile(ctx context.Context, n int, trust lastmod.Trust) (*file, []byte, error) {
	if err := f.maker.lock.take(ctx); err != nil {
		return nil, nil, err
	}
	defer f.maker.lock.give()
	order := f.maker.next()
	m := making{trust: trust, now: moment.Of(time.Now())}
	compose := f.compose
	if n > keys.MaxPart {
		compose = f.composeNews
	}
	made, err := compose(ctx, n, &m)
	if err != nil {
		return nil, nil, fmt.Errorf("file %d: %w", n, err)
	}
	gz := made.gz
	made.gz, made.order = nil, order
	old := f.served.Load().files[n]
	if old != nil && slices.Equal(old.listed, made.listed) {
		made.listed = old.listed // share the memory
	}
	f.note(ctx, n, made, old, m.now.Second())
	return made, gz, nil
}
