package ledger

import (
	"context"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/txn"
)

const (
	// keysAtOnce is how many keys the looks that are merged together may be
	// taken to need. The one that passes it is the last of them.
	keysAtOnce = 600
	// readFor is for how long pages are read before what they showed is stored:
	// a withdrawal may wait among them.
	readFor = 20 * time.Millisecond
	// linksAtOnce is how many links one transaction merges. Each may need the
	// records of a page, of its part and of its siblings.
	linksAtOnce = 100
)

// What a look is taken to need: the records of its location; those of its content, its
// siblings, its entry and its event; those of each location it links to.
const (
	keysOfLook = 4
	keysOfPage = 10
	keysOfLink = 2
)

// sighted is a look that is to be merged.
type sighted struct {
	*merge.Look
	apart bool // its links are merged by transactions of their own
}

// process merges the pending sightings in their order, as many at once as a
// transaction takes. What is stored is done; after an error the rest stay pending.
func (l *Ledger) process(ctx context.Context, all bool) error {
	for len(l.pending) > 0 {
		n := l.distinct()
		pages, err := l.glance(ctx, l.pending[:n])
		if err != nil {
			return err
		}
		for len(pages) > 0 {
			n, err := l.processSome(ctx, pages, all)
			if err != nil {
				return err
			}
			for _, s := range l.pending[:n] {
				s.Response.Release()
			}
			l.pending, pages = l.pending[n:], pages[n:]
		}
	}
	return nil
}

// distinct returns how many of the first pending sightings are of different locations:
// what one look says of a page decides how the next is read.
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

// glance returns what is known of the sightings' locations, to see what has to be read.
func (l *Ledger) glance(ctx context.Context, sightings []*look.Sighting) ([]*pagerecord.Page, error) {
	pages := make([]*pagerecord.Page, len(sightings))
	var keys []string
	for _, s := range sightings {
		keys = append(keys, l.site.RecordKeys(s.Location)...)
	}
	err := txn.View(ctx, l.cfg.Store, keys, func(t *txn.Tx) {
		m := merge.New(t, l.site, time.Time{})
		for i, s := range sightings {
			pages[i], _ = m.Load(s.Location)
		}
	})
	return pages, err
}

// processSome merges the first of the pending sightings, of whose pages is given what
// is known, and returns how many that were.
func (l *Ledger) processSome(ctx context.Context, pages []*pagerecord.Page, all bool) (int, error) {
	if s := l.pending[0]; s.Kind == admit.RobotsFile {
		return 1, l.obey(ctx, s)
	}
	looks := l.gather(pages, all)
	return len(looks), l.store(ctx, looks)
}

