package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
)

const (
	// visitsARound is how many visits are merged before the other tasks get a turn.
	visitsARound = 512
	// linksAtOnce is how many links one transaction merges. Each link may need the records of
	// a page, its shard and its siblings.
	linksAtOnce = 100
)

// merging turns exchanges into visits and merges them, one after the other. A visit takes a transaction, and its
// links take others. All of them may run again: if the store fails, the visit stays pending and is merged again.
type merging struct {
	*Indexer
	pending *observation.Exchange // taken from the queue and not yet stored
	visit   *merge.Visit          // the visit of pending, once that was read: to read it twice would teach the boilerplate twice
	budget  *quota.Part
}

func (m *merging) due(now time.Time) time.Time {
	if m.pending == nil && m.queue.depth() == 0 {
		return time.Time{}
	}
	return now
}

// run merges the queued exchanges in their order.
func (m *merging) run(ctx context.Context, all bool) error {
	most := visitsARound
	if all {
		most = m.queue.depth() + 1
	}
	for range most {
		if m.pending == nil {
			m.pending = m.queue.take()
		}
		if m.pending == nil {
			return nil
		}
		if err := m.records.noteActivity(ctx, m.pending.At); err != nil {
			return err
		}
		if err := m.process(ctx, m.pending, all); err != nil {
			return err
		}
		m.release()
	}
	return nil
}

// release ends the work on the pending exchange.
func (m *merging) release() {
	if m.pending != nil {
		m.pending.Response.Release()
		m.pending, m.visit = nil, nil
	}
}

// process reads an exchange and stores what it shows.
func (m *merging) process(ctx context.Context, e *observation.Exchange, all bool) error {
	if e.Kind == eligibility.RobotsFile {
		return m.robotsTxt.obey(ctx, e)
	}
	if m.visit == nil {
		before, err := m.load(ctx, e.Location)
		if err != nil {
			return err
		}
		v, unread := m.site.Observe(e, before[0])
		if unread {
			m.readPage(v, all)
		}
		m.visit = v
	}
	err := m.store(ctx, m.visit, all)
	if txn.TooMuch(err) {
		m.Drop()
		return nil
	}
	return err
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
func (m *merging) readPage(v *merge.Visit, all bool) {
	full := all || v.Explored || m.budget.Allows(time.Now(), m.site.Trusted(v), v.Payer)
	m.read(v, func() { m.site.Read(v, full) })
	m.boilerplate.changed = m.boilerplate.changed || v.View != nil
	if !v.Explored {
		m.budget.Pay(int64(v.Cost+time.Duration(len(m.site.Fresh(v)))*observation.LinkCost), v.Payer)
	}
}

// read parses the page by parse. If a stranger's bytes make that panic, the page is held, and the
// site goes on.
func (m *merging) read(v *merge.Visit, parse func()) {
	defer func() {
		if p := recover(); p != nil {
			v.Full, v.View, v.Forbids = false, nil, eligibility.Encoding
			m.cfg.Logger.Error("servemap: a page could not be parsed; please report this", "panic", p)
		}
	}()
	parse()
}

// store merges a visit, and then its links if they count. In this order, a crash costs a second reading but no link.
func (m *merging) store(ctx context.Context, v *merge.Visit, all bool) error {
	is, err := m.apply(ctx, v, all)
	if err != nil {
		return err
	}
	m.count(v, is)
	if is.Listed() {
		if err := m.tellLinks(ctx, v); err != nil {
			return err
		}
	}
	if !is.Follow {
		return nil
	}
	var open pagerecord.Openness
	err = inSteps(m.site.Fresh(v), linksAtOnce, func(links []observation.Link) error {
		keys, left := m.site.RecordKeys(v.Location), open
		for _, ln := range links {
			keys = append(keys, m.site.RecordKeys(ln.Location)...)
		}
		err := m.commit(ctx, keys, func(t *merge.Transaction) { left = t.Follow(v, links, is.News, open) })
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

// apply merges a visit without its links. If another process has merged a visit of the page since its record was read,
// the page is compared with that one.
func (m *merging) apply(ctx context.Context, v *merge.Visit, all bool) (is merge.Merged, err error) {
	for {
		var stale *pagerecord.Page
		now := time.Now()
		err := m.commitAt(ctx, now, m.site.Guess(v, now), func(t *merge.Transaction) {
			if stale = t.Stale(v); stale == nil {
				is = t.Apply(v)
			}
		})
		if err != nil || stale == nil {
			return is, err
		}
		v.Same, v.Before = false, stale
		m.readPage(v, all)
	}
}

// count counts a stored visit in the tally.
func (m *merging) count(v *merge.Visit, is merge.Merged) {
	if m.site.Entries[v.Location] && !m.cfg.Files.Lists(v.Location) {
		m.counts.EntryAnswered(v)
	}
	if v.Parsed && !v.Tracked {
		m.counts.Read(v, is)
	} else if v.Same {
		m.counts.Again(v)
	}
}

// tellLinks tells the owner of the links of a listed page, and what their targets last answered. If the page shows
// the same as before, it is read for that once in the life of the process, with what no vouched page needs of the budget.
func (m *merging) tellLinks(ctx context.Context, v *merge.Visit) error {
	o := v.Observation
	if v.Same && !v.Tracked && m.Links.Unread(v.Location) && m.budget.Allows(time.Now(), false, v.Payer) {
		read := *o
		m.read(v, func() { read.Read(m.site.Normalizer, true, 0, nil) })
		m.budget.Pay(int64(read.Cost), v.Payer)
		o = &read
	}
	if !o.Full || o.NoFollow || o.Tracked {
		return nil
	}
	return inSteps(m.Links.Read(o), itemsAtOnce, func(some []string) error {
		pages, err := m.load(ctx, some...)
		for i, p := range pages {
			m.Links.Knew(some[i], p.Status)
		}
		return err
	})
}

// withdrawUnstored does what cannot wait for a store in trouble. It takes two kinds of pages out of
// the served files: those whose minute is over, and those that forbid their listing in an exchange
// that is not stored yet.
func (m *merging) withdrawUnstored() {
	for _, location := range m.removals.overdue(time.Now()) {
		m.cfg.Files.Withdraw(location, m.removals.since[location]) // a later witness in the queue saves the page
	}
	waiting := m.queue.all()
	if m.pending != nil {
		waiting = append(waiting, m.pending)
	}
	for _, s := range waiting {
		m.peek(s)
	}
}

// peek reads the head of a page, once.
func (m *merging) peek(s *observation.Exchange) {
	if s.Peeked || s.Kind != eligibility.Witness || s.Tracked || !m.cfg.Files.Lists(s.Location) {
		return
	}
	s.Peeked = true
	k := &merge.Visit{Observation: &observation.Observation{Exchange: s}, Before: new(pagerecord.Page)}
	m.read(k, func() { m.site.Read(k, false) })
	if k.Forbids == eligibility.NoIndex {
		m.cfg.Files.Withdraw(s.Location, s.At)
	}
}
