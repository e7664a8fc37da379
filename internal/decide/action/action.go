// Package action says which locations name something to do rather than something to read, such
// as "log out" or "delete 5". It takes a location and knows nothing else. It must never need to
// know a word to be careful: what stands below an id is left to Split.
package action

import (
	_ "embed"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// text has the words of one class in each line: words that act alone, words that act at the end of another word, verbs,
// names of machines' programs and folders, and extensions of files.
//
//go:embed words.txt
var text string

var class = func() map[string]bool { // as "verb delete"
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		name, list, _ := strings.Cut(line, " ")
		for w := range strings.FieldsSeq(list) {
			all[name+" "+strings.Join(Words(w), "")] = true
		}
	}
	return all
}()

var (
	date   = regexp.MustCompile(`^(19|20)\d\d([-_.]?\d\d){0,2}$`)
	folder = regexp.MustCompile(`^v?\d+(\.\d+)*$|^[a-z]{2}([-_][a-z]{2})?$`) // a release or a language
	id     = regexp.MustCompile(`^(\d+|[\da-f-]{8,})$`)
	camel  = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
	plain  = strings.NewReplacer("ı", "i", "ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ß", "ss", "æ",
		"ae")
)

// Words returns the words of a text, two of deletePost, in lower case and without diacritics.
func Words(text string) []string {
	// few texts need it
	if strings.ContainsFunc(text, func(c rune) bool { return 'A' <= c && c <= 'Z' || c > unicode.MaxASCII }) {
		marks := runes.Remove(runes.In(unicode.M))
		text, _, _ = transform.String(transform.Chain(norm.NFD, marks), camel.ReplaceAllString(plain.Replace(text), "$1 $2"))
	}
	return strings.FieldsFunc(strings.ToLower(text),
		func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// piece is a segment of a path, or a name or value of a query.
type piece struct {
	text                 string // decoded, in lower case, without a known extension
	words                []string
	id, page             bool // page: it is a date or a document
	alone, verb, command bool // it acts without an object; it is a verb; it is or begins with one, as deletePost
	program, machine     bool
}

func pieces(location string) (all []piece) {
	dated := false
	for s := range strings.FieldsFuncSeq(location, func(c rune) bool { return strings.ContainsRune("/?:&=;", c) }) {
		if decoded, err := url.PathUnescape(s); err == nil {
			s = decoded
		}
		ext := strings.ToLower(strings.TrimPrefix(path.Ext(s), "."))
		p := piece{program: class["program "+ext], page: class["document "+ext], machine: class["script "+ext]}
		if p.program || p.page || p.machine {
			s = s[:len(s)-len(ext)-1]
		}
		p.text, p.words = strings.ToLower(s), Words(s)
		joined, two := strings.Join(p.words, ""), len(p.words) == 2
		dated = date.MatchString(p.text) || dated && len(p.text) <= 2
		p.id, p.page = !dated && id.MatchString(p.text), p.page || dated
		p.alone = class["alone "+joined] || two && class["leaving "+p.words[1]]
		p.verb = class["verb "+joined]
		p.command = p.verb || two && class["verb "+p.words[0]]
		p.machine = p.machine || class["machine "+joined] && (p.program || len(all) == 0)
		all = append(all, p)
	}
	return all
}

// Word returns the word of a location that says that a request for it does something: one that needs
// no object, such as logout, or a verb beside an id, in a query or as the name of a program.
func Word(location string) (name string, is bool) {
	before, query, _ := strings.Cut(location, "?")
	all := pieces(before)
	for i, p := range append(all, pieces(query)...) {
		object := i >= len(all) || slices.ContainsFunc(all[max(0, i-1):min(len(all), i+3)],
			func(p piece) bool { return p.id })
		if p.alone || object && p.command && !p.page || p.program && p.verb {
			return p.text, true
		}
	}
	return "", false
}

// Acts reports whether a request for a location may change something: it has such a word, or it names a script or a
// task that machines start.
func Acts(location string) bool {
	_, is := Word(location)
	return is || slices.ContainsFunc(pieces(location), func(p piece) bool { return p.machine })
}

// Verb reports whether a location may act or has any verb, even one that may stand in a title, as in "/stop-smoking".
func Verb(location string) bool {
	verb := func(w string) bool { return class["verb "+w] || class["alone "+w] }
	return slices.ContainsFunc(pieces(location),
		func(p piece) bool { return p.alone || p.command || p.machine || slices.ContainsFunc(p.words, verb) })
}

// Below is a location such as /users/5/posts: a word below one of many things. The word may be a
// control of each thing, such as "hide", or a page about it. The location alone does not tell which.
type Below struct {
	Kind  string // "users/0"
	Thing string // "5"
	Word  string // "posts"
	Named bool   // the thing has a name, and the word is a verb: a control if other things have the same one
}

// Split returns what a location is below, if that is one of many things: by a number or an id, or by any name and a
// verb at the end. It returns false for a document, a long title and what follows a date, release or language.
func Split(location string) (b Below, is bool) {
	before, _, _ := strings.Cut(location, "?")
	all, texts := pieces(before), []string{}
	last, at := len(all)-1, -1
	for i, p := range all {
		if p.id {
			b.Thing, at, p.text = b.Thing+"/"+p.text, i, "0"
		}
		texts = append(texts, p.text)
	}
	if at < 0 && last > 1 && all[last].verb && !all[last-1].page && !folder.MatchString(all[last-1].text) {
		at, b.Named = last-1, true
		b.Thing, texts[at] = texts[at], "0"
	}
	if at < 0 || at == last || all[last].page || len(all[last].words) > 4 {
		return Below{}, false
	}
	b.Kind, b.Word = strings.Join(texts[:at+1], "/"), strings.Join(texts[at+1:], "/")
	return b, true
}

// Waits reports whether the site leaves a location to visitors: a request for it may act, or it may be a control of one
// of many things.
func Waits(location string) bool {
	_, below := Split(location)
	return below || Acts(location)
}
