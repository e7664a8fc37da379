// Package action says which locations name something to do rather than something to read, such
// as "log out" or "delete 5". It takes a location and knows nothing else. It must never need to
// know a word to be careful: what stands below an id is left to Split.
package action

import (
	_ "embed"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// classes are the words of words.txt: those that log out, those that act alone, verbs that act
// beside an id, machines' names, and file extensions. One line has words of one class.
//
//go:embed words.txt
var text string

var classes = func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for line := range strings.Lines(text) {
		class, list, _ := strings.Cut(line, " ")
		if all[class] == nil {
			all[class] = map[string]bool{}
		}
		for w := range strings.FieldsSeq(list) {
			all[class][strings.Join(Words(w), "")] = true
		}
	}
	return all
}()

var (
	date   = regexp.MustCompile(`^(19|20)\d\d([-_.]?\d\d){0,2}$`)
	folder = regexp.MustCompile(`^v?\d+(\.\d+)*$|^[a-z]{2}([-_][a-z]{2})?$`) // a release or a language
	plain  = strings.NewReplacer("ı", "i", "ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ß", "ss", "æ", "ae")

	leaving = slices.Collect(maps.Keys(classes["leaving"]))
)

const digits = "0123456789"

// Words returns the words of a text in lower case and without diacritics. It cuts at everything
// but letters and digits, and before a capital as in deletePost.
func Words(text string) []string {
	other := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	if !strings.ContainsFunc(text, func(c rune) bool { return 'A' <= c && c <= 'Z' || c > unicode.MaxASCII }) {
		return strings.FieldsFunc(text, other) // as most
	}
	var b strings.Builder
	lower := false
	for _, c := range norm.NFD.String(plain.Replace(text)) {
		if lower && unicode.IsUpper(c) {
			b.WriteByte(' ')
		}
		if !unicode.IsMark(c) {
			lower = unicode.IsLower(c)
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return strings.FieldsFunc(b.String(), other)
}

// piece is a segment of a path, or a name or value of a query.
type piece struct {
	text      string // decoded, in lower case, without extension
	extension string // one that is known
	words     []string
	joined    string // the words
	date, id  bool   // id: a number that is no date, a UUID, or hex digits
}

func pieces(location string) []piece {
	all := make([]piece, 0, strings.Count(location, "/")+1)
	for s := range strings.FieldsFuncSeq(location, func(c rune) bool { return strings.ContainsRune("/:&=;", c) }) {
		if decoded, err := url.PathUnescape(s); err == nil {
			s = decoded
		}
		p := piece{}
		if dot := strings.LastIndexByte(s, '.'); dot > 0 {
			if e := strings.ToLower(s[dot+1:]); classes["program"][e] || classes["script"][e] || classes["document"][e] {
				s, p.extension = s[:dot], e
			}
		}
		p.text, p.words = strings.ToLower(s), Words(s)
		p.joined = strings.Join(p.words, "")
		p.date = p.text[0] <= '9' && date.MatchString(p.text) || len(p.text) <= 2 && len(all) > 0 && all[len(all)-1].date
		p.id = !p.date && (strings.Trim(p.text, digits) == "" || len(p.text) >= 8 && strings.Trim(p.text, digits+"abcdef-") == "")
		all = append(all, p)
	}
	return all
}

// Word returns the word of a location that says that a request for it does something: one that needs
// no object, such as logout, or a verb beside an id, in a query or as the name of a program.
func Word(location string) (name string, is bool) {
	path, query, _ := strings.Cut(location, "?")
	all := pieces(path)
	for i, p := range all {
		beside := slices.ContainsFunc(all[max(0, i-1):min(len(all), i+3)], func(p piece) bool { return p.id })
		program := classes["program"][p.extension] && classes["verb"][p.joined]
		if p.leaves() || program || beside && p.commands() && !classes["document"][p.extension] {
			return p.text, true
		}
	}
	for _, p := range pieces(query) {
		if p.leaves() || p.commands() {
			return p.text, true
		}
	}
	return "", false
}

// commands reports whether a piece is a verb, or one with its object, as in deletePost.
func (p *piece) commands() bool {
	return classes["verb"][p.joined] || len(p.words) == 2 && classes["verb"][p.words[0]]
}

// leaves reports whether a piece needs no object, or says log out at its end, as in userlogout.
func (p *piece) leaves() bool {
	ends := func(w string) bool { return strings.HasSuffix(p.joined, w) }
	return classes["alone"][p.joined] || len(p.words) <= 2 && slices.ContainsFunc(leaving, ends)
}

// Verb reports whether a location has any verb, even where it may stand in a title, as in "/stop-smoking".
func Verb(location string) bool {
	return slices.ContainsFunc(pieces(strings.ReplaceAll(location, "?", "/")), func(p piece) bool {
		return p.leaves() || p.commands() || slices.ContainsFunc(p.words, func(w string) bool { return classes["verb"][w] || classes["alone"][w] })
	})
}

// Machine reports whether a location is that of a script, or of a task that machines start.
func Machine(location string) bool {
	for i, p := range pieces(location) {
		if classes["script"][p.extension] || classes["machine"][p.joined] && (i == 0 || classes["program"][p.extension]) {
			return true
		}
	}
	return false
}

// Below is a location below one of many things, such as /users/5/posts. What is below may be a
// control of each thing, such as "hide", or a page about it. Nothing in the location tells which.
type Below struct {
	Kind  string // "/users/0"
	Thing string // "/users/5"
	Word  string // "/posts"
	Named bool   // the thing has a name, and the word is a verb: a control if other things have the same one
}

// longestControl is how many words a control has at most. A longer name is a title.
const longestControl = 4

// Split returns what a location is below, if that is one of many things: by a number or an id, or by any
// name and a verb at the end. It returns false for a document, a long title and what follows a date, release or language.
func Split(location string) (b Below, is bool) {
	path, _, _ := strings.Cut(location, "?")
	all := pieces(path)
	last, at := len(all)-1, -1
	for i, p := range all {
		if p.id {
			at = i
		}
	}
	if at < 0 && last > 1 && classes["verb"][all[last].joined] && !all[last-1].date && !folder.MatchString(all[last-1].text) {
		at, b.Named = last-1, true
	}
	if at < 0 || at == last || all[last].date || classes["document"][all[last].extension] || len(all[last].words) > longestControl {
		return b, false
	}
	for i, p := range all {
		switch {
		case i > at:
			b.Word += "/" + p.text
			continue
		case p.id || i == at:
			b.Kind += "/0"
		default:
			b.Kind += "/" + p.text
		}
		b.Thing += "/" + p.text
	}
	return b, true
}