// gather makes looks of the first pending sightings, as many as are merged together. A
// robots.txt, and a page of so many links that they take transactions of their own,
// decide on all that comes after.
func (l *Ledger) gather(pages []*pagerecord.Page, all bool) (looks []*sighted) {
	begun, keys := time.Now(), 0
	for i, before := range pages {
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
func (k *sighted) keys() int {
	if !k.Parsed {
		return keysOfLook
	}
	return keysOfPage + keysOfLink*len(k.Fresh)
}

// lookAt makes a look of a sighting, and reads the page if that may show anything new.
// before is what is known of the page, all says that no budget applies.
func (l *Ledger) lookAt(s *look.Sighting, before *pagerecord.Page, all bool) *sighted {
	k := &merge.Look{Look: look.New(s, l.cfg.Normalizer, l.site.Names.Key(), l.clock.behind()), Before: before}
	seen := &sighted{Look: k}
	if k.Kind != admit.Witness || k.Tagged && !l.site.WantsTagged(k.Look, before) {
		return seen
	}
	if k.Same, k.Again = l.site.Knows(k.Look, before); k.Same {
		l.compare(k, before.Showing, before.Content)
		return seen
	}
	l.readPage(seen, all)
	return seen
}

// readPage reads the page of a witness, as far as the budget goes.
func (l *Ledger) readPage(k *sighted, all bool) {
	full := all || l.cfg.Unbudgeted || l.budget.allows(time.Now(), l.site.Vouched(k.Look))
	l.read(k.Look, full)
	l.consult(k.Look)
	k.Fresh = l.site.Fresh(k.Look)
	k.apart = len(k.Fresh) > linksAtOnce
	l.budget.spend(k.Cost)
}

// read parses the page. Should a stranger's bytes find a way to make that panic, the
// page is held, and the site goes on.
func (l *Ledger) read(k *merge.Look, full bool) {
	defer func() {
		if p := recover(); p != nil {
			k.Full, k.Forbids = false, admit.Encoding
			l.cfg.Logger.Error("servemap: a page could not be parsed; please report this", "panic", p)
		}
	}()
	k.Read(l.cfg.Normalizer, full, l.cfg.Extensions)
	l.hide(k.Media)
	if k.Showing != 0 && !(k.Tagged && k.Before.Looks > 0) { // else it is known what the page itself shows
		k.Showing = l.site.Names.Key().Hash("showing", strconv.FormatUint(k.Showing, 16))
		l.compare(k, k.Showing, k.Forbids)
	}
	if k.Tagged {
		k.DropContent()
	}
}

// consult completes what the page shows by what is known of the whole site. A variant
// counts as the page that it names as its canonical one, so that a text which both show
// is not taken for the site's.
func (l *Ledger) consult(k *merge.Look) {
	if k.View == nil || k.Cut {
		return
	}
	location := k.Location
	if k.Canonical != "" {
		location = k.Canonical
	}
	k.View.Soon = k.Before.Soon(k.Look)
	l.furniture.Consult(k.View, k.Before.Mark, l.site.ID(location))
	l.furniture.changed = true
}

// store merges looks in their order, together as far as a transaction takes them. One
// that takes more keys by itself has its links merged apart, and is left out if that
// does not help.
func (l *Ledger) store(ctx context.Context, looks []*sighted) error {
	for most := len(looks); len(looks) > 0; {
		n := min(most, len(looks))
		merged, err := l.storeSome(ctx, looks[:n])
		switch {
		case err == nil:
			looks = looks[merged:]
		case txn.TooMuch(err) && n > 1:
			most = n / 2
		case txn.TooMuch(err) && looks[0].Parsed && !looks[0].apart:
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
func (l *Ledger) leaveOut(k *sighted) {
	if k.Confirm {
		l.unconfirmed(k.Location)
		return
	}
	l.Drop()
}

// storeSome merges the first of the looks in one transaction, and returns how many that
// were. What is learned of the sources of dates counts from the next transaction on, so
// that a look which teaches any is the last of its own; so is one that shows that
// something which was seen before counts.
func (l *Ledger) storeSome(ctx context.Context, looks []*sighted) (merged int, err error) {
	var readings []merge.Reading
	var stale *pagerecord.Page // of the first look that is not merged, as it shows other bytes than were glanced at
	now := time.Now()
	err = l.commitAt(ctx, now, l.guess(looks, now), func(m *merge.Batch) {
		stale, merged, readings = nil, 0, make([]merge.Reading, len(looks))
		for i, k := range looks {
			if stale = m.Stale(k.Look); stale != nil {
				break // another process has merged a look since
			}
			if !k.Parsed {
				m.Apply(k.Look)
			} else if readings[i] = m.ApplyPage(k.Look); readings[i].Follow && !k.apart {
				m.Follow(k.Look, k.Fresh, readings[i].News, 0, true)
				readings[i].Follow = false
			}
			if merged++; m.Effects.Reputes || m.CatchesUp() {
				break
			}
		}
	})
	if err != nil {
		return 0, err
	}
	if stale != nil {
		k := looks[merged]
		k.Same, k.Before = false, stale
		l.readPage(k, false)
	}
	return merged, l.finish(ctx, looks[:merged], readings)
}

// finish does what is to be done once looks are stored: it gives hints, and follows the
// links that were not merged with them.
func (l *Ledger) finish(ctx context.Context, looks []*sighted, readings []merge.Reading) error {
	l.hintAnswers(looks)
	for i, k := range looks {
		if k.Parsed && !k.Tagged {
			l.hintPage(k.Look, readings[i])
		}
		if readings[i].Follow {
			if err := l.follow(ctx, k.Look, readings[i].News); err != nil {
				return err
			}
		}
	}
	return l.followEarly(ctx)
}

// follow merges the links of a page that counts, and then notes that the page has been
// read. In this order a crash costs a second reading and no link.
func (l *Ledger) follow(ctx context.Context, k *merge.Look, news merge.Novelty) error {
	fresh, most := l.site.Fresh(k), linksAtOnce
	var open pagerecord.Openness
	for {
		n := min(most, len(fresh))
		left, ok, err := l.followSome(ctx, k, fresh[:n], news, open, n == len(fresh))
		switch {
		case txn.TooMuch(err) && n > 1: // links that displace others need more keys
			most = n / 2
			continue
		case txn.TooMuch(err):
			l.Drop()
			left = open
		case err != nil || !ok:
			return err
		}
		if open, fresh = left, fresh[n:]; len(fresh) == 0 {
			return nil
		}
	}
}

func (l *Ledger) followSome(ctx context.Context, k *merge.Look, links []look.Link, news merge.Novelty, open pagerecord.Openness, last bool) (left pagerecord.Openness, ok bool, err error) {
	keys := l.site.RecordKeys(k.Location)
	for _, ln := range links {
		keys = append(keys, l.site.RecordKeys(ln.Location)...)
	}
	err = l.commit(ctx, keys, func(m *merge.Batch) { left, ok = m.Follow(k, links, news, open, last) })
	return left, ok, err
}

// guess returns the keys that merging the looks at now needs in most cases.
func (l *Ledger) guess(looks []*sighted, now time.Time) (keys []string) {
	for _, k := range looks {
		keys = append(keys, l.site.RecordKeys(k.Location)...)
		if k.Before != nil {
			keys = append(keys, l.site.Guess(k.Look, l.filling, now)...)
		}
		if k.apart {
			continue
		}
		for _, ln := range k.Fresh {
			keys = append(keys, l.site.RecordKeys(ln.Location)...)
		}
	}
	return keys
}
