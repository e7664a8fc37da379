package sitemap

import (
	"unicode"
	"unicode/utf8"
)

// appendText appends at most limit characters of a text, escaped for XML. It drops bytes that are not UTF-8, control
// characters, and what XML 1.0 does not allow. A run of white space becomes one space, and none is left at the ends.
func appendText(dst []byte, s string, limit int) []byte {
	t := texts{rest: s, left: limit}
	for {
		c, size := t.next()
		if size == 0 {
			return dst
		}
		if c < utf8.RuneSelf && kind[c]&special != 0 {
			dst = append(dst, entity(byte(c))...)
			continue
		}
		dst = utf8.AppendRune(dst, c)
	}
}

// hasText reports whether anything of a text is kept.
func hasText(s string) bool {
	t := texts{rest: s, left: 1}
	_, size := t.next()
	return size > 0
}

// texts yields the characters of a text that are kept.
type texts struct {
	rest  string
	left  int  // characters that may still come
	begun bool // whether one has come
}

// next returns the next character and its length in UTF-8, which is 0 at the end.
func (t *texts) next() (c rune, size int) {
	if t.left <= 0 {
		return 0, 0
	}
	space := false
	for len(t.rest) > 0 {
		c, size := utf8.DecodeRuneInString(t.rest)
		switch {
		case unicode.IsSpace(c):
			space = t.begun
		case !shown(c, size):
		case space && t.left == 1:
			return 0, 0 // a space would be the last one
		case space:
			t.left--
			return ' ', 1
		default:
			t.left--
			t.begun = true
			t.rest = t.rest[size:]
			return c, size
		}
		t.rest = t.rest[size:]
	}
	return 0, 0
}

// shown reports whether a decoded character has a place in a text: XML 1.0, section 2.2, without control characters.
func shown(c rune, size int) bool {
	switch {
	case c == utf8.RuneError:
		return size > 1 // the character was written, and does not stand for a broken byte
	case c < 0x20, c >= 0x7F && c < 0xA0, c == 0xFFFE, c == 0xFFFF:
		return false
	}
	return true
}
