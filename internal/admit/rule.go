package admit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Listing is what a rule says of the locations it matches.
type Listing uint8

// The listings.
const (
	Auto   Listing = iota // decide by evidence, as if there were no rule
	Always                // the owner vouches: a witness is enough
	Never                 // not listed, whatever the evidence
)

// A Rule applies a [Listing] to the locations that a pattern matches.
type Rule struct {
	Pattern string
	Listing Listing
}

// Rules is a checked set of rules. The zero value matches nothing. It is safe
// for concurrent use.
type Rules struct{ rules []compiled }

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
// matches however it is spelled, and "%2A" and "%24" match the characters.
func NewRules(rules []Rule) (Rules, error) {
	var rs Rules
	for i, r := range rules {
		if err := checkPattern(r.Pattern); err != nil {
			return Rules{}, fmt.Errorf("rule %d: pattern %q: %w", i+1, r.Pattern, err)
		}
		if r.Listing > Never {
			return Rules{}, fmt.Errorf("rule %d: pattern %q: listing %d is none of Auto, Always and Never", i+1, r.Pattern, r.Listing)
		}
		rs.rules = append(rs.rules, compile(r))
	}
	return rs, nil
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
		case c == '%' && !isEscape(p[i:]):
			return errors.New(`has a "%" without two hexadecimal digits after it; write "%25" for the character`)
		}
	}
	return nil
}

// neverRaw are the characters that stand in no location unless escaped, so that
// a pattern with one of them would match nothing, in silence.
const neverRaw = "\"#<>\\^`{|}"

// isEscape reports whether s begins with an escape, such as "%2A".
func isEscape(s string) bool {
	return len(s) > 2 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func compile(r Rule) compiled {
	c := compiled{Rule: r}
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

// respell undoes the escapes of characters that need none (RFC 3986, section
// 2.3) and of "*" and "$", and puts the others in upper case.
func respell(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !isEscape(s[i:]) {
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

// Match returns what the most specific rule says of location: that with the
// longest pattern, as in robots.txt. Between patterns of one length the most
// cautious listing wins. ok is false where no rule matches.
func (rs Rules) Match(location string) (best Rule, ok bool) {
	if len(rs.rules) == 0 {
		return Rule{}, false
	}
	if strings.Contains(location, "%2A") || strings.Contains(location, "%24") {
		location = respell(location)
	}
	length := 0
	for _, r := range rs.rules {
		if ok && (r.length < length || r.length == length && caution(r.Listing) <= caution(best.Listing)) {
			continue
		}
		if r.matches(location) {
			best, length, ok = r.Rule, r.length, true
		}
	}
	return best, ok
}

func caution(l Listing) int {
	switch l {
	case Never:
		return 2
	case Auto:
		return 1
	}
	return 0
}

// matches goes greedily from the left, which is exact for patterns whose only
// wildcard is "*", and takes time linear in each starred piece.
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
