package files

import (
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

// Render brings the files being served up to date with the store. If it fails,
// those that could not be made stay as they are.
func (f *Files) Render(ctx context.Context) error {
	if err := take(ctx, f.pass); err != nil {
		return fmt.Errorf("rendering the sitemap: %w", err)
	}
	ended := uint64(0) // the pass, if it has made all there was to make
	defer func() {
		<-f.pass
		f.forgetStrangers(ended)
	}()
	all, changed, pass, err := f.takeDirty(ctx, moment.Of(time.Now()))
	if err == nil && !all && len(changed) == 0 && !f.sidePassed(moment.Of(time.Now())) {
		return nil
	}
	if err == nil {
		all = all || !f.opened
		err = f.open(ctx)
	}
	if err == nil {
		var again []int
		if again, err = f.renderChanged(ctx, all, changed); len(again) > 0 {
			all, changed = false, again
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.problem, ended = "", pass
		return nil
	}
	f.allDirty = f.allDirty || all
	for _, n := range changed {
		f.dirty[n] = true
	}
	poke(f.wake)
	if text := err.Error(); text != f.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
		f.problem = text // an unavailable store tells of its troubles itself
		f.cfg.Logger.Warn("servemap: the sitemap could not be rendered; the last one is served until it can", "err", err)
	}
	return fmt.Errorf("rendering the sitemap: %w", err)
}

// takeDirty returns what is to be rendered, and the number of the pass that begins
// so. Withdrawals that the store knows of by now end with it.
func (f *Files) takeDirty(ctx context.Context, now moment.Time) (all bool, changed []int, pass uint64, err error) {
	if err := take(ctx, f.turn); err != nil { // a file that is being made may be older than their end
		return false, nil, 0, err
	}
	defer func() { <-f.turn }()
	f.cut() // what ends now must be out of the files being served
	clear(f.overtaken)
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, p := range f.served.parts {
		if passed(p.until, now) {
			f.dirty[n] = true
		}
	}
	all, changed = f.allDirty, slices.Sorted(maps.Keys(f.dirty))
	f.allDirty = false
	clear(f.dirty)
	if all || len(changed) > 0 {
		f.withdrawn.drop(func(_ string, one withdrawal) bool {
			if one.settled && one.number > f.cutTo && one.part > 0 {
				f.dirty[one.part] = true // it came since the cut, and ends with the next pass
			}
			return one.settled && one.number <= f.cutTo
		})
	}
	f.passes++
	return all, changed, f.passes, nil
}

// open reads, at the first time, what the store knows of the files. If that is
// all, the sitemap is served from then on.
func (f *Files) open(ctx context.Context) error {
	if f.opened {
		return nil
	}
	files, whole, err := f.readFiles(ctx)
	if err != nil {
		return err
	}
	if f.opened = true; !whole {
		return nil
	}
	f.publish(files, f.judge(files))
	f.once.Do(func() { close(f.loaded) })
	return nil
}

// readFiles returns the files as the store knows them. whole says that it knows
// of each that there is.
func (f *Files) readFiles(ctx context.Context) (files map[int]*file, whole bool, err error) {
	parts, err := book.ReadParts(ctx, f.cfg.Store, f.cfg.Keys)
	if err != nil {
		return nil, false, err
	}
	files, whole = map[int]*file{}, true
	for chunk := range slices.Chunk(filled(parts), store.MaxKeys) {
		values, err := f.viewEntries(ctx, len(chunk), func(i int) string { return f.cfg.Keys.File(chunk[i]) })
		if err != nil {
			return nil, false, err
		}
		for i, n := range chunk {
			switch p := readFile(values[i]); {
			case p == nil || p.pages == 0 && !p.empty:
				whole = false
			case !p.empty:
				files[n] = p
			}
		}
	}
	return files, whole, nil
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

// renderChanged makes the changed parts anew, and serves them. What it learns of
// their dates may change the trust in the dates of all the others; then these
// are made anew too, before any of them is served. A part that cannot be read
// keeps its file, and does not keep the others from theirs: those parts alone
// are to be tried again.
func (f *Files) renderChanged(ctx context.Context, all bool, numbers []int) (again []int, err error) {
	made := map[int]*file{}
	whole := f.whole()
	if all || !whole {
		parts, err := book.ReadParts(ctx, f.cfg.Store, f.cfg.Keys)
		if err != nil {
			return nil, err
		}
		numbers = filled(parts)
		for n := range f.current().parts {
			if parts[n].Pages <= 0 {
				made[n] = nil
			}
		}
	}
	trust := f.Trust()
	if judged := f.judge(made); judged != trust { // something was learned of the sources
		trust, numbers = judged, union(numbers, slices.Sorted(maps.Keys(f.with(made))))
	}
	for {
		var short error
		if again, short, err = f.renderEach(ctx, numbers, trust, made); err != nil {
			return nil, err
		}
		if judged := f.judge(made); judged != trust {
			trust, numbers = judged, slices.Sorted(maps.Keys(f.with(made)))
			continue
		}
		if short != nil && !whole {
			return nil, short
		}
		if numbers, err = f.publishMade(ctx, made, trust); err != nil || len(numbers) == 0 {
			return again, errors.Join(short, err)
		}
	}
}

// union returns the numbers in either of two sorted lists, in order.
func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// publishMade serves what a pass has made, unless some of it is older than what
// is served since; those parts are returned, to be made once more.
func (f *Files) publishMade(ctx context.Context, made map[int]*file, trust lastmod.Trust) (older []int, err error) {
	if err := take(ctx, f.turn); err != nil {
		return nil, err
	}
	defer func() { <-f.turn }()
	for n := range f.overtaken {
		if _, is := made[n]; is {
			older = append(older, n)
		}
	}
	clear(f.overtaken)
	if len(older) > 0 {
		return older, nil
	}
	beside, err := f.renderSides(ctx, trust, f.current().sides)
	if err != nil {
		return nil, err
	}
	f.publishAll(made, beside, trust)
	f.once.Do(func() { close(f.loaded) })
	return nil, nil
}

// whole reports whether it is known what all files list.
func (f *Files) whole() bool {
	select {
	case <-f.loaded:
		return true
	default:
		return false
	}
}

// renderEach makes parts and adds them to made. Those of which the store shows
// too little are returned.
func (f *Files) renderEach(ctx context.Context, numbers []int, trust lastmod.Trust, made map[int]*file) (again []int, short, err error) {
	for _, n := range numbers {
		p, err := f.renderInTurn(ctx, n, trust)
		switch {
		case errors.Is(err, errShort):
			again, short = append(again, n), errors.Join(short, err)
		case err != nil:
			return nil, nil, err
		default:
			made[n] = p
		}
	}
	return again, short, nil
}

func (f *Files) renderInTurn(ctx context.Context, n int, trust lastmod.Trust) (*file, error) {
	if err := take(ctx, f.turn); err != nil {
		return nil, err
	}
	defer func() { <-f.turn }()
	p, gz, err := f.renderPart(ctx, n, trust)
	if p == nil {
		return nil, err
	}
	old := f.current().parts[n]
	if old == nil {
		f.cache.offer(p.hash, gz, hash{})
		return p, nil
	}
	f.cache.offer(p.hash, gz, old.hash)
	if old.unsure && old.hash == p.hash && trust == f.Trust() {
		f.publish(map[int]*file{n: p}, trust) // it is what it was, and sure to be now
	}
	return p, nil
}
