package ledger

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/texts"
)

// kind says why a page may not be listed although the site links to it.
type kind uint8

const (
	ordinary kind = iota // it may
	byQuery              // only its own canonical would vouch for its query
	byToken              // its location looks like a secret
)

const (
	// censusMost is how many pages that the site links to are counted: so many
	// tell what the site is like.
	censusMost = 1000
	// censusLeast is how many pages of a kind, which must be most of all, must
	// have been got and not be listed for that, before it is told. They must also
	// be more than are listed.
	censusLeast = 10
	// paramsKept is how many parameters are counted, paramsTold how many told.
	paramsKept, paramsTold = 64, 5
)

// census counts the pages that the site links to by their kind, and the
// parameters of those whose query is not allowed. What only a visitor speaks of
// is not counted, so no visitor chooses what is told. It belongs to the worker.
type census struct {
	kinds  map[uint64]kind // by the id of the location
	of     [byToken + 1]int
	kept   map[uint64]bool // those that were got, and are not listed for their kind
	params map[string]int
}

// note counts a page of that kind, in place of what it was taken for before.
func (c *census) note(id uint64, k kind) {
	if c.kinds == nil {
		c.kinds, c.kept, c.params = map[uint64]kind{}, map[uint64]bool{}, map[string]int{}
	}
	before, known := c.kinds[id]
	switch {
	case known:
		c.of[before]--
	case len(c.kinds) == censusMost:
		return
	}
	c.kinds[id] = k
	c.of[k]++
}

// keep notes that a page was got, and is not listed for its kind, and reports
// whether that is so of more than are listed, and most are of that kind. params are
// those of its query that are not allowed.
func (c *census) keep(id uint64, k kind, params []string, listed int) bool {
	if c.note(id, k); c.kinds[id] != k {
		return false
	}
	for _, p := range params {
		if _, has := c.params[p]; !c.kept[id] && (has || len(c.params) < paramsKept) && plainParam(p) {
			c.params[p]++
		}
	}
	c.kept[id] = true
	n := 0
	for id := range c.kept {
		if c.kinds[id] == k {
			n++
		}
	}
	return n >= censusLeast && n > listed && 2*c.of[k] > len(c.kinds)
}

// told says which parameters most pages have.
func (c *census) told() string {
	names := slices.SortedFunc(maps.Keys(c.params), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.params[b], c.params[a]), cmp.Compare(a, b))
	})
	if len(names) == 0 {
		return "The names of their parameters look like somebody's, and are not told here."
	}
	return "Most have: " + strings.Join(names[:min(len(names), paramsTold)], ", ") + "."
}

// plainParam reports whether the name of a parameter is a word, and no identifier
// that could be somebody's.
func plainParam(name string) bool {
	digits := 0
	for _, c := range []byte(name) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return len(name) <= 24 && digits <= 2 && !capability.Looks("/"+name)
}

// kindOf returns of what kind a page is by its location.
func (l *Ledger) kindOf(location string) kind {
	switch {
	case l.site.ForeignQuery(location):
		return byQuery
	case admit.WordOf(location, false) == admit.Secret:
		return byToken
	}
	return ordinary
}

// countLinks counts the pages that a listed page links to.
func (l *Ledger) countLinks(k *merge.Look) {
	for _, ln := range k.Fresh {
		if len(l.owner.census.kinds) == censusMost {
			return
		}
		id := l.site.ID(ln.Location)
		if _, known := l.owner.census.kinds[id]; !known {
			l.owner.census.note(id, l.kindOf(ln.Location))
		}
	}
}

// hintLinked gives the hints that a page gives rise to which the site links to.
func (l *Ledger) hintLinked(k *merge.Look, s pagerecord.Standing) {
	id := l.site.ID(k.Location)
	switch {
	case s.Reason == admit.QueryNotCanonical && k.Nameless:
		if l.owner.census.keep(id, byQuery, l.cfg.Normalizer.Foreign(k.Location), l.tally.listed()) {
			l.cfg.Hints.Tell(hint.Query, l.owner.census.told())
		}
	case s.Verdict == admit.Held && s.Reason == admit.Capability:
		if l.owner.census.keep(id, byToken, nil, l.tally.listed()) {
			l.cfg.Hints.Give(hint.Tokens)
		}
	default:
		l.owner.census.note(id, ordinary)
	}
}

const (
	// fewPages is how many pages must be known before it is told that few are
	// listed, fewShare of how many at most one is, and fewFor how long that must
	// have been so: a new site is learned in less.
	fewPages = 20
	fewShare = 5
	fewFor   = 5 * time.Minute
)

// few remembers since when hardly any page that was seen is listed. It belongs to
// the worker.
type few struct {
	since time.Time // zero while more are
	told  bool
}

func (l *Ledger) fewDue(time.Time) time.Time {
	if l.owner.few.told || l.owner.few.since.IsZero() {
		return time.Time{}
	}
	return l.owner.few.since.Add(fewFor)
}

// hintFew gives a hint when hardly any page that was seen is listed for some
// time.
func (l *Ledger) hintFew(context.Context, bool) error {
	now := time.Now()
	o := l.tally.outcome()
	l.starved.Store(o.unseen >= fewPages && fewShare*o.listed <= o.unseen)
	switch {
	case l.owner.few.told:
	case o.seen < fewPages || fewShare*o.listed > o.seen:
		l.owner.few.since = time.Time{}
	case l.owner.few.since.IsZero():
		l.owner.few.since = now
	case now.Sub(l.owner.few.since) >= fewFor:
		cause, todo := texts.Most(o.most)
		l.cfg.Hints.Tell(hint.Few, fmt.Sprintf("%d were seen and %d at most are listed, mostly since %s; %s.", o.seen, o.listed, cause, todo))
		l.owner.few.told = true
	}
	return nil
}

// Starved reports whether hardly any of the pages that the site links to was got
// by anonymous visitors. It may be called concurrently.
func (l *Ledger) Starved() bool { return l.starved.Load() }
