// Package explorer explores the site that a process of the command serves: one exploration at a
// time, which goes on after a restart. It logs what was found, what was left out, and why nothing is
// listed. It keeps its state in a file, and must never log the address of a page.
package explorer

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
)

// Explorer explores one site. Its methods may be called concurrently.
type Explorer struct {
	Site    *servemap.Site
	Handler http.Handler // of the site itself
	Static  bool         // no request changes anything
	State   string       // the file with the state to continue from; it exists while an exploration is unfinished
	Log     *slog.Logger

	busy sync.Mutex
}

var errBusy = errors.New("the site is being explored already; wait until that is done")

// Run explores, or continues an exploration. If it is interrupted, or reaches its number of
// requests, it stores the state to continue from.
func (e *Explorer) Run(ctx context.Context, opts servemap.ExploreOptions) (servemap.Exploration, error) {
	done, err := e.alone(ctx, opts)
	if err == nil {
		e.tell(done) // only now: whoever reads the log may explore again
		e.warn(ctx, done)
	}
	return done, err
}

// alone does what Run does, unless an exploration is under way.
func (e *Explorer) alone(ctx context.Context, opts servemap.ExploreOptions) (servemap.Exploration, error) {
	if !e.busy.TryLock() {
		return servemap.Exploration{}, errBusy
	}
	defer e.busy.Unlock()
	opts.Static = e.Static
	opts.Resume, _ = control.ReadFile(e.State)
	done, err := e.Site.Explore(ctx, e.Handler, &opts)
	if len(done.State) > 0 {
		return done, errors.Join(err, control.WriteFile(e.State, done.State))
	}
	if err == nil || len(opts.Resume) > 0 { // it is done, or its state cannot be read
		_ = os.Remove(e.State)
	}
	return done, err
}

// tell logs what an exploration did and left out.
func (e *Explorer) tell(done servemap.Exploration) {
	var skipped []any
	for _, why := range slices.Sorted(maps.Keys(done.Skipped)) {
		skipped = append(skipped, slog.Int(why, done.Skipped[why]))
	}
	e.Log.Info("explored", "requests", done.Requests, "pages", done.Pages, "left", done.Waiting, slog.Group("skipped", skipped...))
	if n := done.Skipped["acting"]; n > 0 { // their addresses may be known to nobody else
		e.Log.Info("links that may change something were not asked for; \"servemap explore\" names them, give -always for those that are pages", "links", n)
	}
	if n := done.Skipped["query"]; n > 0 {
		e.Log.Info("links were left out for their query; if a parameter makes a page of its own, name it in -query", "links", n)
	}
	if done.Waiting > 0 {
		e.Log.Info("-max was reached; what is left is asked for by the next \"servemap explore\", or at the next start with -explore", "left", done.Waiting)
	}
}

// warn logs which verdicts and which responses that did not count keep the site from being
// listed, if nothing is listed after an exploration.
func (e *Explorer) warn(ctx context.Context, done servemap.Exploration) {
	if e.Site.Flush(ctx) != nil { // the store's trouble is logged
		return
	}
	if st := e.Site.Stats(); st.Listed == 0 {
		causes := slices.Concat(slices.Sorted(maps.Keys(st.Verdicts)), slices.Sorted(maps.Keys(st.Ignored)))
		e.Log.Warn("nothing is listed; \"servemap stats\" says what to do about the causes", "pages", done.Pages, "causes", strings.Join(causes, ", "))
	}
}

// LogEvery is how often to tell the progress.
const LogEvery = 10 * time.Second

// exploreAgain is how long to wait after a failure, such as while the site itself starts.
const exploreAgain = 5 * time.Second

// AtStart continues an interrupted exploration. Otherwise it begins one if no page is
// listed yet, or always is set. It tries until that succeeds, such as while a database or
// the site itself starts.
func (e *Explorer) AtStart(ctx context.Context, always bool, most int) {
	_, unstarted := os.Stat(e.State)
	if unstarted == nil {
		e.Log.Info("exploring goes on where it ended")
	}
	told := time.Now()
	opts := servemap.ExploreOptions{MaxRequests: most, Progress: func(x servemap.Exploration) {
		if time.Since(told) >= LogEvery {
			told = time.Now()
			e.Log.Info("exploring", "requests", x.Requests, "pages", x.Pages, "waiting", x.Waiting)
		}
	}}
	begun := always || unstarted == nil // it stays so if the state cannot be read
	for tries := 0; ctx.Err() == nil; tries++ {
		err := e.atStart(ctx, &begun, opts)
		if err == nil {
			return
		}
		if tries == 0 && ctx.Err() == nil {
			e.Log.Warn("the exploration is tried again until it is done", "err", err)
		}
		wait(ctx, exploreAgain)
	}
}

// atStart tries once what AtStart does. Once an exploration has begun, it does not matter
// which pages are listed.
func (e *Explorer) atStart(ctx context.Context, begun *bool, opts servemap.ExploreOptions) error {
	if !*begun {
		for _, err := range e.Site.Pages(ctx) {
			if err == nil {
				e.Log.Info("not explored, since pages are listed already; \"servemap explore\" does it all the same")
			}
			return err
		}
	}
	*begun = true
	if _, err := os.Stat(e.State); err != nil { // if this process dies, the next start continues
		if err := control.WriteFile(e.State, nil); err != nil {
			e.Log.Error("exploring: how to go on cannot be kept", "err", err)
		}
	}
	_, err := e.Run(ctx, opts)
	return err
}

// Revisit observes pages that no visitor requests, until ctx ends. Site.Explore explores
// before that; one request is the least.
func (e *Explorer) Revisit(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := e.Site.Explore(ctx, e.Handler, &servemap.ExploreOptions{MaxRequests: 1, Static: e.Static, Revisit: true})
		if ctx.Err() == nil {
			e.Log.Warn("revisiting begins again", "err", err)
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
