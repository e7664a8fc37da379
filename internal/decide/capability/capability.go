// Package capability recognises secret addresses, also called capability URLs: locations with a
// secret that lets in whoever knows it, such as reset links, share links and invitations. It takes a
// location or a route template and says whether it looks like one. It must never need anything but
// that text.
package capability

import (
	"regexp"
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
)

const (
	least = 8  // characters of a secret
	reads = 6  // small letters in a row, as in a name
	long  = 20 // no name with digits within is so long without a hyphen
)

var uuid = regexp.MustCompile(`(?i)[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}`)

// Looks reports whether a location looks like it carries a secret: a UUID, or eight and more characters that change
// between letters and digits, or to capitals, more often than names do. Letters of one case are a name, and digits
// alone are a number. The location must be normalised, such as "/a/b%C3%A9?page=2". It is safe for concurrent use.
func Looks(location string) bool {
	for run := range strings.FieldsFuncSeq(escape.Decode(location),
		func(c rune) bool { return !letter(c) && !digit(c) && !hyphen(c) }) {
		if len(run) >= least && mixes(run) || len(run) >= 32 && uuid.MatchString(run) {
			return true
		}
	}
	return false
}

// mixes reports whether words that hyphens join change as often as a secret. Names change once, as html5 and 3d do.
// They change twice where they are short and read well, as iphone15pro does. Short words that change more often count
// together.
func mixes(run string) bool {
	all, length := 0, 0
	for word := range strings.FieldsFuncSeq(run, hyphen) {
		if n, name := changes(word); n > 2 || n == 2 && (!name || len(word) >= long) {
			all += n
			length += len(word) + 1
		}
	}
	return length > least || len(run) <= 4*all
}

// changes counts where a word changes between letters and digits, or to a capital that begins no word of its own: one
// that two small letters follow does, as in GettingStarted. name says that a part of the word reads like a name.
func changes(word string) (n int, name bool) {
	for i, row := 0, 0; i < len(word); i++ {
		if row++; !small(rune(word[i])) {
			row = 0
		}
		name = name || row == reads
		if i == 0 {
			continue
		}
		before, c := rune(word[i-1]), rune(word[i])
		begins := i+2 < len(word) && small(rune(word[i+1])) && small(rune(word[i+2]))
		if digit(before) != digit(c) || small(before) && capital(c) && !begins {
			n++
		}
	}
	return n, name
}

func small(c rune) bool   { return 'a' <= c && c <= 'z' }
func capital(c rune) bool { return 'A' <= c && c <= 'Z' }
func digit(c rune) bool   { return '0' <= c && c <= '9' }
func letter(c rune) bool  { return small(c) || capital(c) }
func hyphen(c rune) bool  { return c == '-' || c == '_' }
