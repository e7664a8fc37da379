// Package robots reads a site's robots.txt and says which locations every
// crawler may fetch (RFC 9309). Only the groups for "*" count.
//
// Where a file can be read in two ways, the package takes the one that
// disallows more. It must never allow what the owner may have meant to keep
// out: a page that is missing from the sitemap does less harm.
package robots

import (
	"cmp"
	"slices"
	"strings"
)

// Rules are what a robots.txt says to all crawlers. A nil *Rules allows
// everything. Rules never change and are safe for concurrent use.
type Rules struct {
	rules []rule // those that take precedence first
	text  string
}

// newRules takes rules in any order. It returns nil if none of them disallows
// anything.
func newRules(rules []rule) *Rules {
	if !slices.ContainsFunc(rules, func(r rule) bool { return !r.allow }) {
		return nil
	}
	slices.SortFunc(rules, func(a, b rule) int {
		return cmp.Or(precedence(&a, &b), cmp.Compare(a.text, b.text))
	})
	rules = slices.CompactFunc(rules, func(a, b rule) bool { return a.text == b.text })
	var text strings.Builder
	text.WriteString(header)
	for i := range rules {
		text.WriteString(rules[i].text)
		text.WriteByte('\n')
	}
	return &Rules{rules, text.String()}
}

// precedence orders rules that match the same location: the longer pattern
// comes first, and allow before disallow where they are equally long (RFC 9309,
// section 2.2.2).
func precedence(a, b *rule) int {
	switch {
	case a.octets != b.octets:
		return b.octets - a.octets
	case a.allow == b.allow:
		return 0
	case a.allow:
		return -1
	}
	return 1
}

// Allows reports whether crawlers may fetch a location: a path with its query,
// in the normal form of package location. robots.txt itself is always allowed
// (RFC 9309, section 2.2.2).
func (r *Rules) Allows(location string) bool {
	if r == nil || location == "/robots.txt" {
		return true
	}
	location = fold(location)
	set := setOf(location)
	for i := range r.rules {
		if rule := &r.rules[i]; rule.needs.within(set) && rule.matches(location) {
			return rule.allow
		}
	}
	return true
}

// Text returns the rules as a robots.txt that [Parse] reads as the same rules.
// It holds nothing else, equal rules in any order give equal bytes, and it is
// empty if nothing is disallowed.
func (r *Rules) Text() []byte {
	if r == nil {
		return nil
	}
	return []byte(r.text)
}
