package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/store"
)

// open reads what the store holds of the site as a whole: at the start, and
// after an error, since a store may have done what it did not confirm.
func (l *Ledger) open(ctx context.Context) error {
	if l.opened {
		return nil
	}
	if err := l.openSecret(ctx); err != nil {
		return err
	}
	if err := l.rereadTrust(ctx); err != nil {
		return err
	}
	if err := l.openDoubts(ctx); err != nil {
		return err
	}
	if err := l.openRobots(ctx); err != nil {
		return err
	}
	if err := l.openActivity(ctx); err != nil {
		return err
	}
	if !l.counted {
		l.cfg.Files.ChangedAll()
		if err := l.countWaiting(ctx); err != nil {
			return err
		}
		l.counted = true
	}
	l.followed.forget()
	l.opened = true
	l.beginReview() // what was counted may be wrong
	return nil
}

// countWaiting counts the waiting locations, and remembers what they showed.
func (l *Ledger) countWaiting(ctx context.Context) error {
	waiting := int64(0)
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.waits(), "") {
		if err != nil {
			return err
		}
		waiting++
		if s, err := decodeState(r.Value); err == nil {
			l.contents.shows(s.showing, l.keys.idOf(r.Key))
		}
	}
	l.waiting.Store(waiting)
	return nil
}

// openSecret reads the site's secret, and makes one at the very first start.
// It only writes then, so that a store which is full can still be read.
func (l *Ledger) openSecret(ctx context.Context) (err error) {
	var key secret
	var bad error
	fetch := func(t *tx) { key, bad = readSecret(t.Get(l.keys.site())) }
	if err := view(ctx, l.cfg.Store, []string{l.keys.site()}, fetch); err != nil {
		return err
	}
	if errors.Is(bad, record.ErrVersion) {
		return fmt.Errorf("the site's record: %w; it needs a later version of this program", bad)
	}
	if key == nil {
		if bad != nil {
			l.damaged.Add(1)
			l.cfg.Logger.Error("servemap: the site's secret in the store is damaged; what waits is learned anew, and pages barred by Forget need a rule that says never")
		}
		if key, err = l.newSecret(ctx); err != nil {
			return err
		}
	}
	l.secret = key
	return nil
}

// newSecret stores a new secret, or returns the one that another process has
// stored meanwhile.
func (l *Ledger) newSecret(ctx context.Context) (key secret, err error) {
	fresh := make(secret, secretBytes)
	_, _ = rand.Read(fresh) // it never fails
	err = update(ctx, l.cfg.Store, []string{l.keys.site()}, func(t *tx) {
		if key, _ = readSecret(t.Get(l.keys.site())); key == nil {
			var e record.Encoder
			e.Bytes(1, fresh)
			t.Put(l.keys.site(), e.Seal())
			key = fresh
		}
	})
	return key, err
}

// readSecret returns nil without an error if there is none.
func readSecret(b []byte) (s secret, err error) {
	if b == nil {
		return nil, nil
	}
	err = record.Open(b, func(f record.Field) {
		if f.Num == 1 && len(f.Data) == secretBytes {
			s = slices.Clone(f.Data)
		}
	})
	if err == nil && s == nil {
		err = record.ErrDamaged
	}
	return s, err
}

// openDoubts takes up the doubts that are stored. One noted by a clock that
// was ahead has its minute from now.
func (l *Ledger) openDoubts(ctx context.Context) error {
	now := time.Now()
	doubts := map[string]time.Time{}
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.losts(), "") {
		if err != nil {
			return err
		}
		since := time.UnixMilli(int64(readCount(r.Value)))
		if since.After(now) {
			since = now
		}
		doubts[strings.Clone(strings.TrimPrefix(r.Key, l.keys.losts()))] = since
	}
	l.doubts = doubts
	return nil
}

// process merges the pending sightings in their order: those that need no
// reading together, each other one alone, since what it links to decides on
// those that come after. What is stored is done; after an error the rest stay
// pending.
func (l *Ledger) process(ctx context.Context, all bool) error {
	for len(l.pending) > 0 {
		n := l.distinct()
		states, err := l.glance(ctx, l.pending[:n])
		if err != nil {
			return err
		}
		for len(states) > 0 {
			n, err := l.processSome(ctx, states, all)
			if err != nil {
				return err
			}
			for _, s := range l.pending[:n] {
				s.Response.Release()
			}
			l.pending, states = l.pending[n:], states[n:]
		}
	}
	return nil
}

// distinct returns how many of the first pending sightings are of different
// locations: what one look says of a page decides how the next is read.
func (l *Ledger) distinct() int {
	seen := make(map[string]bool, len(l.pending))
	for i, s := range l.pending {
		if seen[s.Location] {
			return i
		}
		seen[s.Location] = true
	}
	return len(l.pending)
}

