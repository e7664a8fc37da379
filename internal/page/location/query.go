package location

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/page/escape"
)

// query holds the parameters that are kept, sorted by key.
type query struct {
	params  []param
	foreign bool // a parameter is not an allowed one
	tracked bool // a tracking parameter was dropped
}

// param is a parameter in normal form.
type param struct{ key, value string }

// parseParams checks the setting Params.
func parseParams(keys []string) (map[string]bool, error) {
	if keys == nil {
		keys = []string{"page"}
	}
	allowed := make(map[string]bool, len(keys))
	for _, k := range keys {
		if err := CheckParam(k); err != nil {
			return nil, fmt.Errorf("options: Query: %w", err)
		}
		allowed[k] = true
	}
	return allowed, nil
}

// CheckParam returns an error if key cannot be the key of an allowed parameter, in Config.Params or
// from Config.More.
func CheckParam(key string) error {
	if key == "" || len(key) > maxValue {
		return fmt.Errorf("%q must have from 1 to %d bytes, such as \"page\"", key, maxValue)
	}
	if strings.Contains(key, "*") {
		return fmt.Errorf("%q: there are no wildcards; name each parameter, such as \"page\"", key)
	}
	for i := range len(key) {
		if class[key[i]]&inKey == 0 {
			return fmt.Errorf("%q has the character %q, which a key may not have; name the key alone, without value", key, key[i])
		}
	}
	return nil
}

// parseQuery reads the query of a location below path, which is in normal form. One defect makes
// the whole query malformed, since two programs may read it differently.
func (n *Normalizer) parseQuery(path, s string, m mode) (q query, _ Reason) {
	// Some servers also split at semicolons. A parameter must not hide behind an allowed one.
	if strings.IndexByte(s, ';') >= 0 {
		return query{}, ReasonQuery
	}
	var more []string
	asked := n.more == nil
	for pair := range strings.SplitSeq(s, "&") {
		rawKey, rawValue, _ := strings.Cut(pair, "=")
		key, ok := normalKey(rawKey)
		if !ok {
			return query{}, ReasonQuery
		}
		allowed := n.params[key] && (n.given || isPageValue(rawValue))
		if !allowed && !asked {
			more, asked = n.more(path), true
		}
		allowed = allowed || slices.Contains(more, key)
		if !allowed && isTracking(key) {
			q.tracked = true
			continue
		}
		value, reason := normalValue(rawValue, m)
		if reason != ReasonNone {
			return query{}, reason
		}
		if !q.insert(param{key, value}) {
			return query{}, ReasonQuery
		}
		q.foreign = q.foreign || !allowed
	}
	return q, ReasonNone
}

// insert puts p in its place. It reports false if there are too many, or one with the same key.
func (q *query) insert(p param) bool {
	i, found := slices.BinarySearchFunc(q.params, p.key, func(p param, key string) int { return strings.Compare(p.key, key) })
	if found || len(q.params) == maxParams {
		return false
	}
	q.params = slices.Insert(q.params, i, p)
	return true
}

// appendTo returns the path followed by the query.
func (q *query) appendTo(path string) string {
	if len(q.params) == 0 {
		return path
	}
	b := make([]byte, 0, len(path)+len(q.params)*(2+2*maxValue))
	b = append(b, path...)
	separator := byte('?')
	for _, p := range q.params {
		b = append(append(b, separator), p.key...)
		b = append(append(b, '='), p.value...)
		separator = '&'
	}
	return string(b)
}

// normalKey returns the normal form of a key. It refuses a key that still needs an escape, so that
// equal keys are equal strings.
func normalKey(s string) (string, bool) {
	if s == "" {
		return "", false
	}
	if isRaw(s, inKey) {
		return s, true
	}
	var outBuf, textBuf [128]byte
	out, _, reason := unescape(outBuf[:0], textBuf[:0], s, inKey, strict)
	if reason != ReasonNone || !isRaw(string(out), inKey) {
		return "", false
	}
	return string(out), true
}

// normalValue returns the normal form of a value.
func normalValue(s string, m mode) (string, Reason) {
	if s == "" {
		return "", ReasonQuery
	}
	var outBuf, textBuf [256]byte
	out, text, reason := unescape(outBuf[:0], textBuf[:0], s, inValue, m&linkQuery)
	if reason != ReasonNone || len(text) > maxValue || checkText(text) != ReasonNone {
		return "", ReasonQuery
	}
	if HasEmail(text) {
		return "", ReasonEmail
	}
	if string(out) == s {
		return s, ReasonNone
	}
	return string(out), ReasonNone
}

// The bounds of "page" if the owner has not named it. A longer value, or one with more digits, may
// be an address, a search or a secret.
const (
	maxPageDigits = 6
	maxPageWord   = 24 // characters, of which at most four are digits
)

// isPageValue reports whether a raw value is a number or a short word, such as "2", "last",
// "part-2" or "über-uns". Then "page" is the number of a page in a list, or names a page of a small
// site.
func isPageValue(s string) bool {
	length, digits, letters := 0, 0, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && escape.Is(s[i:]) {
			c = escape.Byte(s[i:])
			i += 2
		}
		switch {
		case isDigit(c):
			digits++
		case isLetter(c), c >= utf8.RuneSelf:
			letters++
		case c != '-' && c != '_':
			return false
		}
		if c < 0x80 || c >= 0xC0 { // only the first byte of a character counts
			length++
		}
	}
	if letters == 0 {
		return digits == length && 0 < digits && digits <= maxPageDigits
	}
	return length <= maxPageWord && digits <= 4
}

// isRaw reports whether every byte of s has the bit.
func isRaw(s string, bit uint8) bool {
	for i := range len(s) {
		if class[s[i]]&bit == 0 {
			return false
		}
	}
	return true
}

// trackingFile has the names of parameters that say only where a visitor came from. A name with a
// star is the beginning of a family. Names such as "ref" or "source" are not there: on some sites
// they are filters.
//
//go:embed tracking.txt
var trackingFile string

var trackingNames, trackingFamilies = readTracking(trackingFile)

func readTracking(file string) (names map[string]bool, families []string) {
	names = map[string]bool{}
	for name := range strings.FieldsSeq(file) {
		if start, family := strings.CutSuffix(name, "*"); family {
			families = append(families, start)
		} else {
			names[name] = true
		}
	}
	return names, families
}

// isTracking reports whether a parameter is one of them, in any case.
func isTracking(key string) bool {
	key = strings.ToLower(key)
	return trackingNames[key] || slices.ContainsFunc(trackingFamilies, func(start string) bool { return strings.HasPrefix(key, start) })
}
