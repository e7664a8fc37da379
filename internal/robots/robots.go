// Package robots reads a site's robots.txt and says which locations every
// crawler may fetch (RFC 9309). Only the groups for "*" count.
//
// Where a file can be read in two ways, the package takes the one that
// disallows more. It must never allow what the owner may have meant to keep
// out: a page that is missing from the sitemap does less harm.
package robots

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Rules are what a robots.txt says to all crawlers. A nil *Rules allows
// everything. Rules never change and are safe for concurrent use.
type Rules struct {
	nodes []node
	text  string
}

// node holds the rules whose patterns begin with the same literal text, the
// ones that take precedence first.
type node struct {
	head   string
	parent int // of the longest other head that this one begins with; -1 if there is none
	rules  []rule
}

// newRules indexes rules that may be in any order. It returns nil if none of
// them disallows anything.
func newRules(rules []rule) *Rules {
	if !slices.ContainsFunc(rules, func(r rule) bool { return !r.allow }) {
		return nil
	}
	slices.SortFunc(rules, func(a, b rule) int {
		return cmp.Or(cmp.Compare(a.head, b.head), precedence(&a, &b), cmp.Compare(a.text, b.text))
	})
	rules = slices.CompactFunc(rules, func(a, b rule) bool { return a.text == b.text && a.allow == b.allow })
	rs := &Rules{text: write(rules)}
	for len(rules) > 0 {
		head := rules[0].head
		n := slices.IndexFunc(rules, func(r rule) bool { return r.head != head })
		if n < 0 {
			n = len(rules)
		}
		parent := len(rs.nodes) - 1
		for parent >= 0 && !strings.HasPrefix(head, rs.nodes[parent].head) {
			parent = rs.nodes[parent].parent
		}
		rs.nodes = append(rs.nodes, node{head, parent, rules[:n]})
		rules = rules[n:]
	}
	return rs
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
	// Heads are sorted, so every head that location begins with is the last one
	// before location or one of its parents.
	i, found := slices.BinarySearchFunc(r.nodes, location, func(n node, location string) int {
		return cmp.Compare(n.head, location)
	})
	if !found {
		i--
	}
	var best *rule
	for ; i >= 0; i = r.nodes[i].parent {
		if rest, ok := strings.CutPrefix(location, r.nodes[i].head); ok {
			best = r.nodes[i].better(best, rest, set)
		}
	}
	return best == nil || best.allow
}

// better returns the rule that takes precedence among best, if that is not nil,
// and those of n that match. rest is what follows the head in the location, and
// set the bytes of the location.
func (n *node) better(best *rule, rest string, set byteSet) *rule {
	for i := range n.rules {
		r := &n.rules[i]
		if best != nil && precedence(best, r) <= 0 {
			break
		}
		if r.needs.within(set) && r.matches(rest) {
			return r
		}
	}
	return best
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

// Equal reports whether both say the same.
func (r *Rules) Equal(other *Rules) bool { return bytes.Equal(r.Text(), other.Text()) }

// write returns the text of rules.
func write(rules []rule) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range rules {
		b.WriteString(rules[i].text)
		b.WriteByte('\n')
	}
	return b.String()
}
