package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
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

// run drops waiting locations. First it drops those that nothing on the site leads to, then the others. Their keys are
// hashes, so chance decides which go first, and nobody can choose.
func (e *eviction) run(ctx context.Context, _ bool) error {
	excess := e.counts.Waiting() - e.cfg.MaxWaiting*3/4
	var unled, led []string
	all := 0
	for r, err := range e.cfg.Store.Scan(ctx, e.site.Keys.Waits(), "") {
		if err != nil {
			return err
		}
		all++
		if p, err := pagerecord.Decode(r.Value); err == nil && p.Led() {
			led = append(led, r.Key)
		} else {
			unled = append(unled, r.Key)
		}
		unled, led = unled[:min(len(unled), excess)], led[:min(len(led), excess)]
	}
	e.counts.SetWaiting(all)
	excess = max(0, min(excess, all-e.cfg.MaxWaiting*3/4))
	gone := append(unled, led...)
	return txn.InSteps(gone[:min(len(gone), excess)], txn.Items,
		func(some []string) error { return e.review.drop(ctx, some) })
}
