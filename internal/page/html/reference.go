package html

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// appendDecoded appends s with its character references decoded (section 13.2.5.72 of the HTML
// standard). Attribute values have rules of their own.
func appendDecoded(dst, s []byte, attribute bool) []byte {
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		s = s[i:]
		n := referenceLen(s)
		if attribute && isLiteral(s, n) {
			dst = append(dst, s[:n]...)
		} else {
			dst = appendReference(dst, s[:n], attribute)
		}
		s = s[n:]
	}
}

// referenceLen returns the length of the possible reference at the beginning of s: an ampersand,
// letters and digits, a semicolon.
func referenceLen(s []byte) int {
	n := len("&")
	if n < len(s) && s[n] == '#' {
		n++
	}
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLiteral reports whether the first n bytes of s, in an attribute, are the name of a query
// parameter and not a reference.
func isLiteral(s []byte, n int) bool {
	return n < len(s) && s[n] == '=' && s[n-1] != ';' && (n < 2 || s[1] != '#')
}

// appendReference appends the text of ref, or ref itself if it is not a reference. The most
// frequent ones are listed here to save copies.
func appendReference(dst, ref []byte, attribute bool) []byte {
	switch string(ref) {
	case "&", "&amp;":
		return append(dst, '&')
	case "&lt;":
		return append(dst, '<')
	case "&gt;":
		return append(dst, '>')
	case "&quot;", "&#34;":
		return append(dst, '"')
	case "&#39;", "&#x27;", "&apos;":
		return append(dst, '\'')
	case "&nbsp;", "&#160;":
		return append(dst, "\u00a0"...)
	}
	text := html.UnescapeString(string(ref))
	if attribute && ref[1] != '#' && !isWhole(text, ref) {
		return append(dst, ref...)
	}
	return append(dst, text...)
}

// isWhole reports whether text stands for all of a named reference. Otherwise only the first
// letters of ref were a name, which counts in text but not in an attribute.
func isWhole(text string, ref []byte) bool {
	n := utf8.RuneCountInString(text)
	return n == 1 || n == 2 && ref[len(ref)-1] == ';' && text[len(text)-1] != ';'
}

// normalized returns s with line ends and NUL characters replaced as the standard requires.
func normalized(s []byte) []byte {
	if bytes.IndexByte(s, '\r') >= 0 {
		s = bytes.ReplaceAll(s, []byte("\r\n"), []byte("\n"))
		s = bytes.ReplaceAll(s, []byte("\r"), []byte("\n"))
	}
	if bytes.IndexByte(s, 0) >= 0 {
		s = bytes.ReplaceAll(s, []byte("\x00"), []byte("\ufffd"))
	}
	return s
}
