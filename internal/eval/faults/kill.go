package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

const (
	lanes        = 3 // sites that live and die side by side
	laneSections = 16
	lives        = 3 * time.Second  // at most, of one process
	reopenLimit  = 10 * time.Second // the printed line says how long it took
)

// lane is a site that is killed again and again, and what is known of it.
type lane struct {
	launch   launch
	rng      *rand.Rand
	visitors *visitors
	site     *child

	listed  map[string]bool // paths that the sitemap has had
	gone    map[string]bool // those that left it, for good: what has left is written
	unsure  map[string]bool // withdrawn or forgotten, but the kill came before that could be seen
	touched map[string]bool // visited by this process

	kills, early, withdrawn, forgotten int
	slowest                            time.Duration // to reopen
}

func kill(ctx context.Context, cfg *config) (line string, err error) {
	all := make([]*lane, lanes)
	errs := make([]error, lanes)
	var running sync.WaitGroup
	for i := range all {
		l := &lane{
			launch: launch{dir: filepath.Join(cfg.work, fmt.Sprint("store", i)), pages: newFates(laneSections)},
			rng:    rand.New(rand.NewPCG(1, uint64(10+i))), visitors: newVisitors(),
			listed: map[string]bool{}, gone: map[string]bool{}, unsure: map[string]bool{},
		}
		all[i] = l
		kills := (cfg.kills + i) / lanes
		running.Go(func() { errs[i] = l.run(ctx, kills) })
	}
	running.Wait()
	var sum lane
	requests, failed := int64(0), int64(0)
	for _, l := range all {
		sum.kills, sum.early = sum.kills+l.kills, sum.early+l.early
		sum.withdrawn, sum.forgotten = sum.withdrawn+l.withdrawn, sum.forgotten+l.forgotten
		sum.slowest = max(sum.slowest, l.slowest)
		requests, failed = requests+l.visitors.requests.Load(), failed+l.visitors.failed.Load()
		err = errors.Join(err, l.visitors.firstFailure())
	}
	return fmt.Sprintf("%d kills, %d of them while opening, all reopened, the slowest in %.0f ms; %d withdrawals and %d "+
		"Forgets kept; %d of %d requests failed",
		sum.kills, sum.early, float64(sum.slowest.Milliseconds()), sum.withdrawn, sum.forgotten, failed,
		requests), errors.Join(err, errors.Join(errs...))
}

// run starts and kills a site kills times, and starts it once more to check the rest.
func (l *lane) run(ctx context.Context, kills int) error {
	for n := range kills + 1 {
		site, err := l.launch.start(ctx)
		if err != nil {
			return err
		}
		l.site = site
		if err := l.live(n == 0); err != nil {
			site.Kill()
			return site.explain(fmt.Errorf("life %d: %w", n, err))
		}
		l.kills += kit.One(n < kills)
	}
	return nil
}

// live is one life, from the start to the kill.
func (l *lane) live(first bool) error {
	l.touched = map[string]bool{}
	l.visitors.forgives.Store(false)
	if !first && l.rng.IntN(5) == 0 {
		l.early++
		time.Sleep(time.Duration(l.rng.IntN(30)) * time.Millisecond)
		l.site.Kill()
		return nil
	}
	worked, err := l.site.awaitWork(reopenLimit)
	if err != nil {
		return err
	}
	l.slowest = max(l.slowest, worked)
	if err := l.survey(); err != nil {
		return err
	}
	if first {
		l.visitors.walk(l.site.public, 0, laneSections)
	}
	return l.work()
}

// survey waits for the sitemap. It must have every page that it had before, and none that
// left.
func (l *lane) survey() error {
	var failure error
	_, err := kit.Until(reopenLimit, "the sitemap has the pages that it had", func() bool {
		failure = l.check()
		return failure == nil
	})
	return errors.Join(err, failure)
}

// check compares the sitemap with the known facts.
func (l *lane) check() error {
	now, err := l.visitors.sitemap(l.site.public)
	if err != nil {
		return err
	}
	if len(now) == 0 && len(l.listed) > 0 {
		return errors.New("there is no sitemap yet")
	}
	for path := range l.listed {
		if !now[path] && !l.unsure[path] {
			return fmt.Errorf("%s was listed and is lost", path)
		}
	}
	for path := range now {
		if l.gone[path] {
			return fmt.Errorf("%s is listed, and had left", path)
		}
		if !l.unsure[path] {
			l.listed[path] = true
		}
	}
	return nil
}

// work visits, withdraws and forgets pages until a kill interrupts it.
func (l *lane) work() (err error) {
	end := time.Now().Add(time.Duration(l.rng.Int64N(int64(lives))))
	// Only pages of the second half are changed or withdrawn.
	stop := l.visitors.roam(l.site.public, laneSections/2, 1, time.Millisecond, l.rng)
	for err == nil && time.Now().Before(end) {
		err = errors.Join(l.withdraw(), l.withdraw(), l.check())
		time.Sleep(time.Duration(l.rng.IntN(400)) * time.Millisecond)
	}
	l.visitors.forgives.Store(true)
	l.site.Kill()
	stop()
	l.withdrawn = len(l.gone) - l.forgotten
	return err
}

// pick returns a listed page of the second half that this process has not seen. So the next
// visit to it is an observation.
func (l *lane) pick() string {
	half := laneSections * sectionPages / 2
	for range 100 {
		path := pagePath(half + l.rng.IntN(half))
		if l.listed[path] && !l.touched[path] {
			l.touched[path] = true
			return path
		}
	}
	return ""
}

// withdraw takes a page out of the sitemap: by an answer that a visitor sees, or by Forget.
// Mostly it waits until the page has left. What Forget has confirmed must hold at once.
func (l *lane) withdraw() error {
	path := l.pick()
	if path == "" {
		time.Sleep(10 * time.Millisecond)
		return nil
	}
	delete(l.listed, path)
	l.unsure[path] = true
	forgets := l.rng.IntN(3) == 0
	if forgets {
		if err := l.site.order("forget", "path", path); err != nil {
			return err
		}
		l.forgotten++
	} else {
		if err := l.site.withdraw(l.launch.pages, path, withdrawals[l.rng.IntN(3)]); err != nil {
			return err
		}
		l.visitors.visit(l.site.public, path)
		if l.rng.IntN(4) == 0 {
			return nil // killed, perhaps before the withdrawal is written
		}
	}
	if err := l.visitors.leaves(l.site.public, path); err != nil {
		return err
	}
	delete(l.unsure, path)
	l.gone[path] = true
	return nil
}
