package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// traffic is the visitors. Each request goes to the fleet and to the one process.
type traffic struct {
	*config
	fleet        *fleet
	one          kit.Getter
	sent, failed atomic.Uint64
	restarts     string // what happened to the database, in words
}

// visitors is how many requests run at once at most.
const visitors = 16

// pause is how long a killed replica stays down.
const pause = 3 * time.Second

// run sends visitors, kills replicas, and restarts the database. A replica that dies loses
// what it has not stored. So after the last of these troubles there is a round through all
// pages, however long that takes.
func (t *traffic) run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	var troubles sync.WaitGroup
	var over atomic.Bool
	var failed error // of the restart
	troubles.Go(func() { t.kill(ctx) })
	troubles.Go(func() { failed = t.restartDatabase(ctx) })
	group.Go(func() { troubles.Wait(); over.Store(true) })
	paths := make(chan string)
	for range visitors {
		group.Go(func() {
			for path := range paths {
				t.visit(ctx, path)
			}
		})
	}
	defer close(paths)
	tick := time.NewTicker(time.Second / time.Duration(t.rate))
	defer tick.Stop()
	rnd := rand.New(rand.NewPCG(1, 2))
	for {
		last := over.Load() && time.Since(t.epoch) > t.lasts
		for _, path := range t.round(rnd) {
			select {
			case paths <- path:
			case <-ctx.Done():
				return ctx.Err()
			}
			<-tick.C
		}
		if last {
			return failed
		}
	}
}

// round returns the locations in the order of the visits.
func (t *traffic) round(rnd *rand.Rand) []string {
	paths := []string{"/"}
	for n := range t.hubs() {
		paths = append(paths, hubPath(n))
	}
	for _, n := range rnd.Perm(t.pages) {
		paths = append(paths, pagePath(n))
	}
	return paths
}

func (t *traffic) visit(ctx context.Context, path string) {
	t.sent.Add(1)
	want, _ := t.one(ctx, path) // a direct call of a handler always answers
	got, err := t.fleet.visit(ctx, path)
	if err != nil || !fits(got.Status, want.Status) {
		t.failed.Add(1)
	}
}

// fits reports whether a status agrees with that of the one process. A page may disappear
// between the two requests.
func fits(status, want int) bool {
	is := func(status int) bool { return status == http.StatusOK || status == http.StatusGone }
	return status == want || is(status) && is(want)
}

// kill kills replicas at even intervals while visitors come.
func (t *traffic) kill(ctx context.Context) {
	for i := range t.kills {
		r := t.fleet.replicas[i%len(t.fleet.replicas)]
		if kit.Sleep(ctx, t.lasts/time.Duration(t.kills+1)) != nil {
			return
		}
		r.kill()
		if kit.Sleep(ctx, pause) != nil {
			return
		}
		if err := r.start(ctx); err != nil {
			fmt.Println(err)
		}
	}
}

// restartDatabase runs the restart command halfway through the visits.
func (t *traffic) restartDatabase(ctx context.Context) error {
	if t.restart == "" {
		t.restarts = "no restart of the database"
		return nil
	}
	if err := kit.Sleep(ctx, t.lasts/2); err != nil {
		return err
	}
	begun := time.Now()
	if out, err := exec.CommandContext(ctx, "sh", "-c", t.restart).CombinedOutput(); err != nil {
		return fmt.Errorf("restarting the database: %w: %s", err, out)
	}
	t.restarts = fmt.Sprintf("one restart of the database that took %v", time.Since(begun).Round(100*time.Millisecond))
	return nil
}
