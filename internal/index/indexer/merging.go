package indexer

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

const (
	// visitsARound is how many visits are merged before the other tasks get a turn.
	visitsARound = 512
	// linksAtOnce is how many links one transaction merges. Each link may need the records of
	// a page, its shard and its siblings.
	linksAtOnce = 100
	// keysAtOnce is how many keys one transaction of several visits reads at first. It may need others.
	keysAtOnce = store.MaxKeys / 2
	// readFor is how long pages are read before their visits are stored. It is short because a page may leave by one of
	// these visits.
	readFor = 20 * time.Millisecond
)

// merging reads observations and merges them in their order. A transaction merges several of them with their links. If
// a page has many links, further transactions merge these. If the store fails, the observations stay pending and are
// merged again.
type merging struct {
	*Indexer
	pending []*observation.Observation // taken from the queue and not yet stored
	// how many of the first of them were read: a second reading would teach the boilerplate twice
	read   int
	budget *quota.Part
}

func (m *merging) due(now time.Time) time.Time {
	if len(m.pending) == 0 && m.queue.depth() == 0 {
		return time.Time{}
	}
	return now
}

// run merges the queued observations in their order.
func (m *merging) run(ctx context.Context, all bool) error {
	if m.cfg.Looks != nil {
		m.site.Looking = m.cfg.Looks.Looking()
	}
	most := visitsARound
	if all {
		most = len(m.pending) + m.queue.depth()
	}
	for most > 0 {
		if len(m.pending) == 0 {
			m.pending = m.queue.take(txn.Items)
		}
		if len(m.pending) == 0 {
			return nil
		}
		n, err := m.process(ctx, all)
		m.release(n)
		if err != nil {
			return err
		}
		most -= n
	}
	return nil
}

// release ends the work on the first n pending observations.
func (m *merging) release(n int) {
	for _, e := range m.pending[:n] {
		e.Response.Release()
	}
	if m.pending, m.read = m.pending[n:], max(0, m.read-n); len(m.pending) == 0 {
		m.pending = nil // an idle site holds no array of them
	}
}

// process stores what some of the first pending observations show, and returns how many are done.
func (m *merging) process(ctx context.Context, all bool) (done int, err error) {
	if e := m.pending[0]; e.Kind == eligibility.RobotsFile {
		if err := m.records.noteActivity(ctx, e.At); err != nil {
			return 0, err
		}
		if err := m.robotsTxt.obey(ctx, e); err != nil {
			return 0, err
		}
		return 1, nil
	}
	if m.read == 0 {
		if err := m.observe(ctx, all); err != nil {
			return 0, err
		}
	}
	visits := m.pending[:m.read]
	for links := linksAtOnce; ; {
		done, err = m.store(ctx, visits, links, all)
		switch {
		case !txn.TooMuch(err):
			return done, err
		case len(visits) > 1:
			visits = visits[:len(visits)/2]
		case links > 0:
			links = 0
		default:
			m.Drop()
			return 1, nil
		}
	}
}

// observe reads the first pending observations. It stops at a robots.txt, which decides how later pages are read, and
// at the second observation of a page, which is compared with the first.
func (m *merging) observe(ctx context.Context, all bool) error {
	var locations []string
	for _, e := range m.pending {
		if e.Kind == eligibility.RobotsFile || slices.Contains(locations, e.Location) {
			break
		}
		if err := m.records.noteActivity(ctx, e.At); err != nil {
			return err
		}
		locations = append(locations, e.Location)
	}
	pages, err := m.load(ctx, locations...)
	if err != nil {
		return err
	}
	begun := time.Now()
	for i, before := range pages {
		if v := m.pending[i]; m.site.Observe(v, before) {
			m.readPage(v, all)
		}
		if m.read++; time.Since(begun) > readFor {
			break
		}
	}
	return nil
}

// load returns the records of locations.
func (m *merging) load(ctx context.Context, locations ...string) (pages []*pagerecord.Page, err error) {
	err = txn.View(ctx, m.cfg.Store, m.keys(locations), func(t *txn.Tx) {
		records := merge.New(t, m.site, time.Time{})
		pages = nil
		for _, location := range locations {
			p, _ := records.Load(location)
			pages = append(pages, p)
		}
	})
	return pages, err
}

// keys returns the keys under which the records of locations may be.
func (x *Indexer) keys(locations []string) (keys []string) {
	for _, location := range locations {
		keys = append(keys, x.site.RecordKeys(location)...)
	}
	return keys
}

// readPage reads the page of a witness: in full if the budget allows it.
func (m *merging) readPage(v *observation.Observation, all bool) {
	full := all || v.Explored || m.budget.Allows(time.Now(), m.site.Trusted(v))
	m.parse(v, func() { m.site.Read(v, full) })
	m.boilerplate.changed = m.boilerplate.changed || v.View != nil
	if !v.Explored {
		m.budget.Pay(int64(v.Cost + time.Duration(len(m.site.Fresh(v)))*observation.LinkCost))
	}
}

