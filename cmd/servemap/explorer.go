package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/control"
	"github.com/servemap/servemap/internal/texts"
)

// explorer explores the site of this process, one exploration at a time.
type explorer struct {
	site    *servemap.Site
	handler http.Handler
	static  bool
	state   string // the file with the state to continue from; it exists while an exploration is unfinished
	log     *slog.Logger
	busy    sync.Mutex
}

var errBusy = errors.New("the site is being explored already; wait until that is done")

// run explores, or continues an exploration. If it is interrupted, or reaches its number of
// requests, it stores the state to continue from.
func (e *explorer) run(ctx context.Context, opts servemap.ExploreOptions) (servemap.Exploration, error) {
	done, err := e.alone(ctx, opts)
	if err == nil {
		e.tell(done) // only now: whoever reads the log may explore again
		e.warn(ctx, done)
	}
	return done, err
}

// alone does what run does, unless an exploration is under way.
func (e *explorer) alone(ctx context.Context, opts servemap.ExploreOptions) (servemap.Exploration, error) {
	if !e.busy.TryLock() {
		return servemap.Exploration{}, errBusy
	}
	defer e.busy.Unlock()
	opts.Static = e.static
	opts.Resume, _ = os.ReadFile(e.state)
	done, err := e.site.Explore(ctx, e.handler, &opts)
	if len(done.State) > 0 {
		return done, errors.Join(err, control.WriteFile(e.state, done.State))
	}
	if err == nil || len(opts.Resume) > 0 { // it is done, or its state cannot be read
		_ = os.Remove(e.state)
	}
	return done, err
}

// tell logs what an exploration did and left out.
func (e *explorer) tell(done servemap.Exploration) {
	var skipped []any
	for _, why := range slices.Sorted(maps.Keys(done.Skipped)) {
		skipped = append(skipped, slog.Int(why, done.Skipped[why]))
	}
	e.log.Info("explored", "requests", done.Requests, "pages", done.Pages, "left", done.Waiting, slog.Group("skipped", skipped...))
	if n := done.Skipped["acting"]; n > 0 { // their addresses may be known to nobody else
		e.log.Info("links that may change something were not asked for; \"servemap explore\" names them, give -always for those that are pages", "links", n)
	}
	if n := done.Skipped["query"]; n > 0 {
		e.log.Info("links were left out for their query; if a parameter makes a page of its own, name it in -query", "links", n)
	}
	if done.Waiting > 0 {
		e.log.Info("-max was reached; what is left is asked for by the next \"servemap explore\", or at the next start with -explore", "left", done.Waiting)
	}
}

// warn logs why nothing is listed, if that is so after an exploration.
func (e *explorer) warn(ctx context.Context, done servemap.Exploration) {
	if e.site.Flush(ctx) != nil { // the store's trouble is logged
		return
	}
	if st := e.site.Stats(); st.Listed == 0 {
		e.log.Warn(nothingListed(done.Pages, st))
	}
}

// nothingListed says that an exploration listed nothing. Unless the log has said what
// prevents learning the whole site, it adds the cause that concerns most: why most of the
// pages are not listed, else why most of the responses did not count.
func nothingListed(pages int, st servemap.Stats) string {
	text := fmt.Sprintf("nothing is listed, though the exploration saw pages: %d. ", pages)
	if pages == 0 {
		text = "nothing is listed: the exploration saw no page. "
	}
	if len(st.Hints) > 0 { // the site has logged them
		return text + "A warning above says why."
	}
	verdicts := maps.Clone(st.Verdicts)
	maps.DeleteFunc(verdicts, func(verdict string, _ int) bool { return strings.HasPrefix(verdict, "waiting ") })
	if verdict, n := most(verdicts); n > 0 {
		_, reason, _ := strings.Cut(verdict, " ")
		sum, _ := texts.Summarise(reason)
		return strings.TrimSpace(fmt.Sprintf("%sWhat keeps %d of them out: %s %s", text, n, sum.Means, sum.Todo))
	}
	if reason, n := most(st.Ignored); n > 0 {
		return fmt.Sprintf("%sResponses that did not count: %d, %s", text, n, texts.Response(reason))
	}
	return text + "See what the site answers at its first page."
}

// most returns the name with the largest count, and the first of several.
func most[N int | uint64](counts map[string]N) (name string, n N) {
	for _, each := range slices.Sorted(maps.Keys(counts)) {
		if counts[each] > n {
			name, n = each, counts[each]
		}
	}
	return name, n
}

const (
	exploreAgain = 5 * time.Second  // after a failure, such as while the site itself starts
	logEvery     = 10 * time.Second // of progress, without a terminal
)

// atStart continues an interrupted exploration. Otherwise it begins one if no page is
// listed yet, or always is set. It tries until that succeeds.
func (e *explorer) atStart(ctx context.Context, always bool, most int) {
	if _, err := os.Stat(e.state); err == nil {
		e.log.Info("exploring goes on where it ended")
	} else if !always && !e.empty(ctx) {
		if ctx.Err() == nil {
			e.log.Info("not explored, since pages are listed already; \"servemap explore\" does it all the same")
		}
		return
	} else if err := control.WriteFile(e.state, nil); err != nil { // if this process dies, the next start continues
		e.log.Error("exploring: how to go on cannot be kept", "err", err)
	}
	told := time.Now()
	opts := servemap.ExploreOptions{MaxRequests: most, Progress: func(x servemap.Exploration) {
		if time.Since(told) >= logEvery {
			told = time.Now()
			e.log.Info("exploring", "requests", x.Requests, "pages", x.Pages, "waiting", x.Waiting)
		}
	}}
	for tries := 0; ctx.Err() == nil; tries++ {
		_, err := e.run(ctx, opts)
		if err == nil {
			return
		}
		if tries == 0 && ctx.Err() == nil {
			e.log.Warn("the exploration is tried again until it is done", "err", err)
		}
		wait(ctx, exploreAgain)
	}
}

// revisit looks at pages that no visitor requests, until ctx ends. The exploration before
// it takes one request, the least.
func (e *explorer) revisit(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := e.site.Explore(ctx, e.handler, &servemap.ExploreOptions{MaxRequests: 1, Static: e.static, Revisit: true})
		if ctx.Err() == nil {
			e.log.Warn("revisiting begins again", "err", err)
		}
		wait(ctx, exploreAgain)
	}
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// empty reports whether no page is listed. It waits until that is known, such as for a
// database that starts later.
func (e *explorer) empty(ctx context.Context) bool {
	for tries := 0; ctx.Err() == nil; tries++ {
		var failed error
		for _, err := range e.site.Pages(ctx) {
			if err == nil {
				return false
			}
			failed = err
		}
		if failed == nil {
			return true
		}
		if tries == 0 && ctx.Err() == nil {
			e.log.Warn("exploring waits until the store can be read", "err", failed)
		}
		wait(ctx, exploreAgain)
	}
	return false
}
