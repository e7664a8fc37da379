package eligibility

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
)

// Listing is what a rule says about listing the locations it matches.
type Listing uint8

// The listings.
const (
	Unset  Listing = iota // the rule says nothing about it
	Auto                  // decide by evidence, as if there were no shorter rule
	Always                // the owner vouches: a witness is enough
	Never                 // not listed, whatever the evidence
)

// A Rule decides something for the locations that its pattern matches. A zero field decides
// nothing.
type Rule struct {
	Pattern    string
	Listing    Listing
	Query      []string // names of parameters that select another page
	ChangeFreq string   // one of the protocol's seven words
	Priority   float64  // 0.1, 0.2 and so on to 1, or 0 for none

	Section string // the file of the sitemap that lists the pages

	// IgnoreCacheControl says that private and no-store do not forbid listing.
	IgnoreCacheControl bool
}

// Rules is a checked set of rules, longest pattern first. Of equal length, the most cautious is first.
// The zero value matches nothing. Rules is safe for concurrent use.
type Rules []compiled

type compiled struct {
	Rule
	pattern robots.Pattern
}

// NewRules checks rules and returns them as a set. Patterns are those of robots.txt; see
// [robots.Pattern]. An error is a [RuleError].
func NewRules(rules []Rule) (Rules, error) {
	rs := make(Rules, 0, len(rules))
	for i, r := range rules {
		if err := check(r); err != nil {
			return nil, &RuleError{i, r.Pattern, err}
		}
		r.Query = slices.Clone(r.Query)
		// After "?" or "*", an escaped slash may be in a query, where Fold turns it into a slash.
		rs = append(rs, compiled{r, robots.NewPattern(r.Pattern)})
	}
	slices.SortStableFunc(rs, func(a, b compiled) int {
		return cmp.Or(cmp.Compare(b.pattern.Length, a.pattern.Length), cmp.Compare(caution[b.Listing], caution[a.Listing]))
	})
	return rs, nil
}

// RuleError says what is wrong with the rule of an index. If the owner wrote settings that became rules, it names the
// setting in place of the rule.
type RuleError struct {
	Index   int
	Pattern string
	Err     error
}

// Error names the rule by its number, counted from 1, and its pattern.
func (e *RuleError) Error() string {
	return fmt.Sprintf("rule %d: pattern %q: %v", e.Index+1, e.Pattern, e.Err)
}

func check(r Rule) error {
	if err := checkPattern(r.Pattern); err != nil {
		return err
	}
	switch {
	case r.Listing > Never:
		return fmt.Errorf("has the list %d; it must be Auto, Always or Never", r.Listing)
	case !sitemap.ValidFreq(r.ChangeFreq):
		return fmt.Errorf("has the changefreq %q; it must be always, hourly, daily, weekly, monthly, yearly or never",
			r.ChangeFreq)
	case !(r.Priority >= 0 && r.Priority <= 1) || math.Abs(10*r.Priority-tenths(r.Priority)) > 1e-6: // so NaN too
		return fmt.Errorf("has the priority %v; it must be 0.1, 0.2 and so on to 1", r.Priority)
	case len(r.Query) > 0 && strings.Contains(r.Pattern, "?"):
		return errors.New(`has a "?", but a query is for a path only; leave out the "?" and what follows`)
	case r.Section != "" && (!sectionName.MatchString(r.Section) || taken.MatchString(r.Section)):
		return fmt.Errorf(`has the section %q; it must be of small letters, digits, "-" and "_", at most 32, such as "blog", not "news" or "index", and not end in "-" and a number, since parts do`, r.Section)
	case r.Listing == Unset && r.ChangeFreq == "" && r.Priority == 0 && r.Section == "" && len(r.Query) == 0 &&
		!r.IgnoreCacheControl:
		return errors.New("says nothing; say whether to list the pages, their query parameters, to ignore Cache-Control, a " +
			"changefreq, a priority or a section")
	}
	for _, key := range r.Query {
		if err := location.CheckParam(key); err != nil {
			return fmt.Errorf("query: %w", err)
		}
	}
	return nil
}

var (
	sectionName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
	taken       = regexp.MustCompile(`^(?:news|index|\d+|.*-\d+)$`) // names that other files have
)

func checkPattern(p string) error {
	_, host, isURL := strings.Cut(p, "://")
	start, isExpression := strings.CutPrefix(p, "^")
	switch {
	case p == "":
		return errors.New(`is empty; use "/" to match every page`)
	case isURL && p[0] != '/' && p[0] != '*':
		_, path, _ := strings.Cut(host, "/")
		return fmt.Errorf(`is a URL, and a pattern is for the path; write %q`, "/"+path)
	case isExpression && strings.HasPrefix(start, "/"):
		return fmt.Errorf(`is written as a regular expression; write %q`,
			cmp.Or(otherwise(start), anything.ReplaceAllString(start, "")))
	case p[0] != '/' && p[0] != '*':
		return fmt.Errorf(`must begin with "/" or "*"; write %q`, "/"+p)
	case otherwise(p) != "":
		return fmt.Errorf(`is written as for a router or a regular expression, but only "*" stands for any characters, `+
			`and "$" for the end; write %q`, otherwise(p))
	case strings.Contains(strings.TrimSuffix(p, "$"), "$"):
		return errors.New(`"$" may only stand at the end; write "%24" for the character`)
	case strings.Count(p, "*") > 8:
		return errors.New("may have at most 8 stars; leave some out, or write several rules")
	}
	for i, c := range []byte(p) {
		switch {
		case c <= ' ' || c > '~' || strings.IndexByte(robots.NeverRaw, c) >= 0:
			// it would match nothing, and nobody would notice
			return errors.New("must be written as in a URL: percent-encode spaces, non-ASCII characters and any of " +
				robots.NeverRaw)
		case c == '%' && !escape.Is(p[i:]):
			return errors.New(`has a "%" without two hexadecimal digits after it; write "%25" for the character`)
		}
	}
	return nil
}

