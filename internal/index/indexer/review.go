package indexer

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
)

// reviewStep is how many records one step of a review covers.
const reviewStep = 512

// reviewPause is how long the worker rests between two steps.
const reviewPause = 10 * time.Millisecond

// review is a pass over the records of all locations. It applies changed rules and a
// changed robots.txt, takes out pages that were not seen for long, and counts verdicts.
type review struct {
	running bool
	waits   bool      // the pages are done; the waiting locations follow
	after   string    // the last key that was reviewed
	waiting int64     // waiting locations counted so far
	stepped time.Time // when the last step ended
	done    time.Time
}

// beginReview begins a pass, or starts the present one again.
func (l *Ledger) beginReview() {
	l.review = review{running: true, done: l.review.done}
	l.survey.BeginPass()
}

// reviewAtOnce is how many steps of a pass a Flush waits for. Except on large sites, that
// is the whole pass.
const reviewAtOnce = 100

// reviewDue returns when the next step, or the next pass, is due.
func (l *Ledger) reviewDue(time.Time) time.Time {
	if l.review.running {
		return l.review.stepped.Add(reviewPause)
	}
	return l.review.done.Add(l.site.SpanLength())
}

// reviewSome continues the pass by one step, or with all by reviewAtOnce steps. It begins
// a pass if one is due.
func (l *Ledger) reviewSome(ctx context.Context, all bool) error {
	if now := time.Now(); !l.review.running && !l.reviewDue(now).After(now) {
		l.beginReview()
	}
	steps := 1
	if all {
		steps = reviewAtOnce
	}
	for ; l.review.running && steps > 0; steps-- {
		if err := l.reviewOnce(ctx); err != nil {
			return err
		}
		l.review.stepped = time.Now()
	}
	return nil
}

// reviewOnce reviews the next records.
func (l *Ledger) reviewOnce(ctx context.Context) error {
	r := &l.review
	if r.after == "" && !r.waits {
		if err := l.reviewFirst(ctx); err != nil {
			return err
		}
	}
	prefix, change := l.site.Keys.Pages(), l.reviewPages
	if r.waits {
		prefix, change = l.site.Keys.Waits(), l.drop
	}
	seen, changed, err := l.reviewScan(ctx, prefix)
	if err != nil {
		return err
	}
	for _, rec := range seen {
		l.survey.Count(rec.key, rec.Standing)
	}
	if r.waits {
		r.waiting += int64(len(seen) - len(changed))
	}
	if err := inBatches(changed, func(keys []string) error { return change(ctx, keys) }); err != nil {
		return err
	}
	if len(seen) == reviewStep {
		r.after = seen[len(seen)-1].key
		return nil
	}
	l.survey.CountedTo(prefix + "~") // sorts after all keys with the prefix
	if r.after = ""; !r.waits {
		r.waits = true
		return l.keepExtensions(ctx)
	}
	l.endReview()
	return nil
}

// reviewFirst does the work at the beginning of a pass.
func (l *Ledger) reviewFirst(ctx context.Context) error {
	if err := l.reviewNamed(ctx); err != nil {
		return err
	}
	if err := l.reviewParts(ctx); err != nil {
		return err
	}
	if err := l.pruneJournal(ctx, true); err != nil {
		return err
	}
	return l.site.Book.PruneNews(ctx, l.cfg.Store, time.Now())
}

// endReview ends the pass.
func (l *Ledger) endReview() {
	now := time.Now()
	if !l.fleet.Alone() {
		l.waiting.Store(l.review.waiting) // other processes add and drop some too
	}
	l.review = review{done: now, stepped: l.review.stepped}
	l.survey.EndPass(now)
}

// inBatches calls fn with all items, a batch at a time. It leaves out an item that alone
// is too much for a transaction.
func inBatches(items []string, fn func([]string) error) error {
	return inPieces(items, batch, func(some []string) (int, error) { return len(some), fn(some) }, func(string) bool { return false })
}

// reviewed is a record that a review has read.
type reviewed struct {
	key string
	eligibility.Standing
}

// reviewScan returns the next records, and the keys of those that must change.
func (l *Ledger) reviewScan(ctx context.Context, prefix string) (seen []reviewed, changed []string, err error) {
	now := time.Now()
	for rec, err := range l.cfg.Store.Scan(ctx, prefix, l.review.after) {
		if err != nil {
			return nil, nil, err
		}
		s, err := pagerecord.Decode(rec.Value)
		if err != nil {
			s = new(pagerecord.Page) // a damaged record has no standing
		} else if l.outdated(strings.TrimPrefix(rec.Key, prefix), s, now) {
			changed = append(changed, rec.Key)
		}
		if seen = append(seen, reviewed{rec.Key, s.Standing}); len(seen) == reviewStep {
			break
		}
	}
	return seen, changed, nil
}

// outdated reports whether the record must change.
// Of a waiting location only the hash is known, so only its age can be judged.
func (l *Ledger) outdated(location string, s *pagerecord.Page, now time.Time) bool {
	if l.review.waits {
		return l.site.Expendable(s, now)
	}
	return l.site.Outdated(location, s, now)
}

// reviewNamed decides again about the locations that the owner names one by one. Those
// are found even if only their hash is stored.
func (l *Ledger) reviewNamed(ctx context.Context) error {
	named := slices.Concat(l.cfg.Rules.Locations(), l.cfg.Entries)
	return inBatches(named, func(some []string) error {
		return l.commit(ctx, nil, func(m *merge.Batch) {
			for _, location := range some {
				if s, known := m.Load(location); known {
					m.Save(s)
				}
			}
		})
	})
}

// reviewPages decides again about pages that are or were listed.
func (l *Ledger) reviewPages(ctx context.Context, keys []string) error {
	return l.commit(ctx, keys, func(m *merge.Batch) {
		for _, key := range keys {
			m.Review(strings.TrimPrefix(key, l.site.Keys.Pages()))
		}
	})
}

// drop erases waiting locations.
func (l *Ledger) drop(ctx context.Context, keys []string) error {
	return l.commit(ctx, keys, func(m *merge.Batch) {
		for _, key := range keys {
			m.Drop(key)
		}
	})
}

// reviewParts notes which part is the last one, and which parts are too large, so that the
// review moves pages out of them.
func (l *Ledger) reviewParts(ctx context.Context) error {
	parts, err := shards.ReadParts(ctx, l.cfg.Store, l.site.Keys)
	if err != nil {
		return err
	}
	l.site.Book.Filling = 0
	for n := range parts {
		l.site.Book.Filling = max(l.site.Book.Filling, n)
	}
	l.site.Over = l.site.Book.TooLarge(parts)
	return nil
}
