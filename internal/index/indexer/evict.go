package indexer

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// waitingKept is the default bound of the locations that are known and not listed. When
// it is passed, eviction frees a quarter of it.
const waitingKept = 250_000

// eviction drops waiting locations when there are too many.
type eviction struct{ *Indexer }

func (e *eviction) due(now time.Time) time.Time {
	if e.counts.Waiting() <= e.cfg.MaxWaiting {
		return time.Time{}
	}
	return now
}

// run drops waiting locations when there are too many. First it drops those known only
// from a visit, the longest unseen first, then those that a page links to.
func (e *eviction) run(ctx context.Context, _ bool) error {
	if e.counts.Waiting() <= e.cfg.MaxWaiting {
		return nil
	}
	var ranks []uint64
	for r, err := range e.cfg.Store.Scan(ctx, e.site.Keys.Waits(), "") {
		if err != nil {
			return err
		}
		ranks = append(ranks, pagerecord.Rank(r.Value))
	}
	e.counts.SetWaiting(len(ranks))
	excess := len(ranks) - e.cfg.MaxWaiting*3/4
	if excess <= 0 {
		return nil
	}
	slices.Sort(ranks)
	most := ranks[excess-1]
	var keys []string
	for r, err := range e.cfg.Store.Scan(ctx, e.site.Keys.Waits(), "") {
		if err != nil {
			return err
		}
		if pagerecord.Rank(r.Value) <= most && len(keys) < excess {
			keys = append(keys, r.Key)
		}
	}
	return inSteps(keys, itemsAtOnce, func(some []string) error { return e.review.drop(ctx, some) })
}
