package ledger

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/txn"
)

// reviewStep is how many records a review goes through at once.
const reviewStep = 512

// reviewPause is how long the worker rests between two steps.
const reviewPause = 10 * time.Millisecond

// review is a pass over all that is stored of the locations: it applies rules
// and a robots.txt that have changed, takes out what was not seen for long, and
// counts the verdicts. It belongs to the worker.
type review struct {
	running bool
	waits   bool         // the pages are done
	after   string       // the key that was reviewed last
	over    map[int]bool // parts that have more pages than they may
	thin    map[int]bool // parts that have so few that another one takes them
	waiting int64        // locations counted that wait
	ranks   priority.Ranks
	again   bool // these are the first ranks, which no page has been given
	done    time.Time
}

// beginReview begins a pass, or begins the present one anew.
func (l *Ledger) beginReview() {
	l.review = review{running: true, done: l.review.done}
	l.tally.begin()
}

// reviewAtOnce is how many steps of a pass somebody who flushes waits for. That
// is the whole of it for all but large sites.
const reviewAtOnce = 100

// reviewSome goes on with the pass, if one is due: by a step, or with all by
// reviewAtOnce.
func (l *Ledger) reviewSome(ctx context.Context, all bool) error {
	if !l.review.running && l.reviewDue(time.Now()) <= 0 {
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
	}
	return nil
}

// reviewDue returns when the next pass is due.
func (l *Ledger) reviewDue(now time.Time) time.Duration {
	return l.review.done.Add(time.Duration(l.spanLength()) * time.Second).Sub(now)
}

func (l *Ledger) reviewOnce(ctx context.Context) error {
	r := &l.review
	if r.after == "" && !r.waits {
		if err := l.reviewNamed(ctx); err != nil {
			return err
		}
		if err := l.reviewParts(ctx); err != nil {
			return err
		}
		if err := l.reviewJournal(ctx); err != nil {
			return err
		}
		if err := l.book.PruneNews(ctx, l.cfg.Store, time.Now()); err != nil {
			return err
		}
	}
	prefix := l.keys.Pages()
	if r.waits {
		prefix = l.keys.Waits()
	}
	seen, changed, err := l.reviewScan(ctx, prefix)
	if err != nil {
		return err
	}
	for _, rec := range seen {
		l.tally.count(rec.key, rec.standing)
	}
	change := l.reviewPages
	if r.waits {
		change = l.drop
		r.waiting += int64(len(seen) - len(changed))
	}
	for chunk := range slices.Chunk(changed, batch) {
		if err := inHalves(chunk, func(keys []string) error { return change(ctx, keys) }); err != nil {
			return err
		}
	}
	if len(seen) == reviewStep {
		r.after = seen[len(seen)-1].key
		return nil
	}
	l.tally.pass(prefix + "~") // which is after all keys that begin so
	if r.after = ""; !r.waits {
		r.waits, r.again = true, l.takeRanks(r.ranks)
		return l.keepExtensions(ctx)
	}
	if l.others.exist() {
		l.waiting.Store(r.waiting) // the others add and drop some too
	}
	r.running, r.waits, r.waiting, r.done = false, false, 0, time.Now()
	l.tally.end()
	if r.again {
		l.beginReview()
	}
	return nil
}

// inHalves calls fn with all items, or where that is more than one transaction
// takes, with halves of them. An item that is too much by itself is left out.
func inHalves(items []string, fn func([]string) error) error {
	err := fn(items)
	switch {
	case !txn.TooMuch(err):
		return err
	case len(items) < 2:
		return nil
	}
	half := len(items) / 2
	return errors.Join(inHalves(items[:half], fn), inHalves(items[half:], fn))
}

// reviewed is a record that a review came by.
type reviewed struct {
	key string
	standing
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
		s, err := decodeState(rec.Value)
		if err != nil {
			s = new(state) // it counts for nothing
		} else if l.rank(s, now); l.outdated(strings.TrimPrefix(key, prefix), s, l.review.waits, now) {
			changed = append(changed, key)
		}
		if seen = append(seen, reviewed{key, s.stored}); len(seen) == reviewStep {
			break
		}
	}
	return seen, changed, nil
}

// outdated reports whether the record of a location is to be changed. waits
// says that the location is only known by its hash; then all that can be judged
// is its age.
func (l *Ledger) outdated(location string, s *state, waits bool, now time.Time) bool {
	if waits {
		return !s.barred && !s.link && l.expired(seconds(s.lastSeen), now)
	}
	if l.expired(seconds(s.lastSeen), now) || s.listed() && (s.ended(now) || l.review.over[s.part] || l.review.thin[s.part]) {
		return true
	}
	if s.listed() && (l.extends() || l.ranked(s, now) != s.priority) {
		return true
	}
	if !s.public() {
		return false
	}
	// Of a page that was listed the verdict needs nothing but its state.
	verdict, why := (&merge{l: l}).verdict(location, s)
	if s.reason == admit.Duplicate || s.reason == admit.SoftNotFound {
		return verdict != admit.Listed
	}
	return verdict != s.verdict || verdict != admit.Listed && why != s.reason
}

// reviewNamed decides anew on the locations that the owner names one by one,
// which are found even where only a hash of them is stored.
func (l *Ledger) reviewNamed(ctx context.Context) error {
	named := append(l.cfg.Rules.Locations(), l.cfg.Entries...)
	for chunk := range slices.Chunk(named, batch) {
		err := inHalves(chunk, func(some []string) error {
			return l.commit(ctx, nil, func(m *merge) {
				for _, location := range some {
					if s, known := m.load(location); known {
						m.save(location, s)
					}
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reviewPages decides anew on pages that are or were listed. One that was not
// seen for long leaves; one that had left by then is forgotten.
func (l *Ledger) reviewPages(ctx context.Context, keys []string) error {
	now := time.Now()
	l.followed.forget() // what it says may no longer be stored
	return l.commit(ctx, keys, func(m *merge) {
		for _, key := range keys {
			location := strings.TrimPrefix(key, l.keys.Pages())
			s, known := m.load(location)
			switch {
			case !known || !s.public():
			case !l.expired(seconds(s.lastSeen), now):
				s.end(now)
				s.priority = l.ranked(s, now)
				s.read = s.read && !l.grown()
				m.save(location, s)
				m.refit(location, s)
			case s.listed():
				s.witnessed, s.absent = false, admit.Unseen
				m.undoubt(location, s)
				m.save(location, s)
			case !s.barred && now.Unix()-seconds(s.lastSeen) >= 2*int64(l.cfg.KeepFor/time.Second):
				m.Put(key, nil)
				m.effects.erased = true
				m.l.journal.Erase(m.Tx, s.logged, location)
				m.undoubt(location, s)
				if s.joined != 0 {
					m.leave(location, s)
				}
				m.effects.moves = append(m.effects.moves, move{key, s.stored, standing{}})
			}
		}
	})
}

// drop erases waiting locations.
func (l *Ledger) drop(ctx context.Context, keys []string) error {
	l.followed.forget()
	return l.commit(ctx, keys, func(m *merge) {
		for _, key := range keys {
			b := m.Get(key)
			s, err := decodeState(b)
			if b == nil {
				continue
			}
			m.Put(key, nil)
			m.effects.erased = true
			m.effects.waiting--
			if err == nil {
				if s.joined != 0 {
					m.leaveTwin(idOf(l.keys, key), "", s)
				}
				m.effects.moves = append(m.effects.moves, move{key, s.stored, standing{}})
			}
		}
	})
}