// parse calls read, which parses the page. If a stranger's bytes make that panic, the page is held, and the site goes
// on.
func (m *merging) parse(v *observation.Observation, read func()) {
	defer func() {
		if p := recover(); p != nil {
			v.Full, v.View, v.Forbids = false, nil, eligibility.Encoding
			m.cfg.Logger.Error("servemap: a page could not be parsed; please report this", "panic", p)
		}
	}()
	read()
}

// store merges some of the first visits in one transaction, and returns how many are done. links is how many links it
// may merge with them. A visit with more links is the last of its transaction, and its links are merged after it: in
// this order, a crash costs a second reading but no link. The transaction also ends after a visit that changes the
// reputation of a source of dates, which counts from the next visit on.
func (m *merging) store(ctx context.Context, visits []*observation.Observation, links int,
	all bool) (done int, err error) {
	now := time.Now()
	keys, fresh := m.batch(visits, links, now)
	var merged []merge.Merged
	var stale *pagerecord.Page // the page of the first observation that was not merged, if that must be read again
	err = m.commitAt(ctx, now, keys, func(t *merge.Transaction) {
		merged, stale = nil, nil
		for i, f := range fresh {
			v := visits[i]
			if stale = t.Stale(v); stale != nil {
				break
			}
			result := t.Apply(v)
			if result.Follow && len(f) <= links {
				t.FollowedAll(v, t.Follow(v, f, result.News, pagerecord.Settled))
				result.Follow = false
			}
			if merged = append(merged, result); t.Effects.Reputes {
				break
			}
		}
	})
	if err != nil {
		return 0, err
	}
	if stale != nil { // another process has merged a visit of the page since its record was read
		v := visits[len(merged)]
		v.Same, v.Before = false, stale
		m.readPage(v, all)
	}
	for i, result := range merged {
		if err := m.finish(ctx, visits[i], result); err != nil {
			return i, err
		}
	}
	return len(merged), nil
}

// batch returns the new links of the first visits, as many visits as one transaction takes, and the keys that it reads
// at first. A visit with more links than those is the last one.
func (m *merging) batch(visits []*observation.Observation, links int,
	now time.Time) (keys []string, fresh [][]observation.Link) {
	for i, v := range visits {
		f := m.site.Fresh(v)
		more := m.site.Guess(v, now)
		if len(f) <= links {
			for _, ln := range f {
				more = append(more, m.site.RecordKeys(ln.Location)...)
			}
		}
		if i > 0 && len(keys)+len(more) > keysAtOnce {
			break
		}
		keys, fresh = append(keys, more...), append(fresh, f)
		if len(f) > links {
			break
		}
	}
	return keys, fresh
}

// finish does what follows after a visit was stored. It merges the links that were not merged with it, if they count.
func (m *merging) finish(ctx context.Context, v *observation.Observation, result merge.Merged) error {
	m.count(v, result)
	if result.Listed() {
		if err := m.tellLinks(ctx, v); err != nil {
			return err
		}
	}
	if !result.Follow {
		return nil
	}
	open := pagerecord.Settled
	err := txn.InSteps(m.site.Fresh(v), linksAtOnce, func(links []observation.Link) error {
		keys, left := m.site.RecordKeys(v.Location), open
		for _, ln := range links {
			keys = append(keys, m.site.RecordKeys(ln.Location)...)
		}
		err := m.commit(ctx, keys, func(t *merge.Transaction) { left = t.Follow(v, links, result.News, open) })
		if err == nil {
			open = left
		}
		return err
	})
	if err != nil {
		return err
	}
	return m.commit(ctx, m.site.RecordKeys(v.Location), func(t *merge.Transaction) { t.FollowedAll(v, open) })
}

// count counts a stored visit in the tally.
func (m *merging) count(v *observation.Observation, result merge.Merged) {
	if m.site.Entries[v.Location] && !m.cfg.Files.Lists(v.Location) {
		m.counts.EntryAnswered(v)
	}
	if v.Parsed {
		m.counts.Read(v, result)
	} else if v.Same {
		m.counts.Again(v)
	}
}

// tellLinks notes for the owner where a listed page links to, and what was answered there last. A page that shows the
// same as before is read for this once after the start, when the budget has time for pages that nothing vouches for.
func (m *merging) tellLinks(ctx context.Context, v *observation.Observation) error {
	if v.Same && m.Links.Unread(v.Location) && m.budget.Allows(time.Now(), false) {
		again := *v
		m.parse(&again, func() { m.site.ReadAgain(&again) })
		m.budget.Pay(int64(again.Cost))
		v = &again
	}
	if !v.Full || v.NoFollow {
		return nil
	}
	return txn.InSteps(m.Links.Read(v), txn.Items, func(some []string) error {
		pages, err := m.load(ctx, some...)
		for i, p := range pages {
			m.Links.Knew(some[i], p.Status)
		}
		return err
	})
}
