// Package explorer explores the site that a process of the command serves: one exploration at a
// time, which begins anew after a restart. It logs what was found, what was left out, and why nothing is
// listed. It must never log the address of a page that it found.
package explorer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/words"
)

// Explorer explores one site. Its methods may be called concurrently.
type Explorer struct {
	Site     *servemap.Site
	Handler  http.Handler // the site itself
	Inside   bool         // ask Handler, not the origin
	Public   string       // the pattern of all pages
	Query    []string     // the parameters that are named already
	Sitemaps []string     // further sitemaps of the site
	Log      *slog.Logger

	Settings string // the settings that decide what exploring finds
	Explored string // the file that keeps the Settings of the last exploration that got pages and met no failure, "" for none

	busy sync.Mutex
}

var errNothing = errors.New("the site gave no page to begin with; see what it answers to visitors there")

var errBusy = errors.New("the site is being explored already; wait until that is done")

// Run explores.
func (e *Explorer) Run(ctx context.Context, opts servemap.ExploreOptions) (servemap.Exploration, error) {
	done, err := e.Explore(ctx, opts)
	if err == nil {
		e.tell(done) // only now: whoever reads the log may explore again
	}
	return done, err
}

// Explore does what Run does, and logs nothing of what it found.
func (e *Explorer) Explore(ctx context.Context, opts servemap.ExploreOptions) (servemap.Exploration, error) {
	if !e.busy.TryLock() {
		return servemap.Exploration{}, errBusy
	}
	defer e.busy.Unlock()
	if e.Inside {
		opts.Inside = e.Handler
	}
	opts.Sitemaps = e.Sitemaps
	done, err := e.Site.Explore(ctx, &opts)
	if err == nil && done.Pages > 0 && done.Skipped[eligibility.LinkFailed.String()] == 0 && e.Explored != "" {
		if err := control.WriteFile(e.Explored, []byte(e.Settings)); err != nil {
			e.Log.Warn("the next start explores again", "err", err)
		}
	}
	return done, err
}

// tell logs what an exploration did. If most of its pages could not be listed, it says what keeps them out, and names
// the flags that list more, if some do. The library itself logs what was left out, a line for each cause.
func (e *Explorer) tell(done servemap.Exploration) {
	log, level := e.Log.With("requests", done.Requests, "pages", done.Pages, "listed", e.Site.Stats().Listed,
		"still to ask", done.Waiting), slog.LevelInfo
	name, means, add := e.Missing(done)
	if name != "" {
		log, level = log.With("but", "most pages could not be listed", "most often", name, "that is", means), slog.LevelWarn
	}
	first := "if those pages are public, add"
	if words.Used() == words.Keys { // each line by itself, to be pasted
		first = "if those pages are public, write into the file"
	} else if len(add) > 0 {
		add = []string{strings.Join(add, " ")}
	}
	for i, setting := range add {
		log = log.With([]string{first, "and the line"}[i], setting)
	}
	if done.AtOnce > 0 {
		log = log.With("answered only alone", done.Alone, "the site failed under requests at once", done.AtOnce)
		level = slog.LevelWarn
	}
	log.Log(context.Background(), level, "explored")
}

// Missing returns the name of what keeps most pages of an exploration out, and what it means, both "" if most are
// listed. add are the flags that list more, or the lines of the file as they then stand, if those pages are public.
func (e *Explorer) Missing(done servemap.Exploration) (name, means string, add []string) {
	st := e.Site.Stats()
	name, means, n := cause(st)
	if done.Pages <= st.Listed || n <= st.Listed {
		name, means = "", ""
	}
	if name == "private" || name == "no-store" {
		add = append(add, words.Typed("{Public}", e.Public))
	}
	if names := messages.Parameters(done.Params); len(names) > 0 {
		if words.Used() == words.Keys { // a flag may come twice, a line may not
			names = slices.Concat(e.Query, names)
		}
		add = append(add, words.Typed("{Query}", names...))
	}
	return name, means, add
}

// cause returns the name of what keeps most pages out, says what it means and what to do, and how many these are. Where
// some pages are listed, pages that do not want to be, and pages that nobody got, do not count as missing.
func cause(st servemap.Stats) (name, means string, n int) {
	most, none := uint64(0), st.Listed == 0
	count := func(reason string, n uint64) {
		if n > most || n == most && reason < name {
			name, most = reason, n
		}
	}
	entry := none && messages.ForOne.In(st.Hints) // the entry is for one visitor, which keeps all others out
	for verdict, n := range st.Verdicts {
		is, reason, _ := strings.Cut(verdict, " ")
		if entry && reason != "private" && reason != "no-store" {
			continue
		}
		of := messages.ReasonNamed(reason).Reason
		if is != string(servemap.VerdictListed) && (none || reason != "noindex" && reason != "canonical-elsewhere" &&
			reason != "no-page" && !of.Unvisited() && !of.Owners()) {
			count(reason, uint64(n))
		}
	}
	if most == 0 && none {
		for reason, n := range st.Ignored {
			count(reason, n)
		}
	}
	if r := messages.ReasonOf(name, int(most)); r.Why != "" {
		means = strings.TrimSpace(fmt.Sprintf("%d %s. %s", most, r.Why, r.Todo))
	}
	return name, means, int(most)
}

