package mark

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// hidden replaces an e-mail address.
const hidden = "[email protected]"

// fold appends a text without the details that a template or a font may alter: spaces
// without width, and the kinds of quotes, dashes and dots. It also drops e-mail addresses,
// because some sites hide them from robots in another way at each visit.
func fold(dst []byte, s string) []byte {
	start, rest := len(dst), 0
	for i, r := range s {
		if i < rest || r < utf8.RuneSelf && r != '"' && r != '`' && r != '@' && r != '[' {
			continue
		}
		if hides := strings.HasPrefix(s[i:], hidden); hides || r == '@' {
			dst = append(dst, s[rest:i]...)
			dst = append(dst[:start+1+bytes.LastIndexByte(dst[start:], ' ')], '@')
			if rest = i + 1; hides {
				rest = i + len(hidden)
			}
			if n := strings.IndexByte(s[rest:], ' '); n >= 0 {
				rest += n
			} else {
				rest = len(s)
			}
		} else if instead, ok := folded(r); ok {
			dst = append(append(dst, s[rest:i]...), instead...)
			rest = i + utf8.RuneLen(r)
		}
	}
	return append(dst, s[rest:]...)
}

// folded returns what stands for a character that is folded.
func folded(r rune) (instead string, ok bool) {
	switch {
	case r == '"', r == '`', r == '´', r == '«', r == '»', r == '‹', r == '›', '‘' <= r && r <= '‟', r == '′', r == '″':
		return "'", true
	case '\u2010' <= r && r <= '\u2015', r == '\u2212': // dashes, minus
		return "-", true
	case r == '…':
		return "...", true
	case r == '\u00ad', '\u2000' <= r && r <= '\u200f', r == '\u202f', r == '\u2060', r == '\ufeff': // soft hyphen, spaces, marks without width
		return "", true
	}
	return "", false
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

// longestAge is the length in bytes of the longest text that counts as an age.
const longestAge = 48

// ages has the words that say how long ago something was, in some languages, and what must follow.
var ages = map[string]string{
	"in": "the last ", "just": "now", "yesterday": "", "this": "week",
	"vor": "", "gestern": "", "heute": "",
	"il": "y a ", "hier": "",
	"hace": "", "ayer": "",
	"ieri": "", "há": "", "ontem": "", "gisteren": "", "igår": "", "wczoraj": "", "вчера": "",
}

// ageEnds has the words that say so at the end of a text.
var ageEnds = map[string]bool{
	"ago": true, "fa": true, "atrás": true, "geleden": true, "sedan": true, "siden": true, "temu": true, "назад": true, "önce": true,
}

// isAge reports whether a text says how long ago something was, such as "Updated
// yesterday" or "vor 3 Tagen". Such a text changes by itself.
func isAge(s string) bool {
	if len(s) > longestAge {
		return false
	}
	if strings.Contains(s, "前") || strings.Contains(s, "昨") {
		return true
	}
	word, rest, more := strings.Cut(s, " ")
	for ; more; word, rest, more = strings.Cut(rest, " ") {
		if next, known := ages[strings.TrimRight(word, ",:")]; known && strings.HasPrefix(rest, next) {
			return true
		}
	}
	next, known := ages[word]
	return known && next == "" || ageEnds[word]
}