// processSome merges the first of the pending sightings, whose states were
// glanced at, and returns how many that were.
func (l *Ledger) processSome(ctx context.Context, states []*state, all bool) (int, error) {
	var plain []*look
	for i, s := range l.pending[:len(states)] {
		if s.Kind == admit.RobotsFile {
			if i > 0 {
				break
			}
			return 1, l.obey(ctx, s)
		}
		k := l.newLook(s)
		if k.same = k.Kind == admit.Witness && l.knows(k, states[i]); k.same {
			k.crowd = l.contents.shows(states[i].showing, l.secret.id(s.Location)) >= crowdNeeded
		}
		if k.Kind != admit.Witness || k.same {
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
	l.read(k, full)
	l.consult(k, before)
	if full {
		l.budget.spend(time.Since(start))
	}
	var follow, news bool
	var stands standing
	err := l.commit(ctx, l.guess(k), func(m *merge) {
		m.apply(k)
		after, _ := m.load(k.Location)
		news = before.read && after.changes > before.changes
		follow = m.effects.follow && l.leads(k.Location, after)
		stands = after.stored
	})
	if errors.Is(err, store.ErrInvalid) { // it takes more keys than a transaction may have
		l.Drop()
		return nil
	}
	if err != nil {
		return err
	}
	l.hintPage(k, stands)
	if !follow {
		return nil
	}
	return l.follow(ctx, k, news)
}

// read parses the page. Should a stranger's bytes find a way to make that
// panic, the page is held, and the site goes on.
func (l *Ledger) read(k *look, full bool) {
	defer func() {
		if p := recover(); p != nil {
			k.full, k.content = false, admit.Encoding
			l.cfg.Logger.Error("servemap: a page could not be parsed; please report this", "panic", p)
		}
	}()
	k.read(l.cfg.Normalizer, full)
	if k.showing != 0 {
		k.showing = l.secret.short("showing", strconv.FormatUint(k.showing, 16))
		n := l.contents.shows(k.showing, l.secret.id(k.Location))
		k.shared, k.crowd = n > 1, n >= crowdNeeded
	}
}

// store merges looks that need no reading. Should they need more keys than one
// transaction may have, they are merged in halves, and one alone that still
// does is left out.
func (l *Ledger) store(ctx context.Context, looks []*look) error {
	var first []string
	for _, k := range looks {
		first = append(first, l.guess(k)...)
	}
	err := l.commit(ctx, first, func(m *merge) {
		for _, k := range looks {
			m.apply(k)
		}
	})
	if !errors.Is(err, store.ErrInvalid) {
		l.hintAnswers(looks)
		return err
	}
	if len(looks) == 1 {
		l.Drop()
		return nil
	}
	half := len(looks) / 2
	return errors.Join(l.store(ctx, looks[:half]), l.store(ctx, looks[half:]))
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
	err := view(ctx, l.cfg.Store, keys, func(t *tx) {
		m := &merge{tx: t, l: l}
		for i, s := range sightings {
			states[i], _ = m.load(s.Location)
		}
	})
	return states, err
}

// commit stores what fn merges, and then does what follows from it.
func (l *Ledger) commit(ctx context.Context, first []string, fn func(*merge)) error {
	var done effects
	err := update(ctx, l.cfg.Store, first, func(t *tx) {
		m := &merge{tx: t, l: l, effects: effects{parts: map[int]bool{}, doubted: map[string]int64{}, settled: map[string]int{}, left: map[admit.Reason]int{}}}
		fn(m)
		done = m.effects
	})
	if err != nil {
		l.opened = l.opened && errors.Is(err, store.ErrInvalid) // nothing has happened, or nobody knows
		return err
	}
	l.unsynced, l.urgent = true, l.urgent || done.withdrew
	l.waiting.Add(int64(done.waiting))
	l.tally.moved(done.moves)
	l.hintLeft(done.left)
	l.damagedRecords(done.damaged)
	for location, since := range done.doubted {
		l.doubts[location] = time.UnixMilli(since)
	}
	for _, location := range done.undoubted {
		delete(l.doubts, location)
	}
	for _, location := range done.due {
		l.cfg.MakeDue(location)
	}
	l.cfg.Files.Changed(slices.Collect(maps.Keys(done.parts))...)
	for location, part := range done.settled {
		l.cfg.Files.Settle(location, part)
	}
	if done.caught {
		if err := l.rereadTrust(ctx); err != nil {
			l.opened = false
			return err
		}
		l.cfg.Files.ChangedAll()
	}
	return nil
}

func (l *Ledger) damagedRecords(n int) {
	if n > 0 && l.damaged.Add(uint64(n)) == uint64(n) {
		l.cfg.Logger.Warn("servemap: a damaged record in the store was left out; the page is learned anew", "count", n)
	}
}

func (l *Ledger) rereadTrust(ctx context.Context) error {
	var sources part.Sources
	err := view(ctx, l.cfg.Store, []string{l.keys.trust()}, func(t *tx) { sources = readSources(t.Get(l.keys.trust())) })
	if err != nil {
		return err
	}
	if before := l.distrusted.Swap(uint32(sources)); before != uint32(sources) {
		l.cfg.Logger.Info("servemap: dates that moved without a change are not used for lastmod",
			"last-modified", sources.Has(part.Server), "page", sources.Has(part.Page))
	}
	return nil
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
