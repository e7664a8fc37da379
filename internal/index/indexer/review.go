package indexer

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/tally"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// reviewStep is how many records one step of a review covers.
const reviewStep = 512

// reviewPause is how long the worker rests between two steps.
const reviewPause = 10 * time.Millisecond

// review passes over the records of all locations. It applies changed rules and a
// changed robots.txt, takes out pages that were not seen for long, and counts verdicts.
type review struct {
	*Indexer
	pass
	journal atomic.Int64 // bytes of the changelog
}

// pass is one pass of the review.
type pass struct {
	running bool
	waits   bool      // the pages are done; the waiting locations follow
	after   string    // the last key that was reviewed
	stepped time.Time // when the last step ended
	ended   time.Time // when it ended; zero if the next pass is due at once
}

// begin makes the next step the first of a pass.
func (r *review) begin() { r.pass = pass{} }

// reviewAtOnce is how many steps of a pass a Flush waits for. Except on large sites, that
// is the whole pass.
const reviewAtOnce = 100

// due returns when the next step, or the next pass, is due.
func (r *review) due(time.Time) time.Time {
	if r.running {
		return r.stepped.Add(reviewPause)
	}
	return r.ended.Add(r.site.SpanLength())
}

// run continues the pass by one step, or with all by reviewAtOnce steps. It begins
// a pass if one is due.
func (r *review) run(ctx context.Context, all bool) error {
	steps := 1
	if all {
		steps = reviewAtOnce
	}
	for now := time.Now(); steps > 0 && (r.running || !r.due(now).After(now)); steps-- {
		if !r.running {
			r.pass = pass{running: true}
			r.counts.BeginPass()
		}
		if err := r.step(ctx); err != nil {
			return err
		}
		r.stepped = time.Now()
	}
	return nil
}

// step reviews the next records.
func (r *review) step(ctx context.Context) error {
	if r.after == "" && !r.waits {
		if err := r.prepare(ctx); err != nil {
			return err
		}
	}
	prefix, outdated, change := r.site.Keys.Pages(), r.site.Outdated, r.again
	if r.waits {
		prefix, outdated, change = r.site.Keys.Waits(), r.site.Expendable, r.drop
	}
	seen, changed, err := r.scan(ctx, prefix, outdated)
	if err != nil {
		return err
	}
	last := prefix + "~" // sorts after all keys with the prefix
	more := len(seen) == reviewStep
	if more {
		last = seen[len(seen)-1].Key
	}
	r.counts.CountTo(last, seen)
	if err := txn.InSteps(changed, txn.Items, func(keys []string) error { return change(ctx, keys) }); err != nil {
		return err
	}
	switch {
	case more:
		r.after = last
	case !r.waits:
		r.after, r.waits = "", true
	default:
		r.end()
	}
	return nil
}

// prepare does the work at the beginning of a pass.
func (r *review) prepare(ctx context.Context) error {
	if err := r.readShards(ctx); err != nil {
		return err
	}
	if err := r.trust.forgive(ctx); err != nil {
		return err
	}
	if err := r.records.activity(ctx); err != nil { // nobody may have visited this process
		return err
	}
	size, err := r.site.Journal.Prune(ctx, r.cfg.Store, time.Now())
	r.journal.Store(int64(size))
	return err
}

// end ends the pass.
func (r *review) end() {
	now := time.Now()
	r.pass = pass{ended: now}
	r.counts.EndPass(now)
	r.site.Followed.Forget() // links that are still there keep pages that nobody asks for
}

// scan returns the next records, and the keys of those that are outdated. It notes which pages may be
// gone.
func (r *review) scan(ctx context.Context, prefix string, outdated func(string, *pagerecord.Page,
	time.Time) bool) (seen []tally.Counted, changed []string, err error) {
	now := time.Now()
	for rec, err := range r.cfg.Store.Scan(ctx, prefix, r.after) {
		if err != nil {
			return nil, nil, err
		}
		s, err := pagerecord.Decode(rec.Value)
		if err != nil {
			s = new(pagerecord.Page) // a damaged record has no standing
		} else if outdated(strings.TrimPrefix(rec.Key, prefix), s, now) {
			changed = append(changed, rec.Key)
		}
		if s.Listed() && s.HasMinute() && !s.IsOld(moment.Of(now)) {
			r.removals.note(strings.TrimPrefix(rec.Key, prefix), s.Missing.Time(), now)
		}
		if seen = append(seen, tally.Counted{Key: rec.Key, Standing: s.Standing}); len(seen) == reviewStep {
			break
		}
	}
	return seen, changed, nil
}

// again decides again about pages that are or were listed.
func (r *review) again(ctx context.Context, keys []string) error {
	return r.commit(ctx, keys, func(m *merge.Transaction) {
		for _, key := range keys {
			m.Review(strings.TrimPrefix(key, r.site.Keys.Pages()))
		}
	})
}

// drop erases waiting locations.
func (r *review) drop(ctx context.Context, keys []string) error {
	return r.commit(ctx, keys, func(m *merge.Transaction) {
		for _, key := range keys {
			m.Drop(key)
		}
	})
}

// readShards reads which shards there are.
func (r *review) readShards(ctx context.Context) error {
	known, err := shards.ReadAll(ctx, r.cfg.Store, r.site.Keys)
	if err == nil {
		r.noteShards(known)
	}
	return err
}

// noteShards notes which shard is the last one, and the sections of all.
func (x *Indexer) noteShards(known map[int]shards.Shard) {
	filling, sections := 0, make(map[int]string, len(known))
	for n, shard := range known {
		filling, sections[n] = max(filling, n), shard.Section
	}
	x.site.Layout.Filling, x.site.Layout.Sections = filling, sections
}
