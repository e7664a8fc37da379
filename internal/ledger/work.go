package ledger

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
)

// open reads what the store holds of the site as a whole, once.
func (l *Ledger) open(ctx context.Context) error {
	if l.secret != nil {
		return nil
	}
	var key secret
	fresh := make(secret, secretBytes)
	_, _ = rand.Read(fresh) // it never fails
	err := guard(func() error {
		return update(ctx, l.cfg.Store, []string{l.keys.site(), l.keys.trust()}, func(t *tx) {
			if key = readSecret(t.Get(l.keys.site())); key == nil {
				var e record.Encoder
				e.Bytes(1, fresh)
				t.Put(l.keys.site(), e.Seal())
				key = fresh
			}
			l.distrusted.Store(uint32(readSources(t.Get(l.keys.trust()))))
		})
	})
	if err != nil {
		return err
	}
	if err := l.openDoubts(ctx); err != nil {
		return err
	}
	waiting := int64(0)
	for _, err := range l.cfg.Store.Scan(ctx, l.keys.waits(), "") {
		if err != nil {
			return err
		}
		waiting++
	}
	l.waiting.Store(waiting)
	l.secret = key
	l.cfg.Files.ChangedAll()
	return nil
}

func readSecret(b []byte) (s secret) {
	_ = record.Open(b, func(f record.Field) {
		if f.Num == 1 && len(f.Data) == secretBytes {
			s = slices.Clone(f.Data)
		}
	})
	return s
}

// openDoubts takes up the doubts that a restart interrupted.
func (l *Ledger) openDoubts(ctx context.Context) error {
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.losts(), "") {
		if err != nil {
			return err
		}
		location := strings.Clone(strings.TrimPrefix(r.Key, l.keys.losts()))
		l.doubts[location] = time.UnixMilli(int64(readCount(r.Value)))
	}
	return nil
}

// process merges the pending sightings in their order: those that need no
// reading together, each other one alone, since what it links to decides on
// those that come after. What is stored is done; after an error the rest stay
// pending.
func (l *Ledger) process(ctx context.Context, all bool) error {
	states, err := l.glance(ctx, l.pending)
	if err != nil {
		return err
	}
	for len(l.pending) > 0 {
		n, err := l.processSome(ctx, states, all)
		if err != nil {
			return err
		}
		for _, s := range l.pending[:n] {
			s.Response.Release()
		}
		l.pending, states = l.pending[n:], states[n:]
	}
	return nil
}

// processSome merges the first of the pending sightings, whose states were
// glanced at, and returns how many that were.
func (l *Ledger) processSome(ctx context.Context, states []*state, all bool) (int, error) {
	var plain []*look
	for i, s := range l.pending {
		k := l.newLook(s)
		if !k.needsReading(states[i]) {
			plain = append(plain, k)
			continue
		}
		if i > 0 {
			break
		}
		return 1, l.processPage(ctx, k, states[i], all)
	}
	return len(plain), l.store(ctx, plain)
}

// processPage reads a page, merges it and follows its links.
func (l *Ledger) processPage(ctx context.Context, k *look, before *state, all bool) error {
	full := all || l.budget.allows(time.Now())
	start := time.Now()
	k.read(l.cfg.Normalizer, full)
	l.budget.spend(time.Since(start))
	var follow, news bool
	err := l.commit(ctx, l.guess(k), func(m *merge) {
		m.apply(k)
		after, _ := m.load(k.Location)
		news = before.read && after.changes > before.changes
		follow = m.effects.follow && after.leads()
	})
	if err != nil || !follow {
		return err
	}
	return l.follow(ctx, k, news)
}

// store merges looks that need no reading.
func (l *Ledger) store(ctx context.Context, looks []*look) error {
	var first []string
	for _, k := range looks {
		first = append(first, l.guess(k)...)
	}
	return l.commit(ctx, first, func(m *merge) {
		for _, k := range looks {
			m.apply(k)
		}
	})
}

// guess returns the keys that merging k needs in most cases.
func (l *Ledger) guess(k *look) []string {
	return []string{l.keys.page(k.Location), l.keys.wait(l.secret, k.Location)}
}

// glance returns the states of the sightings' locations, to see what has to be
// read.
func (l *Ledger) glance(ctx context.Context, sightings []*Sighting) ([]*state, error) {
	states := make([]*state, len(sightings))
	var keys []string
	for _, s := range sightings {
		keys = append(keys, l.keys.page(s.Location), l.keys.wait(l.secret, s.Location))
	}
	err := guard(func() error {
		return view(ctx, l.cfg.Store, keys, func(t *tx) {
			m := &merge{tx: t, l: l}
			for i, s := range sightings {
				states[i], _ = m.load(s.Location)
			}
		})
	})
	return states, err
}

// commit stores what fn merges, and then does what follows from it.
func (l *Ledger) commit(ctx context.Context, first []string, fn func(*merge)) error {
	var done effects
	err := guard(func() error {
		return update(ctx, l.cfg.Store, first, func(t *tx) {
			m := &merge{tx: t, l: l, effects: effects{parts: map[int]bool{}}}
			fn(m)
			done = m.effects
		})
	})
	if err != nil {
		return err
	}
	l.unsynced, l.urgent = true, l.urgent || done.withdrew
	l.waiting.Add(int64(done.waiting))
	l.damagedRecords(done.damaged)
	if done.caught {
		l.rereadTrust(ctx)
	}
	now := time.Now()
	for _, location := range done.doubted {
		l.doubts[location] = now
	}
	for _, location := range done.undoubted {
		delete(l.doubts, location)
	}
	for _, location := range done.due {
		l.cfg.Look(location)
	}
	l.cfg.Files.Changed(slices.Collect(maps.Keys(done.parts))...)
	for _, location := range done.settled {
		l.cfg.Files.Settle(location)
	}
	return nil
}

func (l *Ledger) damagedRecords(n int) {
	if n > 0 && l.damaged.Add(uint64(n)) == uint64(n) {
		l.cfg.Logger.Warn("servemap: a damaged record in the store was left out; the page is learned anew", "count", n)
	}
}

func (l *Ledger) rereadTrust(ctx context.Context) {
	var sources part.Sources
	err := view(ctx, l.cfg.Store, []string{l.keys.trust()}, func(t *tx) { sources = readSources(t.Get(l.keys.trust())) })
	if err != nil {
		return
	}
	l.distrusted.Store(uint32(sources))
	l.cfg.Logger.Info("servemap: dates that moved without a change are no longer used for lastmod",
		"last-modified", sources.Has(part.Server), "page", sources.Has(part.Page))
	l.cfg.Files.ChangedAll()
}

// overdue returns the locations that had their minute, in order.
func (l *Ledger) overdue(now time.Time) []string {
	var gone []string
	for location, since := range l.doubts {
		if now.Sub(since) >= confirmAfter {
			gone = append(gone, location)
		}
	}
	slices.Sort(gone)
	return gone
}

// confirmDoubts stores that the pages which had their minute are gone.
func (l *Ledger) confirmDoubts(ctx context.Context) error {
	now := time.Now()
	for chunk := range slices.Chunk(l.overdue(now), batch) {
		looks := make([]*look, len(chunk))
		for i, location := range chunk {
			looks[i] = &look{Sighting: &Sighting{Location: location, At: now}, confirm: true}
		}
		if err := l.store(ctx, looks); err != nil {
			return fmt.Errorf("taking out pages that are gone: %w", err)
		}
		for _, location := range chunk {
			delete(l.doubts, location) // also those that turned out to be no page
		}
	}
	return nil
}
