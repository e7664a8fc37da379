package ledger

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/txn"
)

// reviewStep is how many records a review goes through at once.
const reviewStep = 512

// reviewPause is how long the worker rests between two steps.
const reviewPause = 10 * time.Millisecond

// review is a pass over all that is stored of the locations: it applies rules
// and a robots.txt that have changed, takes out what was not seen for long, and
// counts the verdicts.
type review struct {
	running bool
	waits   bool   // the pages are done
	after   string // the key that was reviewed last
	waiting int64  // locations counted that wait
	ranks   priority.Ranks
	again   bool      // these are the first ranks, which no page has been given
	stepped time.Time // the last step
	done    time.Time
}

// beginReview begins a pass, or begins the present one anew.
func (l *Ledger) beginReview() {
	l.review = review{running: true, done: l.review.done}
	l.survey.BeginPass()
}

// reviewAtOnce is how many steps of a pass a Flush waits for. On all but large sites
// that is the whole pass.
const reviewAtOnce = 100

// reviewDue returns when the next step of a pass is due, or the next pass.
func (l *Ledger) reviewDue(time.Time) time.Time {
	if l.review.running {
		return l.review.stepped.Add(reviewPause)
	}
	return l.review.done.Add(l.site.SpanLength())
}

// reviewSome goes on with the pass, if one is due: by a step, or with all by
// reviewAtOnce.
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
	l.survey.CountedTo(prefix + "~") // which is after all keys that begin so
	if r.after = ""; !r.waits {
		r.waits, r.again = true, l.takeRanks(r.ranks)
		return l.keepExtensions(ctx)
	}
	l.endReview()
	return nil
}

// reviewFirst does what a pass begins with.
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

// endReview ends the pass. The first one that ranks the pages is followed by another,
// which gives them their ranks.
func (l *Ledger) endReview() {
	now, again := time.Now(), l.review.again
	if !l.fleet.Alone() {
		l.waiting.Store(l.review.waiting) // the others add and drop some too
	}
	l.review = review{done: now, stepped: l.review.stepped}
	l.survey.EndPass(now)
	if again {
		l.beginReview()
	}
}

// inBatches calls fn with all items, a batch at a time. An item that is more than a
// transaction takes by itself is left out.
func inBatches(items []string, fn func([]string) error) error {
	return inPieces(items, batch, func(some []string) (int, error) { return len(some), fn(some) }, func(string) bool { return false })
}

// reviewed is a record that a review came by.
type reviewed struct {
	key string
	pagerecord.Standing
}

// reviewScan returns the next records, and the keys of those that are to be
// changed.
func (l *Ledger) reviewScan(ctx context.Context, prefix string) (seen []reviewed, changed []string, err error) {
	now := time.Now()
	for rec, err := range l.cfg.Store.Scan(ctx, prefix, l.review.after) {
		if err != nil {
			return nil, nil, err
		}
		key := strings.Clone(rec.Key)
		s, err := pagerecord.Decode(rec.Value)
		if err != nil {
			s = new(pagerecord.Page) // it counts for nothing
		} else if l.outdated(strings.TrimPrefix(key, prefix), s, now) {
			changed = append(changed, key)
		}
		if seen = append(seen, reviewed{key, s.Standing}); len(seen) == reviewStep {
			break
		}
	}
	return seen, changed, nil
}

// outdated ranks a listed page, and reports whether the record of a location is to be
// changed. One that waits is only known by its hash; then all that can be judged is its
// age.
func (l *Ledger) outdated(location string, s *pagerecord.Page, now time.Time) bool {
	if l.review.waits {
		return l.site.Expendable(s, now)
	}
	if l.cfg.InferPriority && s.Listed() {
		l.review.ranks.Add(s.Weight(now))
	}
	return l.site.Outdated(location, s, now)
}

// reviewNamed decides anew on the locations that the owner names one by one,
// which are found even where only a hash of them is stored.
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

// reviewPages decides anew on pages that are or were listed.
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

// reviewParts notes which parts have too many pages or too few, so that the review
// takes pages out of them.
func (l *Ledger) reviewParts(ctx context.Context) error {
	parts, err := book.ReadParts(ctx, l.cfg.Store, l.site.Keys)
	if err != nil {
		return err
	}
	var filling int
	err = txn.Update(ctx, l.cfg.Store, nil, func(t *txn.Tx) { filling = l.site.Book.Mend(t, parts) })
	if err != nil {
		return err
	}
	l.site.Over, l.site.Thin = l.site.Book.Uneven(parts, filling)
	return nil
}

// takeRanks keeps the ranks of a whole pass, and reports whether they are the first ones.
func (l *Ledger) takeRanks(ranks priority.Ranks) (first bool) {
	if !l.cfg.InferPriority || ranks == (priority.Ranks{}) {
		return false
	}
	first, l.site.Ranks = l.site.Ranks == nil, &ranks
	return first
}
