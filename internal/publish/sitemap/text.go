package sitemap

import (
	"strings"
	"unicode"
)

// appendElement appends an element with at most limit characters of a text, escaped for
// XML.
func appendElement(dst []byte, name, text string, limit int) []byte {
	dst = append(append(append(dst, '<'), name...), '>')
	dst = appendEscaped(dst, plain(text, limit))
	return append(append(append(dst, "</"...), name...), '>')
}

// plain returns at most limit characters of a text. It drops bytes that are not UTF-8,
// control characters, and characters that XML 1.0 (section 2.2) does not allow. A run of
// white space becomes one space, and white space at the ends goes.
func plain(s string, limit int) string {
	s = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c), c == 0xFFFE, c == 0xFFFF:
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	for i := range s {
		if limit--; limit < 0 {
			return strings.TrimSuffix(s[:i], " ")
		}
	}
	return s
}

// hasText reports whether plain leaves anything of a text.
func hasText(s string) bool { return plain(s, 1) != "" }
