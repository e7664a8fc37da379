package survey

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/merge"
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
// is not counted, so no visitor chooses what is told.
type census struct {
	pages  map[uint64]counted // by the ID of the location
	params map[string]int
}

// counted is a page of the census.
type counted struct {
	kind kind
	kept bool // it was got, and is not listed for its kind
}

// full reports whether no further page is counted.
func (c *census) full() bool { return len(c.pages) == censusMost }

// note counts a page as of that kind, in place of what it was taken for before.
func (c *census) note(id uint64, k kind) {
	if c.pages == nil {
		c.pages, c.params = map[uint64]counted{}, map[string]int{}
	}
	if before, known := c.pages[id]; known || !c.full() {
		c.pages[id] = counted{k, before.kept}
	}
}

// keep notes that a page was got, and is not listed for its kind, and reports
// whether that is so of more than are listed, and most are of that kind. params are
// those of its query that are not allowed.
func (c *census) keep(id uint64, k kind, params []string, listed int) bool {
	c.note(id, k)
	page := c.pages[id]
	if page.kind != k {
		return false
	}
	for _, p := range params {
		if _, has := c.params[p]; !page.kept && (has || len(c.params) < paramsKept) && plainParam(p) {
			c.params[p]++
		}
	}
	c.pages[id] = counted{k, true}
	like, kept := 0, 0
	for _, p := range c.pages {
		if p.kind == k {
			like++
			if p.kept {
				kept++
			}
		}
	}
	return kept >= censusLeast && kept > listed && 2*like > len(c.pages)
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
func (s *Survey) kindOf(location string) kind {
	switch {
	case s.site.ForeignQuery(location):
		return byQuery
	case admit.WordOf(location, false) == admit.Secret:
		return byToken
	}
	return ordinary
}

// countLinks counts the pages that a listed page links to.
func (s *Survey) countLinks(k *merge.Look) {
	for _, ln := range k.Fresh {
		if s.census.full() {
			return
		}
		id := s.site.ID(ln.Location)
		if _, known := s.census.pages[id]; !known {
			s.census.note(id, s.kindOf(ln.Location))
		}
	}
}

// hintLinked gives the hints that a page gives rise to which the site links to.
func (s *Survey) hintLinked(k *merge.Look, is merge.Standing) {
	id := s.site.ID(k.Location)
	switch {
	case is.Reason == admit.QueryNotCanonical && k.Nameless:
		if s.census.keep(id, byQuery, s.site.Normalizer.Foreign(k.Location), s.Listed()) {
			s.hints.Tell(hint.Query, s.census.told())
		}
	case is.Verdict == admit.Held && is.Reason == admit.Capability:
		if s.census.keep(id, byToken, nil, s.Listed()) {
			s.hints.Give(hint.Tokens)
		}
	default:
		s.census.note(id, ordinary)
	}
}