// logEvery is how often the log tells the progress. The steps in between are logged at the level debug.
const logEvery = 10 * time.Second

// Exploring is the message of progress.
const Exploring = "exploring"

// Progress returns a function that logs the progress of an exploration, and what it waits for.
func Progress(log *slog.Logger) func(servemap.Exploration) {
	told := time.Now()
	return func(x servemap.Exploration) {
		args, level := []any{"requests", x.Requests, "pages", x.Pages, "still to ask", x.Waiting}, slog.LevelDebug
		if x.Waits != "" {
			args = append(args, "waits", x.Waits)
		}
		if time.Since(told) >= logEvery || x.Waits != "" {
			told, level = time.Now(), slog.LevelInfo
		}
		log.Log(context.Background(), level, Exploring, args...)
	}
}

// AtStart explores, unless the folder says that an exploration with these settings was finished, and always is
// not set. It tries until that succeeds, such as while a database or the site itself starts. If the site was walked and
// gave no page, later goes on: nothing else needs to wait for it. It is nil if nothing is left to do.
func (e *Explorer) AtStart(ctx context.Context, always bool, opts servemap.ExploreOptions) (later func()) {
	if with, err := control.ReadFile(e.Explored); err == nil && string(with) == e.Settings && !always {
		e.Log.Info("not explored, since that was done before; \"servemap explore\" does it again")
		e.Revisit(ctx, 0) // from now on, the site looks at what a stranger gets
		return nil
	}
	opts.Progress = Progress(e.Log)
	walk := func() error {
		done, err := e.Explore(ctx, opts)
		if err == nil && done.Pages == 0 {
			return errNothing
		}
		if err == nil {
			e.tell(done)
		}
		return err
	}
	e.keepTrying(ctx, func() error {
		err := walk()
		if errors.Is(err, errNothing) {
			later, err = func() { e.keepTrying(ctx, e.once(ctx, walk)) }, nil
		}
		return err
	})
	return later
}

// once returns walk, for a site that gave no page just now: it walks only once the entry is a page, or a day has gone.
func (e *Explorer) once(ctx context.Context, walk func() error) func() error {
	walked := time.Now()
	return func() error {
		if time.Since(walked) < 24*time.Hour {
			if done, err := e.Site.Explore(ctx, e.entry(0)); err != nil || done.Pages == 0 {
				return cmp.Or(err, errNothing)
			}
		}
		walked = time.Now()
		return walk()
	}
}

// entry returns options to request the entry alone, and then to revisit at most so many pages a day.
func (e *Explorer) entry(revisit int) *servemap.ExploreOptions {
	opts := servemap.ExploreOptions{MaxRequests: 1, Revisit: revisit}
	if e.Inside {
		opts.Inside = e.Handler
	}
	return &opts
}

// Revisit requests pages that no visitor requests, until ctx ends, at most perDay a day. Before that, Site.Explore
// explores: with the one request that is its least.
func (e *Explorer) Revisit(ctx context.Context, perDay int) {
	e.keepTrying(ctx, func() error {
		_, err := e.Site.Explore(ctx, e.entry(perDay))
		return err
	})
}

// How long to wait after a failure, such as while the site itself starts, at first and at most: each try asks for
// robots.txt and the entry anew. The latter is also the wait after the origin was found to lead elsewhere.
const (
	failedWait    = 5 * time.Second
	elsewhereWait = 10 * time.Minute
)

// keepTrying calls do until it succeeds, or ctx ends. It logs each cause of a failure once.
func (e *Explorer) keepTrying(ctx context.Context, do func() error) {
	last := ""
	for wait := failedWait; ; wait = min(2*wait, elsewhereWait) {
		err := do()
		if err == nil || ctx.Err() != nil {
			return
		}
		if errors.Is(err, explore.ErrElsewhere) {
			wait = elsewhereWait // a hint says it
		} else if messages.Unanswered.In(e.Site.Stats().Hints) {
			last = "" // the log has it
		} else if err.Error() != last {
			last = err.Error()
			e.Log.Warn("not explored yet", "err", err, "again in", wait)
		}
		e.Log.Debug(Exploring, "waiting", err)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}
