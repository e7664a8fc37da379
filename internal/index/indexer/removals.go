package indexer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
)

// removals are the listed pages that may be gone. Each has a minute in which a visitor may still get
// the page. The page's record says so too. So after a restart, the review finds it, if it is
// less than a day old. An older one waits for another visitor.
type removals struct {
	*Indexer
	since map[string]time.Time // the first sign, by location and by the monotonic clock
}

// note adds a page. If since is in the future, some clock was ahead, and the minute begins now.
func (p *removals) note(location string, since, now time.Time) {
	if _, known := p.since[location]; !known || !since.After(now) {
		p.since[location] = now.Add(-max(0, now.Sub(since)))
	}
}

// overdue returns the locations whose minute is over, in order.
func (p *removals) overdue(now time.Time) []string {
	var gone []string
	for location, since := range p.since {
		if now.Sub(since) >= pagerecord.ConfirmAfter {
			gone = append(gone, location)
		}
	}
	slices.Sort(gone)
	return gone
}

// due returns when the next minute is over, zero if nothing is pending.
func (p *removals) due(time.Time) (due time.Time) {
	for _, since := range p.since {
		if at := since.Add(pagerecord.ConfirmAfter); due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}

// run stores that the pages whose minute is over are gone. apply then removes them here. If a page cannot be stored as
// gone, that is tried again when the review next finds it.
func (p *removals) run(ctx context.Context, _ bool) error {
	now := time.Now() // a minute that ends later is not confirmed yet
	err := txn.InSteps(p.overdue(now), txn.Items, func(some []string) error {
		return p.commit(ctx, p.keys(some), func(m *merge.Transaction) {
			for _, location := range some {
				m.Confirm(location)
			}
		})
	})
	if err != nil {
		return fmt.Errorf("taking out pages that are gone: %w", err)
	}
	for _, location := range p.overdue(now) {
		delete(p.since, location)
	}
	return nil
}
