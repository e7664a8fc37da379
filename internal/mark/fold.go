package mark

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// fold appends a text without the details that a template or a font may alter: spaces
// without width, and the kinds of quotes, dashes and dots. It also drops e-mail addresses,
// because some sites hide them from robots in another way at each visit.
func fold(dst []byte, s string) []byte {
	start := len(dst)
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && !folds[s[end]] {
			end++
		}
		dst = append(dst, s[i:end]...)
		if end == len(s) {
			break
		}
		i = end + 1
		switch c := s[end]; {
		case c == '@', c == '[' && strings.HasPrefix(s[end:], hidden):
			dst = append(dst[:start+1+bytes.LastIndexByte(dst[start:], ' ')], '@')
			if c == '[' {
				i = end + len(hidden)
			}
			for i < len(s) && s[i] != ' ' {
				i++
			}
		case c == '[':
			dst = append(dst, c)
		case c < utf8.RuneSelf:
			dst = append(dst, '\'')
		default:
			r, n := utf8.DecodeRuneInString(s[end:])
			dst = foldRune(dst, r, s[end:end+n])
			i = end + n
		}
	}
	return dst
}

// hidden replaces an e-mail address.
const hidden = "[email protected]"

// folds has the bytes that fold does not copy as they are.
var folds = func() (set [256]bool) {
	for c := utf8.RuneSelf; c < len(set); c++ {
		set[c] = true
	}
	set['@'], set['['], set['"'], set['`'] = true, true, true, true
	return set
}()

// foldRune appends a character outside ASCII.
func foldRune(dst []byte, r rune, s string) []byte {
	switch {
	case r == '´', r == '«', r == '»', r == '‹', r == '›', '‘' <= r && r <= '‟', r == '′', r == '″':
		return append(dst, '\'')
	case '\u2010' <= r && r <= '\u2015', r == '\u2212': // dashes, minus
		return append(dst, '-')
	case r == '…':
		return append(dst, "..."...)
	case r == '\u00ad', '\u2000' <= r && r <= '\u200f', r == '\u202f', r == '\u2060', r == '\ufeff': // soft hyphen, spaces, marks without width
		return dst
	}
	return append(dst, s...)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// mask appends a text with one sign in place of each number. year says that a number is a
// year. days are the numbers that may be days of a month, one bit each.
func mask(dst, s []byte) (masked []byte, year bool, days uint32) {
	for len(s) > 0 {
		n, value := 0, 0
		for n < len(s) && isDigit(s[n]) {
			value = min(10*value+int(s[n]-'0'), 1<<20)
			n++
		}
		switch {
		case n == 0:
			dst, s = append(dst, s[0]), s[1:]
			continue
		case n == 4 && 1900 <= value && value < 2100:
			year = true
		case n <= 2 && 1 <= value && value <= 31:
			days |= 1 << value
		}
		dst, s = append(dst, '#'), s[n:]
	}
	return dst, year, days
}
