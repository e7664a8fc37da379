package explore

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/tally"
)

// result is the answer to the request for an item.
type result struct {
	item
	answer
	begun  time.Time
	atOnce int // how many requests ran at once at most while it did
}

// walk requests the locations of the frontier, some at a time, in the order in which they
// were found.
func (e *explorer) walk(ctx context.Context) error {
	e.patience = pagePatience // the others go on meanwhile
	results := make(chan *result)
	var asked []*result // that have no answer yet
	var waits *result   // of these, the last one of which it was told that all else waits for it
	told := time.Now()
	defer func() {
		for range asked {
			<-results // each answer comes soon after ctx ends, or at its time limit
		}
	}()
	for {
		for len(asked) < e.Concurrency && len(asked)-min(1, e.late(asked)) < e.allowed(asked) {
			if err := e.rest(ctx); err != nil {
				return err
			}
			it, ok := e.next()
			if !ok {
				break
			}
			r := &result{item: it, begun: time.Now()}
			_, published := e.published[it.Location]
			asked = append(asked, r)
			for _, beside := range asked {
				beside.atOnce = max(beside.atOnce, len(asked))
			}
			e.report.Requests++
			go func() { r.answer = e.ask(ctx, r.Location, published); results <- r }()
		}
		if len(asked) == 0 && (e.frontier.release(e.report.Pages == 0) || e.unreached(ctx)) {
			continue
		}
		if it := e.frontier.rests(); len(asked) == 0 && it != nil {
			e.waits(it.After, e.url(it.Location)+" is asked for again then")
			if err := sleep(ctx, time.Until(it.After)); err != nil {
				return err
			}
			continue
		}
		if len(asked) == 0 {
			e.end()
			return nil
		}
		select {
		case r := <-results:
			at := slices.Index(asked, r)
			asked = slices.Delete(asked, at, at+1)
			if err := e.take(ctx, *r); err != nil {
				return err
			}
		case <-time.After(time.Second): // an answer may be late
			if first := asked[0]; first != waits && e.late(asked) == len(asked) {
				waits = first
				e.waits(first.begun.Add(e.patience), e.url(first.Location)+" has not answered yet")
			}
		}
		if time.Since(told) >= tellEvery {
			told = time.Now()
			e.tell()
		}
	}
}

// allowed returns how many requests may run at once: one while a page that failed beside others waits to be asked for
// alone, and while it is.
func (e *explorer) allowed(asked []*result) int {
	if e.frontier.strained() >= 0 || slices.ContainsFunc(asked, func(r *result) bool { return r.Under > 1 }) {
		return 1
	}
	return e.pace.allowed(e.load.Bears(e.Concurrency))
}

// next returns the item to request next. A page that failed beside others has its turn once the site has answered some
// requests alone: so it is known early whether the site bears several at once.
func (e *explorer) next() (item, bool) {
	if at := e.frontier.strained(); at >= 0 && e.pace.answers >= firstAnswers && e.frontier.asked < e.frontier.most {
		it := *e.frontier.failed[at]
		e.frontier.failed = slices.Delete(e.frontier.failed, at, at+1)
		e.frontier.asked++
		return it, true
	}
	return e.frontier.next(time.Now())
}

// fails notes an error of the server, and reports whether the page is asked for again, alone. Others go on alone
// meanwhile.
func (e *explorer) fails(r *result) bool {
	if r.atOnce > 1 {
		e.pace.answers, e.pace.more = 0, 0
	}
	strained := r.Under > 1
	if r.Tries == 0 {
		r.Tries++
	} else if !strained {
		return false
	}
	if r.Under = r.atOnce; strained { // it fails alone too; that may pass
		r.Under = 1
	}
	if e.frontier.asked < e.frontier.most {
		e.frontier.failed = append(e.frontier.failed, &r.item)
		return true
	}
	return false
}

// late returns how many requests wait long for their answers. One such page holds up no others; if there are more, the
// site stalls.
func (e *explorer) late(asked []*result) (n int) {
	for _, r := range asked {
		if e.pace.answers > 0 && time.Since(r.begun) >= e.pace.long() {
			n++
		}
	}
	return n
}

// waits tells how long it waits, and who asks for that.
func (e *explorer) waits(until time.Time, who string) {
	if pause := time.Until(until).Round(time.Second); pause > 0 {
		e.report.Waits = fmt.Sprintf("up to %v, as %s", pause, who)
		e.tell()
		e.report.Waits = ""
	}
}