// otherwise translates a pattern that is written for a router or as a regular expression, and would match nothing
// without anybody's notice. It returns "" for any other pattern.
func otherwise(p string) string {
	path, _, _ := strings.Cut(p, "?") // in a query, brackets are a part of names
	if !notation.MatchString(path) {
		return ""
	}
	path = notation.ReplaceAllString(strings.ReplaceAll(path, "{$}", "$"), "${1}${2}*")
	return stars.ReplaceAllString(path, "*")
}

var (
	// notation matches {slug}, {slug:[a-z]{2,}} and <slug>, /:slug, [a-z]+, (en|de) and (.*), a/.* and a/.+, and \d+.
	notation = regexp.MustCompile(`\{(?:[^{}]|\{[^{}]*\})*\}|<[^<>]*>|(/):\w+|\([^()]*(?:[|\\[]|\.[*+])[^()]*\)[*+?]?|` +
		`\[[^\[\]]*\][*+]?|([^/]/)\.[*+]|\\[dwsDWS][*+]?`)
	stars = regexp.MustCompile(`\*+`)
	// anything matches how an expression says at its end that anything may follow, as it may behind each pattern.
	anything = regexp.MustCompile(`\.[*+]\$?$`)
)

// Match returns the rule that decides on listing location. Among the matching rules that set a
// Listing, the longest pattern wins, as in robots.txt, and among equal lengths the most cautious
// listing. If no rule matches, ok is false and r is zero.
func (rs Rules) Match(location string) (r Rule, ok bool) {
	r = rs.first(location, func(r *Rule) bool { return r.Listing != Unset })
	return r, r.Listing != Unset
}

// caution says which listing wins if two patterns are equally long: the one with the higher number.
var caution = [...]int{Unset: 0, Always: 1, Auto: 2, Never: 3}

// Trusted returns the locations that the owner lists by name: the patterns of Always without
// a star. A pattern without "$" may match more, but it names one.
func (rs Rules) Trusted() (all []string) {
	for _, r := range rs {
		if r.Listing == Always && !strings.Contains(r.Pattern, "*") {
			all = append(all, strings.TrimSuffix(r.Pattern, "$"))
		}
	}
	return all
}

// Freq returns the changefreq of the longest matching pattern that sets one, or "".
func (rs Rules) Freq(location string) string {
	return rs.first(location, func(r *Rule) bool { return r.ChangeFreq != "" }).ChangeFreq
}

// Section returns the section of the longest matching pattern that sets one, or "".
func (rs Rules) Section(location string) string {
	return rs.first(location, func(r *Rule) bool { return r.Section != "" }).Section
}

// Sections returns the sections that the rules name.
func (rs Rules) Sections() (all []string) {
	for _, r := range rs {
		if r.Section != "" && !slices.Contains(all, r.Section) {
			all = append(all, r.Section)
		}
	}
	return all
}

// Priority returns the priority of the longest matching pattern that sets one, in tenths from 1 to
// 10, or 0.
func (rs Rules) Priority(location string) uint8 {
	return uint8(tenths(rs.first(location, func(r *Rule) bool { return r.Priority != 0 }).Priority))
}

func tenths(priority float64) float64 { return math.Round(10 * priority) }

// IgnoreCacheControl reports whether a rule says that private and no-store do not forbid listing
// location.
func (rs Rules) IgnoreCacheControl(location string) bool {
	return rs.first(location, func(r *Rule) bool { return r.IgnoreCacheControl }).IgnoreCacheControl
}

// Query returns the parameters that the rules matching path allow. path is a location without
// query. The caller must not change the result.
func (rs Rules) Query(path string) (keys []string) {
	says := func(r *Rule) bool { return len(r.Query) > 0 }
	for i := rs.next(0, path, says); i < len(rs); i = rs.next(i+1, path, says) {
		if keys == nil {
			keys = slices.Clip(rs[i].Query) // mostly this is all, and it allocates nothing
		} else {
			keys = append(keys, rs[i].Query...)
		}
	}
	return keys
}

// Naming returns the pattern of the first rule whose Query names one of these parameters, for any page. It returns ""
// if none does.
func (rs Rules) Naming(params []string) string {
	for _, r := range rs {
		if slices.ContainsFunc(params, func(name string) bool { return slices.Contains(r.Query, name) }) {
			return r.Pattern
		}
	}
	return ""
}

// first returns the first rule that matches location and for which says is true, the zero Rule if there is none.
func (rs Rules) first(location string, says func(*Rule) bool) (r Rule) {
	if i := rs.next(0, location, says); i < len(rs) {
		r = rs[i].Rule
	}
	return r
}

// next returns the index of the first rule, from i on, that matches location and for which says is
// true; len(rs) if there is none.
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
