package admit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/escape"
	"github.com/servemap/servemap/internal/location"
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

// compiled is a rule whose pattern is split at its stars, and spelled as
// locations are.
type compiled struct {
	Rule
	pieces   []string
	anchored bool
	length   int // of the pattern as it is spelled here
}

// NewRules checks rules and returns them as a set. Patterns are those of
// robots.txt (RFC 9309, section 2.2.3): a prefix of the location, in which "*"
// stands for any characters and a final "$" for the end. As there, an escape
// matches however it is spelled, and "%2A" and "%24" match the characters. An
// error names the rule by its number, from 1, and its pattern.
func NewRules(rules []Rule) (Rules, error) {
	rs := make(Rules, 0, len(rules))
	for i, r := range rules {
		if err := check(r); err != nil {
			return nil, fmt.Errorf("rule %d: pattern %q: %w", i+1, r.Pattern, err)
		}
		rs = append(rs, compile(r))
	}
	slices.SortStableFunc(rs, func(a, b compiled) int { return cmp.Compare(b.length, a.length) })
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
		case c <= ' ' || c > '~' || strings.IndexByte(neverRaw, c) >= 0:
			return errors.New("must be written as in a URL: percent-encode spaces, non-ASCII characters and any of " + neverRaw)
		case c == '%' && !escape.Is(p[i:]):
			return errors.New(`has a "%" without two hexadecimal digits after it; write "%25" for the character`)
		}
	}
	return nil
}

// neverRaw are the characters that are always escaped in a location. A pattern
// with one of them would match nothing, and nobody would notice.
const neverRaw = "\"#<>\\^`{|}"

func compile(r Rule) compiled {
	c := compiled{Rule: r}
	c.Query = slices.Clone(r.Query)
	var text string
	text, c.anchored = strings.CutSuffix(r.Pattern, "$")
	c.pieces = strings.Split(text, "*")
	c.length = len(c.pieces) - 1
	if c.anchored {
		c.length++
	}
	for i, piece := range c.pieces {
		c.pieces[i] = respell(piece)
		c.length += len(c.pieces[i])
	}
	return c
}

// respell undoes the escapes of characters that need none (RFC 3986, section 2.3)
// and of "*" and "$", and writes the others in upper case.
func respell(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !escape.Is(s[i:]) {
			out = append(out, s[i])
			continue
		}
		c, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if strings.IndexByte(spelledOut, byte(c)) >= 0 {
			out = append(out, byte(c))
		} else {
			out = append(out, strings.ToUpper(s[i:i+3])...)
		}
		i += 2
	}
	return string(out)
}

const spelledOut = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*$"

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
	for i := rs.next(best+1, location, says); i < len(rs) && rs[i].length == rs[best].length; i = rs.next(i+1, location, says) {
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
		if r.Listing != Unset && r.anchored && len(r.pieces) == 1 && strings.HasPrefix(r.pieces[0], "/") {
			named = append(named, r.pieces[0])
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
		location = spell(location)
	}
	for ; i < len(rs); i++ {
		if says(&rs[i].Rule) && rs[i].matches(location) {
			break
		}
	}
	return i
}

// spell returns a location in the spelling of patterns. It is in normal form,
// which differs only in the two characters that robots.txt escapes.
func spell(location string) string {
	if strings.Contains(location, "%2A") || strings.Contains(location, "%24") {
		return respell(location)
	}
	return location
}

// matches goes greedily from the left, which is exact for patterns whose only
// wildcard is "*". It takes time linear in each starred piece.
func (c *compiled) matches(location string) bool {
	rest, ok := strings.CutPrefix(location, c.pieces[0])
	if !ok {
		return false
	}
	if len(c.pieces) == 1 {
		return !c.anchored || rest == ""
	}
	last := c.pieces[len(c.pieces)-1]
	for _, piece := range c.pieces[1 : len(c.pieces)-1] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	if c.anchored {
		return strings.HasSuffix(rest, last)
	}
	return strings.Contains(rest, last)
}
