package explore

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/reader"
)

// Revisit requests pages that no visitor requests. So their changes are dated, and pages that are
// gone leave the listing. Pages that change faster are requested more often, but not in proportion,
// since that would spend all requests on them. A request is worth the time for which a later one would
// leave a change unseen (Olston and Pandey 2008): about t²/2m, if the last one was t ago, and the page
// changes after m on average.

const (
	sliceLength = time.Hour           // time between two walks over the pages, at least
	visitPause  = time.Second         // between two requests, unless that is too long for the budget
	linkShare   = 10                  // requests for listed pages for each of one that is not listed
	mostLinks   = 20_000              // that are looked at in a slice, and that are remembered
	leastMean   = 24 * time.Hour      // a page that changes more often counts as one that changes daily
	dailyAfter  = 12 * time.Hour      // a page that changes daily is worth a request
	unknownMean = 60 * 24 * time.Hour // mean of a page without a known change, at least
)

// worth returns what a request for a page is worth, once it was observed so long ago. From 1 on it is worth its cost.
func worth(p *reader.Known, since time.Duration) float64 {
	mean := p.History.Mean
	if mean == 0 {
		mean = max(unknownMean, p.LastSeen.Sub(p.FirstSeen))
	}
	t := float64(since) / float64(dailyAfter)
	return t * t * float64(leastMean) / float64(max(leastMean, mean))
}

// alone reports whether only its visitors speak for a page, and neither the site nor the owner.
func alone(p *reader.Known) bool {
	return !p.Rule && !p.IsEntry && p.Evidence.Proof() == eligibility.None
}

// choose returns the locations of the pages that are most worth a request now, at most budget
// of them. A page whose last observation is older than maxAge is always worth one.
func choose(pages iter.Seq2[reader.Known, error], now time.Time, maxAge time.Duration, budget int) ([]string, error) {
	type candidate struct {
		location string
		worth    float64
	}
	var best []candidate
	cut := func() {
		slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.worth, a.worth) })
		best = best[:min(len(best), budget)]
	}
	for p, err := range pages {
		if err != nil {
			return nil, err
		}
		if alone(&p) {
			continue // nobody misses its changes, and it leaves when nobody asks for it
		}
		since := now.Sub(p.LastSeen.Time())
		if worth := worth(&p, since); worth >= 1 || since >= maxAge {
			best = append(best, candidate{p.Location, worth})
		}
		if len(best) >= 2*budget {
			cut()
		}
	}
	cut()
	chosen := make([]string, len(best))
	for i, c := range best {
		chosen[i] = c.location
	}
	return chosen, nil
}

// Revisit requests pages that are worth it until ctx ends, and then some that these link to and that
// nobody got yet, at most perDay in all. If that is not enough for all, those that are worth most
// are requested. maxAge is how old the last observation of a page may be. Its error is that of ctx,
// or of the store.
func Revisit(ctx context.Context, cfg Config, perDay int, maxAge time.Duration) error {
	cfg.MaxRequests = mostLinks
	each := 24 * time.Hour / time.Duration(perDay)
	slice, pause := max(sliceLength, each), min(visitPause, each)
	pages, links := budget(perDay, slice)
	for tried := map[string]bool{}; ; {
		begun := time.Now()
		chosen, err := choose(cfg.Indexer.Pages(ctx), begun, maxAge, pages)
		if err != nil && ctx.Err() == nil {
			chosen = nil // the store may answer next time
		}
		if err := revisit(ctx, cfg, chosen, tried, links, pause); err != nil {
			return err
		}
		if err := sleep(ctx, time.Until(begun.Add(slice))); err != nil {
			return err
		}
	}
}

// revisit requests pages, and then at most links of the pages that they link to. It adds each of these to tried.
func revisit(ctx context.Context, cfg Config, pages []string, tried map[string]bool, links int,
	pause time.Duration) error {
	if len(pages) == 0 {
		return nil
	}
	e := newExplorer(cfg)
	e.pace.least = pause
	defer e.connect()()
	if e.askRobots(ctx) != nil {
		links = 0
	}
	e.visited(ctx)
	for _, loc := range pages {
		if e.mayAct(loc) {
			continue
		}
		if err := e.visit(ctx, item{Location: strings.Clone(loc), Free: true}); err != nil {
			return err
		}
	}
	e.frontier.release(e.report.Pages == 0)
	for it, ok := e.frontier.next(time.Now()); ok && links > 0; it, ok = e.frontier.next(time.Now()) {
		p, err := e.Indexer.Page(ctx, it.Location)
		if tried[it.Location] || err != nil || !p.Reason.Unvisited() && p.Reason != eligibility.NoPage {
			e.queries.queueQueryOf(it.Location)
			continue
		}
		if len(tried) >= mostLinks {
			clear(tried)
		}
		tried[it.Location] = true
		links--
		if err := e.visit(ctx, it); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// budget returns how many pages may be requested in a slice, and how many that are linked.
func budget(perDay int, slice time.Duration) (pages, links int) {
	all := max(1, int(float64(perDay)*slice.Hours()/24))
	links = all / (linkShare + 1)
	return all - links, links
}

// visit requests a page after a rest, and puts its links into the frontier.
func (e *explorer) visit(ctx context.Context, it item) error {
	if err := e.rest(ctx); err != nil {
		return err
	}
	a := e.ask(ctx, it.Location, false)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e.pace.saw(time.Now(), a); !Repeats(a.status) {
		e.follow(result{item: it, answer: a})
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err()
}