// unreached puts the listed pages that no link led to into the frontier. So each listed page is
// asked for by the path that a stranger takes, whoever got it before. It returns false if
// there is none, or if the explorer got no page at all: then it may be shut out, alone.
func (e *explorer) unreached(ctx context.Context) (some bool) {
	if e.report.Pages == 0 {
		return false
	}
	e.frontier.page = item{} // no page led to them
	for p, err := range e.Indexer.Pages(ctx) {
		if err != nil {
			return some // the store may answer next time
		}
		if !e.mayAct(p.Location) && e.robots.Allows(p.Location) && !e.frontier.has(p.Location) {
			why := e.frontier.add(item{Location: strings.Clone(p.Location), Free: true, Plain: true})
			some = some || why == eligibility.None
		}
	}
	return some
}

// tellEvery is how often walk reports progress.
const tellEvery = 250 * time.Millisecond

func (e *explorer) tell() {
	e.report.Waiting = e.frontier.waiting()
	for why, links := range e.report.Links {
		if len(links) > 0 {
			e.report.Examples[why] = links[0]
		}
	}
	if len(e.report.Acting) > 0 {
		e.report.Examples[eligibility.LinkActs.String()] = e.report.Acting[0]
	}
	held, stale := e.report.Links[eligibility.LinkHeld.String()], e.report.Links[eligibility.LinkStale.String()]
	e.report.Held, e.report.Stale = held[:min(len(held), heldTold)], stale[:min(len(stale), staleTold)]
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
	now := time.Now()
	if Repeats(r.status) {
		if r.Tries == 0 || r.status == http.StatusTooManyRequests { // else it says nothing new of the site
			e.refuses(r.answer)
		}
		pause := Patience(now, r.Tries+1, r.header)
		if r.After = now.Add(pause); r.status == http.StatusTooManyRequests {
			r.After, pause = e.pace.until, 0 // the site waits, and not this page
		}
		if pause > pagePatience || now.Sub(r.begun) >= pagePatience || !e.frontier.refused(r.item) {
			e.leave(eligibility.LinkFailed, 1, e.url(r.Location))
			e.dead(r.item, r.status)
		}
		switch {
		case e.pace.refused < 2*mostRefused:
			return nil
		case r.err != nil:
			return fmt.Errorf("%d requests in a row were not answered: %w", e.pace.refused, r.err)
		}
		return fmt.Errorf("the site answered %d to %d requests in a row", r.status, e.pace.refused)
	}
	e.pace.saw(now, r.answer)
	switch {
	case r.status >= http.StatusInternalServerError:
		if e.fails(&r) {
			return nil
		}
	case r.Under > 1:
		if e.load.Answered(r.Under); e.load.Over() {
			e.report.Alone, e.report.AtOnce = e.load.Alone, e.load.AtOnce
		}
	}
	if r.large {
		e.leave(eligibility.LinkLarge, 1, e.url(r.Location))
	}
	if r.elsewhere {
		e.leave(eligibility.LinkElsewhere, 1, e.url(r.Location))
	}
	if r.status >= http.StatusBadRequest {
		e.dead(r.item, r.status)
	}
	if r.Again {
		return nil
	}
	if told := e.follow(r) || r.large; !told && (e.published[r.Location] || e.listed[r.Location]) {
		e.leave(eligibility.LinkStale, 1, e.url(r.Location))
	}
	return nil
}

// dead notes a link that leads to no page. The page with the link need not be listed. A path that exploring asked for
// by itself, without the query of a link, does not count: no page links there.
func (e *explorer) dead(it item, status int) {
	if of := (&tally.Target{Status: status}); it.From != "" && of.Broken() && len(e.report.Dead) < linksTold &&
		e.queries.bares[it.Location] == "" && !capability.Looks(it.Location) && !capability.Looks(it.From) {
		e.report.Dead[e.url(it.Location)] = e.url(it.From)
	}
}

// refuses notes a refusal, and tells if the site is left alone for it.
func (e *explorer) refuses(a answer) {
	now := time.Now()
	paused := e.pace.pauses(now)
	e.pace.saw(now, a)
	switch {
	case paused || !e.pace.pauses(now):
	case a.err != nil:
		e.waits(e.pace.until, "the site does not answer")
	default:
		e.waits(e.pace.until, fmt.Sprintf("the site answers %d", a.status))
	}
}

// end notes what is left when nothing can be requested.
func (e *explorer) end() {
	if e.frontier.asked >= e.frontier.most {
		return // they are counted as waiting
	}
	for _, it := range e.frontier.controls.waiting {
		e.acts(it.Location)
	}
	e.frontier.controls.waiting, e.frontier.failed = nil, nil
}

// dropped counts an item that is not worth a request.
func (e *explorer) dropped(it *item) {
	of := e.queries.of(it.Location)
	switch {
	case eligibility.AssetName(it.Location):
		e.leave(eligibility.LinkFile, 1, e.url(it.Location))
	case of != nil:
		of.dropped, of.example = of.dropped+1, cmp.Or(of.example, it.Location)
	default:
		e.leave(eligibility.LinkEndless, 1, e.url(it.Location))
	}
}
