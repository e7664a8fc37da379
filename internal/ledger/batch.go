package ledger

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

const (
	// keysAtOnce is how many keys the looks that are merged together may be
	// taken to need. The one that passes it is the last of them.
	keysAtOnce = 600
	// readFor is for how long pages are read before what they showed is stored:
	// a withdrawal may wait among them.
	readFor = 20 * time.Millisecond
)

// What a look is taken to need: the records of its location; those of its
// content, its kin, its entry and its event; those of each location it links to.
const (
	keysOfLook = 4
	keysOfPage = 10
	keysOfLink = 2
)

// process merges the pending sightings in their order, as many at once as a
// transaction takes. What is stored is done; after an error the rest stay
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

// glance returns the states of the sightings' locations, to see what has to be
// read.
func (l *Ledger) glance(ctx context.Context, sightings []*Sighting) ([]*state, error) {
	states := make([]*state, len(sightings))
	var keys []string
	for _, s := range sightings {
		keys = append(keys, l.keys.Page(s.Location), l.wait(s.Location))
	}
	err := txn.View(ctx, l.cfg.Store, keys, func(t *txn.Tx) {
		m := &merge{Tx: t, l: l}
		for i, s := range sightings {
			states[i], _ = m.load(s.Location)
		}
	})
	return states, err
}

// processSome merges the first of the pending sightings, whose states were
// glanced at, and returns how many that were.
func (l *Ledger) processSome(ctx context.Context, states []*state, all bool) (int, error) {
	if s := l.pending[0]; s.Kind == admit.RobotsFile {
		return 1, l.obey(ctx, s)
	}
	looks := l.gather(states, all)
	return len(looks), l.store(ctx, looks)
}

// gather makes looks of the first pending sightings, as many as are merged
// together. A robots.txt, and a page of so many links that they take
// transactions of their own, decide on all that comes after.
func (l *Ledger) gather(states []*state, all bool) (looks []*look) {
	begun, keys := time.Now(), 0
	for i, before := range states {
		s := l.pending[i]
		if s.Kind == admit.RobotsFile {
			break
		}
		k := l.lookAt(s, before, all)
		looks = append(looks, k)
		if keys += k.keys(); k.apart || keys > keysAtOnce || time.Since(begun) > readFor {
			break
		}
	}
	return looks
}

// keys returns how many keys merging the look is taken to need.
func (k *look) keys() int {
	if !k.parsed {
		return keysOfLook
	}
	return keysOfPage + keysOfLink*len(k.fresh)
}

// lookAt makes a look of a sighting, and reads the page if that may show
// anything new. before is what is known of the page, all says that no budget
// applies.
func (l *Ledger) lookAt(s *Sighting, before *state, all bool) *look {
	k := l.newLook(s)
	k.before = before
	if k.Kind != admit.Witness {
		return k
	}
	if k.Tagged && !l.wantsTagged(k, before) {
		return k
	}
	if k.same = l.knows(k, before); k.same {
		l.compare(k, before.showing, before.content)
		return k
	}
	l.readPage(k, all)
	return k
}

// readPage reads the page of a witness, as far as the budget goes.
func (l *Ledger) readPage(k *look, all bool) {
	full := all || l.cfg.Unbudgeted || l.budget.allows(time.Now(), l.vouched(k))
	k.parsed = true
	l.read(k, full)
	l.consult(k, k.before)
	if k.fresh = l.unfollowed(k); len(k.fresh) > linksAtOnce {
		k.apart = true
	}
	l.budget.spend(k.cost)
}

// vouched reports whether something on the site vouches for the page: it is an
// entry, has a route of its own, a listed page links to it, or it was listed
// before. Any other address may be made up by whoever asks for it.
func (l *Ledger) vouched(k *look) bool {
	s := k.before
	return s.public() || s.link || s.hop > 0 || s.route || k.Exact || l.entries[k.Location]
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
	k.read(l.cfg.Normalizer, full, l.cfg.Extensions)
	l.hide(k.media)
	if k.showing != 0 && !(k.Tagged && k.before.looks > 0) { // else it is known what the page itself shows
		k.showing = l.secret.Key().Hash("showing", strconv.FormatUint(k.showing, 16))
		l.compare(k, k.showing, k.content)
	}
	if k.Tagged {
		k.dropContent()
	}
}

// store merges looks in their order, together as far as a transaction takes
// them. One that takes more keys by itself has its links merged apart, and is
// left out if that does not help.
func (l *Ledger) store(ctx context.Context, looks []*look) error {
	for most := len(looks); len(looks) > 0; {
		n := min(most, len(looks))
		merged, err := l.storeSome(ctx, looks[:n])
		switch {
		case err == nil:
			looks = looks[merged:]
		case txn.TooMuch(err) && n > 1:
			most = n / 2
		case txn.TooMuch(err) && looks[0].parsed && !looks[0].apart:
			looks[0].apart = true
		case txn.TooMuch(err):
			l.leaveOut(looks[0])
			looks = looks[1:]
		default:
			return err
		}
	}
	return nil
}

