package mark

import (
	"bytes"
	"encoding/binary"
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

// numberAt returns the end of the number that begins at i, or i itself if none does.
func numberAt[T string | []byte](s T, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// hasNumbers reports whether a text has digits, and whether some digits are a year.
func hasNumbers(s []byte) (numbers, year bool) {
	for i := 0; i < len(s); i++ {
		if i+8 <= len(s) && !hasDigits([8]byte(s[i:])) {
			i += 7
			continue
		}
		if s[i]-'0' > 9 {
			continue
		}
		end := numberAt(s, i)
		numbers = true
		year = year || end-i == 4 && (s[i] == '1' && s[i+1] == '9' || s[i] == '2' && s[i+1] == '0')
		i = end
	}
	return numbers, year
}

// hasDigits looks at eight bytes at once, since every byte of a page comes by here. Adding
// 0x50 sets the highest bit of an ASCII byte from '0' on, adding 0x46 from the one after '9'
// on.
func hasDigits(s [8]byte) bool {
	const each = 0x0101010101010101
	x := binary.LittleEndian.Uint64(s[:])
	low := x &^ (0x80 * each)
	return (low+0x50*each)&^(low+0x46*each)&^x&(0x80*each) != 0
}

// mask appends a text with one sign in place of each number.
func mask(dst, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if end := numberAt(s, i); end > i {
			dst = append(dst, '#')
			i = end - 1
			continue
		}
		dst = append(dst, s[i])
	}
	return dst
}

// days returns the numbers in a text that may be days of a month, one bit each.
func days(s string) (set uint32) {
	for i := 0; i < len(s); i++ {
		end, n := numberAt(s, i), 0
		if end == i {
			continue
		}
		for _, c := range s[i:min(end, i+3)] {
			n = 10*n + int(c-'0')
		}
		if end-i <= 2 && 1 <= n && n <= 31 {
			set |= 1 << n
		}
		i = end
	}
	return set
}
