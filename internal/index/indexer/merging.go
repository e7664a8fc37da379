package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
)

// readFor is how long pages are read before the visits are stored. It is short because a withdrawal
// may wait among them.
const readFor = 20 * time.Millisecond

// takesARound is how often exchanges are taken from the queue and merged before the other tasks get a turn.
const takesARound = 16

// merging turns exchanges into observations and merges them.
type merging struct {
	*Indexer
	pending []*observation.Exchange // taken from the queue and not yet stored
	budget  *quota.Part
	linked  []*observation.Observation // pages of which only the links were read again
	before  *mark.Site                 // the boilerplate before a batch that failed, nil for none
	taught  int                        // how many of the first pending exchanges the boilerplate has learned from
}

func (m *merging) due(now time.Time) time.Time {
	if len(m.pending) == 0 && m.queue.depth() == 0 {
		return time.Time{}
	}
	return now
}

// run merges the queued exchanges.
func (m *merging) run(ctx context.Context, all bool) error {
	rounds := takesARound
	if all {
		rounds = m.queue.depth()/itemsAtOnce + 2
	}
	for range rounds {
		if len(m.pending) == 0 {
			m.pending = m.queue.take(itemsAtOnce)
		}
		if len(m.pending) == 0 {
			break
		}
		if err := m.records.noteActivity(ctx, m.pending[len(m.pending)-1].At); err != nil {
			return err
		}
		if err := m.process(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

// process merges the pending exchanges in their order, as many at once as a transaction
// takes. After an error, the exchanges that were not stored stay pending.
func (m *merging) process(ctx context.Context, all bool) error {
	for len(m.pending) > 0 {
		n := m.distinct()
		pages, err := m.glance(ctx, m.pending[:n])
		if err != nil {
			return err
		}
		m.unlearn(pages)
		for len(pages) > 0 {
			before := m.site.Boilerplate
			n, err := m.processSome(ctx, pages, all)
			if err != nil {
				kept := before
				m.before, m.taught = &kept, max(m.taught, n)
				return err
			}
			m.taught = max(0, m.taught-n)
			for _, s := range m.pending[:n] {
				s.Response.Release()
			}
			m.pending, pages = m.pending[n:], pages[n:]
		}
	}
	m.pending = nil // an idle site holds no array of them
	return nil
}

// release drops the exchanges that were not stored.
func (m *merging) release() {
	for _, s := range m.pending {
		s.Response.Release()
	}
}

// unlearn makes the boilerplate forget a batch that failed, unless the store holds it although it did not say
// so. pages are the records of the batch, which is read again.
func (m *merging) unlearn(pages []*pagerecord.Page) {
	stored := false
	for i, p := range pages {
		stored = stored || p.LastSeen == moment.Of(m.pending[i].At)
	}
	if m.before != nil && !stored {
		m.site.Boilerplate, m.taught = *m.before, 0
	}
	m.before = nil
}

// distinct returns how many pending exchanges come before the first repeated location.
// A second visit at a page must wait for the first: that decides how it is read.
func (m *merging) distinct() int {
	seen := make(map[string]bool, len(m.pending))
	for i, s := range m.pending {
		if seen[s.Location] {
			return i
		}
		seen[s.Location] = true
	}
	return len(m.pending)
}

// glance returns the records of the exchanges' locations. They decide what has to be read.
func (x *merging) glance(ctx context.Context, exchanges []*observation.Exchange) ([]*pagerecord.Page, error) {
	pages := make([]*pagerecord.Page, len(exchanges))
	var keys []string
	for _, s := range exchanges {
		keys = append(keys, x.site.RecordKeys(s.Location)...)
	}
	err := txn.View(ctx, x.cfg.Store, keys, func(t *txn.Tx) {
		m := merge.New(t, x.site, time.Time{})
		for i, s := range exchanges {
			pages[i], _ = m.Load(s.Location)
		}
	})
	return pages, err
}

// processSome merges some of the first pending exchanges and returns how many. pages are
// the records of their locations.
func (m *merging) processSome(ctx context.Context, pages []*pagerecord.Page, all bool) (int, error) {
	if s := m.pending[0]; s.Kind == eligibility.RobotsFile {
		return 1, m.robotsTxt.obey(ctx, s)
	}
	visits := m.gather(pages, all)
	return len(visits), m.store(ctx, visits)
}

// gather turns the first pending exchanges into visits, as many as one transaction should
// merge. It stops before a robots.txt, and after a page whose links take transactions of
// their own: both decide how later visits are judged.
func (m *merging) gather(pages []*pagerecord.Page, all bool) (visits []*merge.Visit) {
	begun := time.Now()
	m.linked = nil // after an error, those pages come again
	for i, before := range pages {
		s := m.pending[i]
		if s.Kind == eligibility.RobotsFile {
			break
		}
		var memory mark.Site
		if i < m.taught {
			memory = m.site.Boilerplate
		}
		k := m.observe(s, before, all)
		if i < m.taught {
			m.site.Boilerplate = memory
		}
		visits = append(visits, k)
		if k.Apart || time.Since(begun) > readFor {
			break
		}
	}
	return visits
}

// store merges visits in their order, as many at once as a transaction takes. If one visit
// alone is too much, its links are merged apart. If it is still too much, it is dropped.
func (m *merging) store(ctx context.Context, visits []*merge.Visit) error {
	return inPieces(visits, len(visits), func(some []*merge.Visit) (int, error) { return m.storeSome(ctx, some) }, m.setApart)
}

// setApart marks a visit that is too much for a transaction, so that its links are merged
// apart. If that was done before, it drops the observation and returns false.
func (m *merging) setApart(k *merge.Visit) bool {
	if k.Parsed && !k.Apart {
		k.Apart = true
		return true
	}
	m.Drop()
	return false
}

// inPieces calls fn on all items in their order, at most so many at once, and fewer if
// they are too much for a transaction. fn returns how many of its items are done. If one
// item alone is too much, it is tried again if alone says so, and otherwise left out.
func inPieces[T any](items []T, most int, fn func([]T) (done int, err error), alone func(T) (again bool)) error {
	for len(items) > 0 {
		n := min(most, len(items))
		done, err := fn(items[:n])
		switch {
		case err == nil:
			items = items[done:]
		case !txn.TooMuch(err):
			return err
		case n > 1:
			most = n / 2
		case !alone(items[0]):
			items = items[1:]
		}
	}
	return nil
}

// storeSome merges some of the first visits in one transaction and returns how many. A visit
// that changes the reputation of a source of dates ends its transaction: the reputation
// counts from the next one on.
func (x *merging) storeSome(ctx context.Context, visits []*merge.Visit) (merged int, err error) {
	var readings []merge.Merged
	var stale *pagerecord.Page // set if the record of the first unmerged visit is not the one glanced at
	now := time.Now()
	err = x.commitAt(ctx, now, x.guess(visits, now), func(m *merge.Transaction) {
		stale, merged, readings = nil, 0, make([]merge.Merged, len(visits))
		for i, k := range visits {
			if stale = m.Stale(k); stale != nil {
				break // another process has merged a visit since
			}
			if readings[i] = m.Apply(k); readings[i].Follow && !k.Apart {
				m.FollowedAll(k, m.Follow(k, k.Fresh, readings[i].News, pagerecord.Settled))
				readings[i].Follow = false
			}
			if merged++; m.Effects.Reputes {
				break
			}
		}
	})
	if err != nil {
		return 0, err
	}
	if stale != nil {
		k := visits[merged]
		k.Same, k.Before = false, stale
		x.readPage(k, false)
	}
	return merged, x.finish(ctx, visits[:merged], readings)
}

// finish counts stored visits in the tally, and follows the links that were not merged
// with them.
func (m *merging) finish(ctx context.Context, visits []*merge.Visit, readings []merge.Merged) error {
	for i, k := range visits {
		if m.site.Entries[k.Location] && !m.cfg.Files.Lists(k.Location) {
			m.counts.EntryAnswered(k)
		}
		if k.Parsed && !k.Tracked {
			m.counts.Read(k, readings[i])
		} else if k.Same {
			m.counts.Again(k)
		}
		if readings[i].Listed() {
			if err := m.tellLinks(ctx, k.Observation); err != nil {
				return err
			}
		}
		if readings[i].Follow {
			if err := m.follow(ctx, k, readings[i].News); err != nil {
				return err
			}
		}
	}
	for _, o := range m.linked {
		if err := m.tellLinks(ctx, o); err != nil {
			return err
		}
	}
	m.linked = nil
	return nil
}

// guess returns the keys that merging the visits needs in most cases.
func (m *merging) guess(visits []*merge.Visit, now time.Time) (keys []string) {
	for _, k := range visits {
		keys = append(keys, m.site.Guess(k, now)...)
		if k.Apart {
			continue
		}
		for _, ln := range k.Fresh {
			keys = append(keys, m.site.RecordKeys(ln.Location)...)
		}
	}
	return keys
}
