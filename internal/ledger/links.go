package ledger

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/txn"
)

// linksAtOnce is how many links one transaction merges. Each may need the
// records of a page, of its part and of its kin.
const linksAtOnce = 100

// link is a link to another location of the site.
type link struct {
	location string
	main     bool // in the page's main content
}

// openness says what another reading of a page's unchanged bytes may bring. The
// numbers are stored.
type openness uint8

const (
	settled  openness = iota // nothing
	unseen                   // in a day: some of what it links to has never been got
	unproven                 // in a day, or from another network: a link may prove to be no visitor's own
)

const (
	// shownAfter is how far apart looks must be for a link that both saw to be
	// taken as shown to everybody.
	shownAfter = 24 * time.Hour
	// unseenFor is how long after the first link a location may still turn out
	// to need more; later, nobody will ask for it.
	unseenFor = 48 * time.Hour
)

// reopens reports whether the page is to be read again though k shows the same
// bytes as the last look: for what is open, and now and then in any case, since
// what is known of the locations it links to is not kept for ever.
func (l *Ledger) reopens(k *look, s *state) bool {
	age := k.At.Sub(time.Unix(s.readAt, 0))
	switch s.open {
	case settled:
		return age >= l.cfg.KeepFor/2
	case unproven:
		if k.net() != 0 && k.net() != s.readNet {
			return true
		}
	}
	return age >= shownAfter
}

// point notes that a look saw a listed page lead to the location, and reports
// whether that is news. A link that looks a day apart, or from two networks,
// saw is shown to everybody.
func (s *state) point(k *look) bool {
	at, net := k.At.Unix(), k.net()
	switch {
	case s.shown || s.public():
		return false
	case s.linkAt == 0:
		s.linkAt, s.linkNet = at, net
	case s.linkNet == 0 && net != 0 && at-s.linkAt < int64(shownAfter.Seconds()):
		s.linkNet = net
	case at-s.linkAt >= int64(shownAfter.Seconds()), s.linkNet != 0 && net != 0 && s.linkNet != net:
		s.shown = true
	default:
		return false
	}
	return true
}

// passes reports whether a link that one look saw would be enough for a location
// that says so much.
func (s *state) passes(word admit.Word) bool {
	return word != admit.Secret && (word != admit.Risky || s.unprompted)
}

// unfollowed returns the links of a page that are to be merged, should they count.
func (l *Ledger) unfollowed(k *look) []link {
	fresh := make([]link, 0, len(k.links))
	for _, ln := range k.links {
		if ln.location != k.Location && (k.again || !l.followed.has(l.linkKey(k, ln.location))) {
			fresh = append(fresh, ln)
		}
	}
	return fresh
}

// follow merges the links of a page that counts, and then notes that the page
// has been read. In this order a crash costs a second reading and no link.
func (l *Ledger) follow(ctx context.Context, k *look, news novelty) error {
	fresh, open, most := l.unfollowed(k), settled, linksAtOnce
	for {
		n := min(most, len(fresh))
		states, err := l.followSome(ctx, k, fresh[:n], n == len(fresh), news, open)
		switch {
		case txn.TooMuch(err) && n > 1: // links that displace others need more keys
			most = n / 2
			continue
		case txn.TooMuch(err):
			l.Drop()
			states = make([]openness, n)
		case err != nil || states == nil:
			return err
		}
		for i, ln := range fresh[:n] {
			if open = max(open, states[i]); states[i] == settled {
				l.followed.add(l.linkKey(k, ln.location))
			}
		}
		if fresh = fresh[n:]; len(fresh) == 0 {
			return nil
		}
	}
}

// followSome merges some of the links, unless the page is no longer one whose
// links count; then it returns nil. before is what the links merged before
// leave open.
func (l *Ledger) followSome(ctx context.Context, k *look, links []link, last bool, news novelty, before openness) (states []openness, err error) {
	first := []string{l.keys.Page(k.Location), l.wait(k.Location)}
	for _, ln := range links {
		first = append(first, l.keys.Page(ln.location), l.wait(ln.location))
	}
	err = l.commit(ctx, first, func(m *merge) {
		states = nil
		if from, _ := m.load(k.Location); !l.leads(k.Location, from) {
			return
		}
		var open openness
		states, open = m.follow(k, links, news, before)
		if last && k.hash != 0 { // else it is still to be read for what it says besides
			m.followedAll(k, open)
		}
	})
	return states, err
}

