package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// result is the answer to the request for an item.
type result struct {
	item
	answer
}

// walk requests the locations of the frontier, some at a time, in the order in which they
// were found.
func (e *explorer) walk(ctx context.Context) error {
	results := make(chan result)
	running, told := 0, time.Now()
	defer func() {
		for ; running > 0; running-- {
			<-results // each answer comes soon after ctx ends, or at its time limit
		}
	}()
	for {
		for running < e.pace.allowed(e.Concurrency) {
			if err := e.rest(ctx); err != nil {
				return err
			}
			it, ok := e.frontier.next()
			if !ok {
				break
			}
			running++
			e.report.Requests++
			published := e.published[it.Location]
			go func() { results <- result{it, e.ask(ctx, it.Location, published)} }()
		}
		if running == 0 && (e.frontier.release() || e.unreached(ctx)) {
			continue
		}
		if running == 0 {
			e.end()
			return nil
		}
		r := <-results
		running--
		if err := e.take(ctx, r); err != nil {
			return err
		}
		if time.Since(told) >= tellEvery {
			told = time.Now()
			e.tell()
		}
	}
}

// unreached puts the listed pages that no link led to into the frontier. So each listed page is
// asked for by the path that a stranger takes, whoever got it before. It returns false if
// there is none, or if the explorer got no page at all: then it may be shut out, alone.
func (e *explorer) unreached(ctx context.Context) (some bool) {
	if e.report.Pages == 0 {
		return false
	}
	for p, err := range e.Indexer.Pages(ctx) {
		if err != nil {
			return some // the store may answer next time
		}
		if !e.mayAct(p.Location) && e.robots.Allows(p.Location) {
			some = e.frontier.addListed(p.Location) || some
		}
	}
	return some
}

// tellEvery is how often walk reports progress.
const tellEvery = 250 * time.Millisecond

func (e *explorer) tell() {
	e.report.Waiting = e.frontier.waiting()
	if e.Progress != nil {
		e.Progress(e.report)
	}
}

// mostQueued is how many pages of an exploration may wait to be read. So there is room for
// the pages that visitors see.
const mostQueued = 32

// rest waits until the site, and the reader of its pages, have time, the store cannot be used, or ctx ends.
func (e *explorer) rest(ctx context.Context) error {
	err := sleep(ctx, e.pace.pause(time.Now()))
	for err == nil && e.Indexer.Queued() > mostQueued {
		if err = e.Indexer.Stats().Problem; err == nil {
			err = sleep(ctx, time.Millisecond)
		}
	}
	return err
}

// take notes an answer and its links.
func (e *explorer) take(ctx context.Context, r result) error {
	if ctx.Err() != nil { // which may have cut its answer short
		return ctx.Err()
	}
	if e.pace.saw(time.Now(), r.answer) {
		if !e.frontier.refused(r.item) {
			e.leave(eligibility.LinkFailed, 1, e.Normalizer.Origin().URL(r.Location))
		}
		switch {
		case e.pace.refused < mostRefused:
			return nil
		case r.err != nil:
			return fmt.Errorf("%d requests in a row were not answered: %w", e.pace.refused, r.err)
		}
		return fmt.Errorf("the site answered %d to %d requests in a row", r.status, e.pace.refused)
	}
	if r.elsewhere {
		e.leave(eligibility.LinkElsewhere, 1, e.Normalizer.Origin().URL(r.Location))
	}
	if r.status >= http.StatusBadRequest && (e.published[r.Location] || e.listed[r.Location]) {
		u := e.Normalizer.Origin().URL(r.Location)
		if e.leave(eligibility.LinkStale, 1, u); len(e.report.Stale) < staleTold {
			e.report.Stale = append(e.report.Stale, u)
		}
	}
	e.follow(r)
	return nil
}

// end notes what is left when nothing can be requested.
func (e *explorer) end() {
	if e.frontier.asked >= e.frontier.most {
		return // they are counted as waiting
	}
	for _, it := range e.frontier.controls.waiting {
		e.acts(it.Location)
	}
	e.frontier.controls.waiting = nil
}

// dropped counts an item that is not worth a request.
func (e *explorer) dropped(it *item) {
	of := e.queries.of(it.Location)
	switch {
	case eligibility.AssetName(it.Location):
		e.leave(eligibility.LinkFile, 1, e.Normalizer.Origin().URL(it.Location))
	case of != nil:
		of.dropped, of.example = of.dropped+1, cmp.Or(of.example, it.Location)
	default:
		e.leave(eligibility.LinkEndless, 1, e.Normalizer.Origin().URL(it.Location))
	}
}