// leaveOut gives up a look that no transaction takes.
func (l *Ledger) leaveOut(k *look) {
	if k.confirm {
		l.unconfirmed(k.Location)
		return
	}
	l.Drop()
}

// tooMuch reports whether a transaction failed by its size, so that half of it may
// not: it takes too many keys, or again and again other ones.
func tooMuch(err error) bool {
	return errors.Is(err, store.ErrInvalid) || errors.Is(err, txn.ErrRestless)
}

// reading is what merging a page that was read came to.
type reading struct {
	stands standing
	linked bool // a listed page links to it
	news   novelty
	follow bool // its links count, and are still to be merged
}

// storeSome merges the first of the looks in one transaction, and returns how
// many that were. What is learned of the sources of dates counts from the next
// transaction on, so that a look which teaches any is the last of its own; so is
// one that shows that something which was seen before counts.
func (l *Ledger) storeSome(ctx context.Context, looks []*look) (merged int, err error) {
	var readings []reading
	var followed map[uint64]bool
	var stale *state // of the first look that is not merged, as it shows other bytes than were glanced at
	now := time.Now()
	err = l.commitAt(ctx, now, l.guess(looks, now), func(m *merge) {
		stale = nil
		merged, readings, followed = 0, make([]reading, len(looks)), map[uint64]bool{}
		for i, k := range looks {
			if s, _ := m.load(k.Location); k.same && s.bodyHash != k.hash {
				stale = s // another process has merged a look since
				break
			}
			if m.effects.follow = false; !k.parsed {
				m.apply(k)
			} else {
				readings[i] = m.page(k)
				m.followNow(k, &readings[i], followed)
			}
			if merged++; m.effects.reputes || m.catchesUp() {
				break
			}
		}
	})
	if err != nil {
		return 0, err
	}
	for link := range followed {
		l.followed.add(link)
	}
	if stale != nil {
		k := looks[merged]
		k.same, k.before = false, stale
		l.readPage(k, false)
	}
	return merged, l.finish(ctx, looks[:merged], readings)
}

// page merges a page that was read.
func (m *merge) page(k *look) reading {
	m.apply(k)
	after, _ := m.load(k.Location)
	leads := m.l.leads(k.Location, after)
	if m.effects.follow && !leads && !after.noFollow && after.content == admit.None && len(k.links) > 0 {
		m.effects.early = append(m.effects.early, k)
	}
	return reading{
		stands: after.stored,
		linked: after.link,
		news:   k.novelty(after),
		follow: m.effects.follow && leads,
	}
}

// finish does what is to be done once looks are stored: it gives hints, and
// follows the links that were not merged with them.
func (l *Ledger) finish(ctx context.Context, looks []*look, readings []reading) error {
	l.hintAnswers(looks)
	for i, k := range looks {
		if k.parsed && !k.Tagged {
			l.hintPage(k, readings[i])
		}
		if readings[i].follow {
			if err := l.follow(ctx, k, readings[i].news); err != nil {
				return err
			}
		}
	}
	return l.followEarly(ctx)
}

// guess returns the keys that merging the looks at now needs in most cases.
func (l *Ledger) guess(looks []*look, now time.Time) (keys []string) {
	for _, k := range looks {
		keys = append(keys, l.keys.Page(k.Location), l.wait(k.Location))
		if s := k.before; s != nil {
			keys = append(keys, l.guessListing(k, s, now)...)
			if s.missing != 0 || s.listed() && k.Kind == admit.Doubtful {
				keys = append(keys, l.keys.Lost(k.Location), l.keys.Refusals())
			}
		}
		if k.apart {
			continue
		}
		for _, ln := range k.fresh {
			keys = append(keys, l.keys.Page(ln.location), l.wait(ln.location))
		}
	}
	return keys
}

// guessListing returns those that it needs for what is known of the page beyond
// its own record.
func (l *Ledger) guessListing(k *look, s *state, now time.Time) (keys []string) {
	if s.joined != 0 {
		keys = append(keys, l.keys.Twin(s.joined))
	}
	if s.listed() {
		keys = append(keys, l.book.Guess(s.part, k.Location, false)...)
	}
	if !k.parsed {
		return keys
	}
	if k.showing != 0 && k.showing != s.joined {
		keys = append(keys, l.keys.Twin(k.showing))
	}
	if !s.listed() {
		keys = append(keys, l.keys.Kin(k.group))
	}
	if !s.listed() && (s.link || k.Exact) {
		keys = append(keys, l.book.Guess(l.filling, k.Location, true)...)
	}
	if s.listed() || s.link || k.Exact {
		keys = append(keys, l.journal.Guess(s.logged, k.Location, now.UnixMilli())...)
	}
	return keys
}
