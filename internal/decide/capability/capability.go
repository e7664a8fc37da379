// Package capability recognises secret addresses, also called capability URLs: locations with a
// secret that lets in whoever knows it, such as reset links, share links and invitations. It takes a
// location or a route template and says whether it looks like one. It must never need anything but
// that text.
//
// Some tokens have a shape of their own. The others are told from words by how likely their
// characters follow each other (model.go). Short words, numbers and names look like no token: a link
// is enough for them.
package capability

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/servemap/servemap/internal/page/escape"
)

const (
	minLength = 8  // characters; shorter words are no tokens
	minPart   = 3  // characters; shorter words do not count for their element
	minHex    = 16 // from this length on, a run of both hexadecimal digits and letters is a token
	uuid      = 32 // hexadecimal digits of a UUID or an MD5, with or without dashes
	maxDigits = 12 // longer runs of digits are random numbers, but for those that are books or times
	maxLength = 48 // characters; longer words must read like words

	// minLetters is from which length on a word of letters of one case may be a token. Shorter ones
	// are names of products and words of languages that the model does not know far more often.
	minLetters = 13
)

// number matches an ISBN and a time such as 20261121103000.
var number = regexp.MustCompile(`^(97[89]\d{10}|(19|20)\d\d(0\d|1[0-2])[0-3]\d[0-2]\d[0-5]\d[0-5]\d)$`)

// Looks reports whether a location looks like it carries a secret. The location must be normalised,
// such as "/a/b%C3%A9?page=2". It is safe for concurrent use.
func Looks(location string) bool {
	path, query, _ := strings.Cut(location, "?")
	for element := range strings.SplitSeq(path, "/") {
		if len(element) >= minLength && looks(stem(escape.Decode(element))) {
			return true
		}
	}
	for element := range strings.SplitSeq(query, "&") {
		if len(element) >= minLength && looks(escape.Decode(element)) {
			return true
		}
	}
	return false
}

// looks judges the decoded text of an element: its runs, each of its words, and all together.
func looks(s string) bool {
	if hasRun(s) {
		return true
	}
	sum, length := 0, 0
	for word := range strings.FieldsFuncSeq(s, func(c rune) bool { return c <= unicode.MaxASCII && Class(byte(c)) == Edge }) {
		if strings.ContainsFunc(word, func(c rune) bool { return c > unicode.MaxASCII }) {
			continue // the model knows no other characters
		}
		score, limit := score(word)
		if len(word) >= minLength && score > limit || len(word) > maxLength && score > 0 {
			return true
		}
		if len(word) >= minPart {
			sum += score
			length += len(word)
		}
	}
	return length >= minLength && sum > segmentLimit
}

// hasRun reports whether a text has a long number, or a long run of hexadecimal digits and letters.
func hasRun(s string) bool {
	digits, hex, of, dashed := 0, 0, 0, 0 // of counts the digits among hex, and dashed goes on after a dash
	for i := range len(s) {
		c := s[i]
		if digits++; Class(c) != Digit {
			digits = 0
		}
		switch {
		case Class(c) == Digit:
			hex, of, dashed = hex+1, of+1, dashed+1
		case escape.IsHex(c):
			hex, dashed = hex+1, dashed+1
		case c == '-':
			hex, of = 0, 0
		default:
			hex, of, dashed = 0, 0, 0
		}
		ends := i+1 == len(s) || Class(s[i+1]) != Digit
		if dashed >= uuid || hex >= minHex && 0 < of && of < hex || ends && digits > maxDigits && !number.MatchString(s[i+1-digits:i+1]) {
			return true
		}
	}
	return false
}

// stem returns a segment without its extension, which is not part of a token.
func stem(s string) string {
	const maxExtension = 5 // characters, as in xhtml
	at := strings.LastIndexByte(s, '.')
	if at <= 0 || len(s)-at > maxExtension+1 {
		return s
	}
	return s[:at]
}