// followNow merges the links of a page that counts in the transaction that merges
// the page, unless they are too many. followed is what the links merged before it
// leave settled.
func (m *merge) followNow(k *look, r *reading, followed map[uint64]bool) {
	if !r.follow || k.apart {
		return
	}
	r.follow = false
	links := slices.DeleteFunc(slices.Clone(k.fresh), func(ln link) bool {
		key := m.l.linkKey(k, ln.location)
		return !k.again && (followed[key] || m.l.followed.has(key))
	})
	states, open := m.follow(k, links, r.news, settled)
	for i, ln := range links {
		if states[i] == settled {
			followed[m.l.linkKey(k, ln.location)] = true
		}
	}
	m.followedAll(k, open)
}

// follow merges links of a page that counts, and returns what each leaves open,
// and what all do with those merged before.
func (m *merge) follow(k *look, links []link, news novelty, before openness) (states []openness, open openness) {
	states, open = make([]openness, len(links)), before
	var unheard []string
	for i, ln := range links {
		isNew := false
		if states[i], isNew = m.linked(k, ln, news); isNew {
			unheard = append(unheard, ln.location)
		}
		open = max(open, states[i])
	}
	if news == maybeNews && len(unheard) > 0 {
		m.await(k, unheard)
	}
	return states, open
}

// followedAll notes that a page has been read, and its links merged.
func (m *merge) followedAll(k *look, open openness) {
	from, _ := m.load(k.Location) // which a page it links to may have outranked
	if from.bodyHash != k.hash || !m.l.leads(k.Location, from) {
		return
	}
	from.read, from.open, from.readAt, from.readNet = true, open, k.At.Unix(), 0
	if open != settled {
		from.readNet = k.net()
	}
	m.save(k.Location, from)
}

// leads reports whether what the page links to is public: any visitor finds
// it. An archive that asks not to be listed itself still leads to its pages,
// and an entry leads on whatever it says of itself.
func (l *Ledger) leads(location string, s *state) bool {
	switch {
	case s.noFollow:
		return false
	case s.listed():
		return true
	case s.verdict != admit.Excluded || s.barred:
		return false
	}
	entry := s.hop > 0 || l.entries[location]
	if s.reason == admit.RuleNever || s.reason == admit.Disallowed {
		return false
	}
	return s.content == admit.NoIndex && (s.link || entry) || s.content == admit.CanonicalElsewhere && entry
}

// linked notes that a page leads to a location, and returns what that leaves
// open, and whether the page has news and nobody knew of the location before; it
// must then be a new one, if they are.
func (m *merge) linked(k *look, ln link, news novelty) (open openness, isNew bool) {
	to, known := m.load(ln.location)
	if k.echo.repeats(ln.location) {
		if to.public() || to.shown || to.link && to.passes(admit.WordOf(ln.location, to.variable)) {
			return settled, false // it needs no other link
		}
		return unproven, false
	}
	isNew = news != noNews && ln.main && !known
	changed := m.point(k, ln.location, to)
	changed = m.l.countLink(k, to) || changed
	if !to.link {
		to.link, changed = true, true
		if isNew && news == sureNews {
			to.dates.Announce()
		}
		if m.isEarly(ln.location) {
			m.effects.due = append(m.effects.due, ln.location)
		}
	}
	if changed {
		m.save(ln.location, to)
	}
	if !to.witnessed {
		m.effects.due = append(m.effects.due, ln.location)
	}
	return to.leavesOpen(ln.location, k.At), isNew
}

// leavesOpen returns what a location leaves open of a page that links to it.
func (s *state) leavesOpen(location string, now time.Time) openness {
	switch {
	case s.public():
		return settled
	case s.reason == admit.Capability, s.reason == admit.RiskyWord:
		return unproven
	case !s.witnessed && !s.shown && !s.passes(admit.WordOf(location, s.variable)):
		return unproven
	case !s.witnessed && now.Unix()-s.linkAt < int64(unseenFor.Seconds()):
		return unseen
	}
	return settled
}

// memory of followed links: a menu repeats the same links on every page, and
// each costs two reads of the store.
const followedLinks = 1 << 15

// followed remembers, of the links merged last, that they were. It belongs to
// one goroutine. The zero value is empty.
type followed struct{ slots [followedLinks]uint64 }

func (f *followed) has(link uint64) bool { return f.slots[link%followedLinks] == link }

func (f *followed) add(link uint64) { f.slots[link%followedLinks] = link }

// forget drops everything, for when the store may have lost what was merged.
func (f *followed) forget() { f.slots = [followedLinks]uint64{} }
