package eligibility

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/servemap/servemap/internal/decide/capability"
)

// Ordinary reports whether the part of a location that tells it from its siblings reads like names
// that somebody gave: words, perhaps with a few digits. own has the segments of that part, and the
// query. Ordinary asks for that proof rather than for bad signs. Numbers of accounts, sessions,
// addresses of people and hidden files have endless forms, but none of them reads like words.
func Ordinary(own string) bool {
	path, query, _ := strings.Cut(own, "?")
	numbers := 0 // in a row; only dates have several, and telephone numbers that are cut into pieces
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "":
		case ordinaryNumber.MatchString(segment):
			if numbers++; numbers == 1 && len(segment) < len("2026") {
				numbers = 3
			} else if numbers > 3 {
				return false
			}
		case !ordinaryName(segment):
			return false
		default:
			numbers = 0
		}
	}
	for parameter := range strings.SplitSeq(query, "&") {
		if _, value, _ := strings.Cut(parameter, "="); value != "" && !ordinaryNumber.MatchString(value) && !ordinaryName(value) {
			return false
		}
	}
	return true
}

// ordinaryNumber matches a year, a month, a day, a page of a list and a version.
var ordinaryNumber = regexp.MustCompile(`^((19|20)\d\d(\.\d{1,2})?|v?\d{1,2}(\.\d{1,3}){0,2})$`)

// ordinaryName reports whether a segment, still escaped, is a name in words.
func ordinaryName(segment string) bool {
	name, err := url.PathUnescape(segment)
	separators := "-_+ ~'’,!"
	for _, extension := range [...]string{".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp"} {
		if page, is := strings.CutSuffix(name, extension); is {
			name, separators = page, separators+"." // as in java.util.html
		}
	}
	if err != nil || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") {
		return false
	}
	var n nameParts
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool { return strings.ContainsRune(separators, c) }) {
		if !n.add(strings.ToLower(word), word) {
			return false
		}
	}
	return !n.email && (!n.long || n.names > 1) && (n.digits == 0 || n.longest >= 3) && n.letters >= max(1, 2*n.digits) && (!n.mixed || n.letters >= 8) && n.odd <= max(capability.TooOdd, n.letters*oddLetter)
}

// oddLetter is how odd a letter may be in the mean of a long name, as in a language that the tables
// hardly know. Random letters are eight times as odd.
const oddLetter = 4

// nameParts says what the words of a name consist of.
type nameParts struct {
	letters int  // bytes of the words that have only letters
	digits  int  // in all words
	odd     int  // how little the words read like words, see [capability.Odd]
	longest int  // bytes of the longest word that has only letters
	names   int  // words of four bytes and more that have only letters
	long    bool // a number has three digits or more and is no year: one beside a single word may count orders or people
	mixed   bool // a word has letters after digits, as in 256gb
	at      bool // one of them is "at"
	email   bool // it ends like an e-mail address in words, as jane-at-example-com does
}

// add adds a word. It reports false if no ordinary name has it.
func (n *nameParts) add(lower, word string) bool {
	digits, ascii := 0, true
	if len(word) == 4 && ordinaryNumber.MatchString(word) { // a year is as good as two digits
		word = word[:2]
	}
	if head := strings.TrimRight(word, "0123456789"); len(word)-len(head) <= 2 { // as in utf8
		n.digits += len(word) - len(head)
		word = head
	}
	for _, c := range word {
		switch {
		case unicode.IsDigit(c):
			digits++
		case !unicode.IsLetter(c) && !unicode.IsMark(c):
			return false
		}
		ascii = ascii && c <= unicode.MaxASCII
	}
	if n.digits += digits; digits == 0 && word != "" {
		n.letters += len(word)
		if len(word) >= 4 {
			n.names++
		}
		n.longest = max(n.longest, len(word))
		if ascii {
			n.odd += capability.Odd(word)
		}
	}
	n.long = n.long || digits > 2 && digits == len(word) && !ordinaryNumber.MatchString(word)
	n.email = n.at && len(lower) <= 3 || lower == "dot"
	n.at = n.at || lower == "at"
	n.mixed = n.mixed || digits > 0 && digits < len(word)
	return true
}
