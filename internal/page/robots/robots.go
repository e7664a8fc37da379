// Package robots reads a site's robots.txt and says which locations all crawlers may fetch (RFC
// 9309). Only the groups for "*" count, but for the explorer, which has a name.
//
// If a file can be read in two ways, the package chooses the one that disallows more. It must never
// allow what the owner may have wanted to forbid. A page that is missing from the sitemap does less
// harm.
package robots

import (
	"cmp"
	"crypto/sha256"
	"slices"
)

// Rules are what a robots.txt says to all crawlers. A nil *Rules allows everything. Rules never
// change and are safe for concurrent use.
type Rules struct {
	rules []rule // in order of precedence
	text  []byte
	sum   Sum
}

// Sum stands for the text of some rules. That of nil rules is zero.
type Sum [sha256.Size]byte

// Unread returns rules for a text that could not be read, with the sum of that text. They disallow everything, and
// equal the rules that have the sum.
func Unread(sum Sum) *Rules {
	return &Rules{rules: []rule{{NewPattern("/"), "Disallow: /"}}, sum: sum}
}

// rule is one allow or disallow line.
type rule struct {
	Pattern
	line string // the line that disallows, "" if the rule allows
}

// newRules returns nil if no rule disallows anything. text holds the lines of the rules.
func newRules(rules []rule, text []byte) *Rules {
	if !slices.ContainsFunc(rules, func(r rule) bool { return r.line != "" }) {
		return nil
	}
	slices.SortStableFunc(rules, precedence)
	return &Rules{rules, text, sha256.Sum256(text)}
}

// precedence orders rules that match the same location. The longer pattern comes first. If both are
// equally long, allow comes first (RFC 9309, section 2.2.2).
func precedence(a, b rule) int {
	switch {
	case a.Length != b.Length || (a.line == "") == (b.line == ""):
		return cmp.Compare(b.Length, a.Length)
	case a.line == "":
		return -1
	}
	return 1
}

// Allows reports whether crawlers may fetch a location: a path with its query, in the normal form
// of package location. robots.txt itself is always allowed (RFC 9309, section 2.2.2).
func (r *Rules) Allows(location string) bool { return r.Disallows(location) == "" }

// Disallows returns the line for which crawlers may not fetch a location, "" if they may.
func (r *Rules) Disallows(location string) (line string) {
	if r == nil || location == "/robots.txt" {
		return ""
	}
	location = Fold(location)
	for i := range r.rules {
		if rule := &r.rules[i]; rule.Matches(location) {
			return rule.line
		}
	}
	return ""
}

// Text returns the rules as a robots.txt, which [Parse] reads as the same rules. It contains
// nothing else of the file, and is empty if nothing is disallowed. The caller must not change it.
func (r *Rules) Text() []byte {
	if r == nil {
		return nil
	}
	return r.text
}

// Sum returns the sum of the rules, which tells them from others without their text.
func (r *Rules) Sum() (s Sum) {
	if r != nil {
		s = r.sum
	}
	return s
}

// Equal reports whether both have the same rules in the same words.
func (r *Rules) Equal(other *Rules) bool { return r.Sum() == other.Sum() }
