package ledger

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
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
	waits   bool   // the pages are done
	after   string // the key that was reviewed last
	done    time.Time
}

// beginReview begins a pass, or begins the present one anew.
func (l *Ledger) beginReview() {
	l.review = review{running: true, done: l.review.done}
	l.tally.begin()
}

// reviewSome goes on with the pass, if one is due: by a step, or with all to
// its end.
func (l *Ledger) reviewSome(ctx context.Context, all bool) error {
	if !l.review.running && l.reviewDue(time.Now()) <= 0 {
		l.beginReview()
	}
	for l.review.running {
		if err := l.reviewOnce(ctx); err != nil {
			return err
		}
		if !all {
			break
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
	}
	prefix := l.keys.pages()
	if r.waits {
		prefix = l.keys.waits()
	}
	changed, n, err := l.reviewScan(ctx, prefix)
	if err != nil {
		return err
	}
	if r.waits {
		err = l.drop(ctx, changed)
	} else {
		err = l.reviewPages(ctx, changed)
	}
	if err != nil || n == reviewStep {
		return err
	}
	l.tally.pass(prefix + "~") // which is after all keys that begin so
	if r.after = ""; !r.waits {
		r.waits = true
		return nil
	}
	r.running, r.waits, r.done = false, false, time.Now()
	l.tally.end()
	return nil
}

// reviewScan counts the next records, and returns the keys of those that are to
// be changed.
func (l *Ledger) reviewScan(ctx context.Context, prefix string) (changed []string, n int, err error) {
	now := time.Now()
	for rec, err := range l.cfg.Store.Scan(ctx, prefix, l.review.after) {
		if err != nil {
			return nil, 0, err
		}
		key := strings.Clone(rec.Key)
		l.review.after = key
		n++
		if s, err := decodeState(rec.Value); err == nil {
			l.tally.count(key, s.stored)
			if l.outdated(strings.TrimPrefix(key, prefix), s, l.review.waits, now) {
				changed = append(changed, key)
			}
		}
		if n == reviewStep {
			break
		}
	}
	return changed, n, nil
}

// outdated reports whether the record of a location is to be changed. waits
// says that the location is only known by its hash; then all that can be judged
// is its age.
func (l *Ledger) outdated(location string, s *state, waits bool, now time.Time) bool {
	if waits {
		return !s.barred && l.expired(max(seconds(s.lastSeen), s.linkAt), now)
	}
	if l.expired(seconds(s.lastSeen), now) || s.listed() && s.ended(now) {
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
		err := l.commit(ctx, nil, func(m *merge) {
			for _, location := range chunk {
				if s, known := m.load(location); known {
					m.save(location, s)
				}
			}
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
	for chunk := range slices.Chunk(keys, batch) {
		err := l.commit(ctx, chunk, func(m *merge) {
			for _, key := range chunk {
				location := strings.TrimPrefix(key, l.keys.pages())
				s, known := m.load(location)
				switch {
				case !known || !s.public():
				case !l.expired(seconds(s.lastSeen), now):
					s.end(now)
					m.save(location, s)
				case s.listed():
					s.witnessed, s.absent = false, admit.Unseen
					m.undoubt(location, s)
					m.save(location, s)
				case !s.barred && now.Unix()-seconds(s.lastSeen) >= 2*int64(l.cfg.KeepFor/time.Second):
					m.Put(key, nil)
					m.undoubt(location, s)
					m.effects.moves = append(m.effects.moves, move{key, s.stored, standing{}})
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// drop erases waiting locations.
func (l *Ledger) drop(ctx context.Context, keys []string) error {
	for chunk := range slices.Chunk(keys, batch) {
		err := l.commit(ctx, chunk, func(m *merge) {
			for _, key := range chunk {
				b := m.Get(key)
				if b == nil {
					continue
				}
				m.Put(key, nil)
				m.effects.waiting--
				if s, err := decodeState(b); err == nil {
					if s.joined != 0 {
						m.leaveTwin(l.keys.idOf(key), "", s)
					}
					m.effects.moves = append(m.effects.moves, move{key, s.stored, standing{}})
				}
			}
		})
		if err != nil {
			return err
		}
		l.followed.forget()
	}
	return nil
}
