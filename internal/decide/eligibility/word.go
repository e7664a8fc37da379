package eligibility

import (
	_ "embed"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
)

// Word says what a location's own words suggest about its page.
type Word uint8

// The kinds of word, the worst last.
const (
	Plain  Word = iota // nothing
	Risky              // it names something that is often for one person, or for the site's own use
	Secret             // it looks like a capability, which lets in whoever knows it
	Action             // a request for it changes something
)

// wordsFile has words in many languages, by what they mean. Lines that begin with "name" have whole segments of pages that no
// visitor looks for: answers to errors and forms, parts of other pages, and the back office. A route of its own does
// not get such a page listed. A link does, since some sites have a public page of that name. Those with "login"
// and "signin" have segments of a log-in page, the latter no risky ones. All others have words of pages that are often for one person, or for the owner alone.
// A false alarm costs little: a link from a listed page outweighs it.
//
//go:embed words.txt
var wordsFile string

var (
	riskyNames = map[string]bool{}
	riskyWords = map[string]bool{}
	loginWords = map[string]bool{}
	unspaced   []string // risky words in scripts without spaces, so that they may stand anywhere in a name
)

func init() {
	for line := range strings.Lines(wordsFile) {
		meaning, list, _ := strings.Cut(line, " ")
		for name := range strings.FieldsSeq(list) {
			word := strings.Join(action.Words(name), "")
			switch meaning {
			case "name":
				riskyNames[name] = true
				continue
			case "signin":
				loginWords[word] = true
				continue
			case "login":
				loginWords[word] = true
			}
			riskyWords[word] = true
			if strings.ContainsFunc(name, func(c rune) bool {
				return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
			}) {
				unspaced = append(unspaced, word)
			}
		}
	}
}

// risky reports whether a word is risky, and which one it is.
func risky(word string) (is bool, which string) {
	if riskyWords[word] {
		return true, word
	}
	if !strings.ContainsFunc(word, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return false, "" // which costs less than to look for all of unspaced
	}
	i := slices.IndexFunc(unspaced, func(w string) bool { return strings.Contains(word, w) })
	if i < 0 {
		return false, ""
	}
	return true, unspaced[i]
}

// WordOf returns the worst kind of word in a location. variable says that a variable of its route
// has a name like a secret's.
func WordOf(location string, variable bool) Word {
	word, _ := WordIn(location)
	if word < Secret && (variable || capability.Looks(location)) {
		return Secret
	}
	return word
}

// Unlinked reports whether a location may be asked for although nothing links to it: no word of it says that this
// does something, or that the page is not for everybody.
func Unlinked(location string) bool {
	return WordOf(location, false) == Plain && !action.Verb(location)
}

// WordIn returns the worst kind of word in the path of a location, and the first
// word of that kind in it.
func WordIn(location string) (worst Word, word string) {
	if name, is := action.Word(location); is {
		return Action, name
	}
	path, _, _ := strings.Cut(location, "?")
	for segment := range strings.SplitSeq(path, "/") {
		if decoded, err := url.PathUnescape(segment); err == nil {
			segment = decoded
		}
		name, _, _ := strings.Cut(strings.ToLower(segment), ".")
		if name = strings.Trim(strings.ReplaceAll(name, "_", "-"), "-"); riskyNames[name] {
			return Risky, name
		}
		for _, w := range append(action.Words(segment), action.Words(strings.ToLower(segment))...) { // resetPassword, and SignIn
			if is, which := risky(w); is {
				return Risky, which
			}
		}
	}
	return Plain, ""
}
