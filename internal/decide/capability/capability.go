// Package capability recognises secret addresses, also called capability URLs: locations with a secret that lets in whoever knows
// it, such as reset links, share links and invitations. It takes a location or a route template and
// says whether it looks like one. It must never need anything but that text.
//
// Long tokens have recognisable shapes (rules.go). To tell shorter ones from words, the package
// measures how likely their letters follow each other (score.go). The tables for that are trained
// on words and paths of many languages (model.txt). Short and numeric secrets look like names or
// numbers: other evidence must keep them out.
package capability

import (
	"strings"

	"github.com/servemap/servemap/internal/decide/capability/letters"
	"github.com/servemap/servemap/internal/page/escape"
)

// foreign stands for any byte that is not ASCII. No token has it.
const foreign = 0x80

// Looks reports whether a location looks like it carries a secret. The location must be normalised,
// such as "/a/b%C3%A9?page=2". Looks allocates only for a segment of unusual length. It is safe for
// concurrent use.
func Looks(location string) bool {
	var buf [256]byte
	path, query, _ := strings.Cut(location, "?")
	for more := true; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		if len(segment) >= minLength && looksSegment(stem(decode(buf[:0], segment))) {
			return true
		}
	}
	for more := true; more; {
		var parameter string
		parameter, query, more = strings.Cut(query, "&")
		if len(parameter) >= minLength && looksSegment(decode(buf[:0], parameter)) {
			return true
		}
	}
	return false
}

// Odd returns how much likelier the letters of an ASCII word are random than a word's: below 0 for
// most words, above Odd's limit [TooOdd] for most random ones.
func Odd(word string) int {
	var buf [maxLength]byte
	s := buf[:copy(buf[:], word)]
	odd, _ := score(s)
	switch {
	case len(word) > maxLength:
		return TooOdd + 1
	case len(word) <= minPart || isRoman(s):
		return 0
	}
	return odd
}

// TooOdd is how odd all words of an ordinary name may be in sum. 6 nats hold for 99 % of the words of four
// letters or more, and for 8 % of random ones of seven letters.
const TooOdd = 6 * unit

// looksSegment judges the decoded text of a segment: each of its words, and all together.
func looksSegment(s []byte) bool {
	if hasUUID(s) {
		return true
	}
	sum, length := 0, 0
	for start, end := nextWord(s, 0); start < len(s); start, end = nextWord(s, end) {
		if start = skipEscape(s, start); start == end {
			continue
		}
		word := s[start:end]
		if isJWT(s[start:]) || ruled(word) {
			return true
		}
		if isRoman(word) || start > 0 && s[start-1] == foreign || end < len(s) && s[end] == foreign {
			continue // a piece of a word with other characters proves nothing
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
	return length >= minLength && sum > max(segmentLimit, length*perCharacter)
}

// nextWord returns the begin and end of the first run of letters and digits from i on.
func nextWord(s []byte, i int) (start, end int) {
	for i < len(s) && letters.Class(s[i]) == letters.Edge {
		i++
	}
	start = i
	for i < len(s) && letters.Class(s[i]) != letters.Edge {
		i++
	}
	return start, i
}

// decode appends the decoded text of a segment to buf. It writes foreign for bytes that are not
// ASCII, and keeps the percent sign of a broken escape, which is an edge.
func decode(buf []byte, segment string) []byte {
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if c == '%' && escape.Is(segment[i:]) {
			c = escape.Byte(segment[i:])
			i += 2
		}
		buf = append(buf, min(c, foreign))
	}
	return buf
}

// stem returns a segment without its extension, which is not part of a token.
func stem(s []byte) []byte {
	for i := 1; i <= maxExtension+1 && i < len(s); i++ {
		at := len(s) - i
		if s[at] != '.' {
			continue
		}
		if string(s[at:]) == ".html" {
			return withoutDigest(s[:at])
		}
		return s[:at]
	}
	return s
}

const maxExtension = 5 // characters, as in xhtml
