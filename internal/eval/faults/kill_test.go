package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

const (
	lanes        = 3 // sites that live and die side by side
	laneSections = 16
	lives        = 3 * time.Second  // at most, of one process
	reopenLimit  = 10 * time.Second // the printed line says how long it took
)

// lane is a site that is killed again and again, and what is known of it.
type lane struct {
	*testing.T
	launch   launch
	rng      *rand.Rand
	visitors *visitors
	site     *child

	listed  map[string]bool // paths that the sitemap has had
	gone    map[string]bool // those that left it, for good: what has left is written
	unsure  map[string]bool // withdrawn or forgotten, but the kill came before that could be seen
	touched map[string]bool // visited by this process

	kills, early, forgotten int
	slowest                 time.Duration // to reopen
}

func kill(t *testing.T) {
	all := make([]*lane, lanes)
	t.Cleanup(func() {
		sum, gone, requests, failed := lane{}, 0, int64(0), int64(0)
		for _, l := range all {
			sum.kills, sum.early, sum.forgotten = sum.kills+l.kills, sum.early+l.early, sum.forgotten+l.forgotten
			sum.slowest, gone = max(sum.slowest, l.slowest), gone+len(l.gone)
			requests, failed = requests+l.visitors.requests.Load(), failed+l.visitors.failed.Load()
		}
		fmt.Printf("kill: %d kills, %d of them while opening, all reopened, the slowest in %.0f ms; %d withdrawals and %d "+
			"Forgets kept; %d of %d requests failed\n", sum.kills, sum.early, float64(sum.slowest.Milliseconds()), gone-sum.forgotten,
			sum.forgotten, failed, requests)
	})
	for i := range all {
		l := &lane{
			launch: launch{dir: t.TempDir(), pages: newFates(laneSections)},
			rng:    rand.New(rand.NewPCG(1, uint64(10+i))), visitors: newVisitors(),
			listed: map[string]bool{}, gone: map[string]bool{}, unsure: map[string]bool{},
		}
		all[i] = l
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			l.T = t
			for n := range (*kills+i)/lanes + 1 { // the last life is to check the rest
				l.site = l.launch.start(t)
				l.live(n == 0)
				l.kills = n
			}
			base.Check(t, l.visitors.firstFailure())
		})
	}
}

// live is one life, from the start to the kill.
func (l *lane) live(first bool) {
	l.touched = map[string]bool{}
	l.visitors.forgives.Store(false)
	if !first && l.rng.IntN(5) == 0 {
		l.early++
		time.Sleep(time.Duration(l.rng.IntN(30)) * time.Millisecond)
		l.site.Kill()
		return
	}
	l.slowest = max(l.slowest, l.site.awaitWork(reopenLimit))
	l.survey()
	if first {
		l.visitors.walk(l.site.public, 0, laneSections)
	}
	l.work()
}

// survey waits for the sitemap. It must have every page that it had before, and none that
// left.
func (l *lane) survey() {
	var failure error
	_, err := kit.Until(reopenLimit, "the sitemap has the pages that it had", func() bool {
		failure = l.check()
		return failure == nil
	})
	base.Check(l, errors.Join(err, failure))
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
func (l *lane) work() {
	end := time.Now().Add(time.Duration(l.rng.Int64N(int64(lives))))
	// Only pages of the second half are changed or withdrawn.
	stop := l.visitors.roam(l.site.public, laneSections/2, 1, time.Millisecond, l.rng)
	for time.Now().Before(end) {
		l.withdraw()
		l.withdraw()
		base.Check(l, l.check())
		time.Sleep(time.Duration(l.rng.IntN(400)) * time.Millisecond)
	}
	l.visitors.forgives.Store(true)
	l.site.Kill()
	stop()
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
func (l *lane) withdraw() {
	path := l.pick()
	if path == "" {
		time.Sleep(10 * time.Millisecond)
		return
	}
	delete(l.listed, path)
	l.unsure[path] = true
	if l.rng.IntN(3) == 0 {
		l.site.order("forget", "path", path)
		l.forgotten++
	} else {
		l.site.withdraw(l.launch.pages, path, withdrawals[l.rng.IntN(3)])
		l.visitors.visit(l.site.public, path)
		if l.rng.IntN(4) == 0 {
			return // killed, perhaps before the withdrawal is written
		}
	}
	base.Check(l, l.visitors.leaves(l.site.public, path))
	delete(l.unsure, path)
	l.gone[path] = true
}
