package admit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/escape"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/robots"
	"github.com/servemap/servemap/internal/sitemap"
)

// Listing is what a rule says of the locations it matches.
type Listing uint8

// The listings.
const (
	Unset  Listing = iota // the rule says nothing of it
	Auto                  // decide by evidence, as if there were no shorter rule
	Always                // the owner vouches: a witness is enough
	Never                 // not listed, whatever the evidence
)

// A Rule decides something for the locations that its pattern matches. A field
// that is zero decides nothing.
type Rule struct {
	Pattern    string
	Listing    Listing
	Query      []string // parameters that make a page of its own
	ChangeFreq string   // one of the protocol's seven words
	Priority   float64  // above 0 and at most 1

	// IgnoreCacheControl makes private and no-store count for nothing.
	IgnoreCacheControl bool
}

// Rules is a checked set of rules, the longest patterns first, and those of one
// length as they were given. The zero value matches nothing. It is safe for
// concurrent use.
type Rules []compiled

type compiled struct {
	Rule
	pattern robots.Pattern
}

// NewRules checks rules and returns them as a set. Patterns are those of
// robots.txt; see [robots.Pattern]. An error names the rule by its number, from 1,
// and its pattern.
func NewRules(rules []Rule) (Rules, error) {
	rs := make(Rules, 0, len(rules))
	for i, r := range rules {
		if err := check(r); err != nil {
			return nil, fmt.Errorf("rule %d: pattern %q: %w", i+1, r.Pattern, err)
		}
		r.Query = slices.Clone(r.Query)
		// An escaped slash behind "?" or "*" may be in a query, where Fold makes it a slash.
		narrow := !strings.ContainsAny(r.Pattern, "?*")
		rs = append(rs, compiled{r, robots.NewPattern(r.Pattern, narrow)})
	}
	slices.SortStableFunc(rs, func(a, b compiled) int { return cmp.Compare(b.pattern.Length, a.pattern.Length) })
	return rs, nil
}

func check(r Rule) error {
	if err := checkPattern(r.Pattern); err != nil {
		return err
	}
	switch {
	case r.Listing > Never:
		return fmt.Errorf("listing %d is none of Auto, Always and Never", r.Listing)
	case !sitemap.ValidFreq(r.ChangeFreq):
		return fmt.Errorf("ChangeFreq is %q; it must be always, hourly, daily, weekly, monthly, yearly or never", r.ChangeFreq)
	case math.IsNaN(r.Priority) || r.Priority < 0 || r.Priority > 1:
		return fmt.Errorf("Priority is %v; it must be above 0 and at most 1", r.Priority)
	case len(r.Query) > 0 && strings.Contains(r.Pattern, "?"):
		return errors.New(`has a "?", but Query goes by the path alone; leave out what begins there`)
	case r.Listing == Unset && r.ChangeFreq == "" && r.Priority == 0 && len(r.Query) == 0 && !r.IgnoreCacheControl:
		return errors.New("says nothing; set List, Query, IgnoreCacheControl, ChangeFreq or Priority")
	}
	for _, key := range r.Query {
		if err := location.CheckParam(key); err != nil {
			return fmt.Errorf("Query: %w", err)
		}
	}
	return nil
}

func checkPattern(p string) error {
	switch {
	case p == "":
		return errors.New(`is empty; use "/" to match every page`)
	case p[0] != '/' && p[0] != '*':
		return errors.New(`must begin with "/" or "*"`)
	case strings.Contains(strings.TrimSuffix(p, "$"), "$"):
		return errors.New(`"$" may only stand at the end; write "%24" for the character`)
	case strings.Count(p, "*") > 8:
		return errors.New("has more than 8 stars")
	}
	for i, c := range []byte(p) {
		switch {
		case c <= ' ' || c > '~' || strings.IndexByte(robots.NeverRaw, c) >= 0: // it would match nothing, and nobody would notice
			return errors.New("must be written as in a URL: percent-encode spaces, non-ASCII characters and any of " + robots.NeverRaw)
		case c == '%' && !escape.Is(p[i:]):
			return errors.New(`has a "%" without two hexadecimal digits after it; write "%25" for the character`)
		}
	}
	return nil
}

// Match returns the rule that decides on the listing of location: of the matching
// rules that set a Listing the one with the longest pattern, as in robots.txt, and
// among patterns of one length the most cautious one. If there is none, ok is
// false and the rule zero.
func (rs Rules) Match(location string) (r Rule, ok bool) {
	says := func(r *Rule) bool { return r.Listing != Unset }
	best := rs.next(0, location, says)
	if best == len(rs) {
		return Rule{}, false
	}
	for i := rs.next(best+1, location, says); i < len(rs) && rs[i].pattern.Length == rs[best].pattern.Length; i = rs.next(i+1, location, says) {
		if caution[rs[i].Listing] > caution[rs[best].Listing] {
			best = i
		}
	}
	return rs[best].Rule, true
}

// caution orders the listings of rules with patterns of one length.
var caution = [...]int{Always: 0, Auto: 1, Never: 2}

// Locations returns the locations that rules list or bar one by one: those of
// patterns without stars that end in "$".
func (rs Rules) Locations() []string {
	var named []string
	for _, r := range rs {
		if location, ok := r.pattern.Only(); ok && r.Listing != Unset {
			named = append(named, location)
		}
	}
	return named
}

// Freq returns the changefreq of the longest matching pattern that sets one, the
// first of several with one length; "" if none does.
func (rs Rules) Freq(location string) string {
	if i := rs.next(0, location, func(r *Rule) bool { return r.ChangeFreq != "" }); i < len(rs) {
		return rs[i].ChangeFreq
	}
	return ""
}

// Priority returns the priority of the longest matching pattern that sets one, the
// first of several with one length, in tenths from 1 to 10; 0 if none does.
func (rs Rules) Priority(location string) uint8 {
	if i := rs.next(0, location, func(r *Rule) bool { return r.Priority != 0 }); i < len(rs) {
		return uint8(max(1, math.Round(10*rs[i].Priority)))
	}
	return 0
}

// IgnoreCacheControl reports whether a rule says that private and no-store mean
// nothing for the page at location.
func (rs Rules) IgnoreCacheControl(location string) bool {
	return rs.next(0, location, func(r *Rule) bool { return r.IgnoreCacheControl }) < len(rs)
}

// Query returns the parameters that any matching rule allows below path, a
// location without query. The caller must not change them.
func (rs Rules) Query(path string) (keys []string) {
	says := func(r *Rule) bool { return len(r.Query) > 0 }
	for i := rs.next(0, path, says); i < len(rs); i = rs.next(i+1, path, says) {
		if keys == nil {
			keys = slices.Clip(rs[i].Query) // mostly that is all, and costs no allocation
		} else {
			keys = append(keys, rs[i].Query...)
		}
	}
	return keys
}

// next returns the index of the first rule, from i on, that sets an aspect and
// matches location; len(rs) if none does.
func (rs Rules) next(i int, location string, says func(*Rule) bool) int {
	if i < len(rs) {
		location = robots.Fold(location)
	}
	for ; i < len(rs); i++ {
		if says(&rs[i].Rule) && rs[i].pattern.Matches(location) {
			break
		}
	}
	return i
}
