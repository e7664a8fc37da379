// Package action says which locations name something to do rather than something to read, such
// as "log out" or "delete 5". It takes a location and knows nothing else. It must never need to
// know a word to be careful: what stands below an id is left to Split.
package action

import (
	_ "embed"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// classes are the words of words.txt: those that log out, those that act alone, verbs that act
// beside an id or in a query, machines' names, and file extensions. One line has words of one class.
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
	date   = regexp.MustCompile(`^(19|20)\d\d([-_.]?(0[1-9]|1[0-2])([-_.]?[0-3]\d)?)?$`)
	digits = regexp.MustCompile(`\d+`)
	key    = regexp.MustCompile(`^(\d+|[0-9a-f]{8,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	// folder is the name of a release, a language or a year's event, such as 3.11, pt-br or vote-2026.
	folder = regexp.MustCompile(`^v\d+$|^v?\d+(\.\d+)+$|^[a-z]{2}([-_][a-z]{2})?$|^\D+[-_](19|20)\d\d$`)
	plain  = strings.NewReplacer("ı", "i", "ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ß", "ss", "æ", "ae")
)

// Words returns the words of a text in lower case and without diacritics. It cuts at everything
// but letters and digits, and before a capital as in deletePost.
func Words(text string) []string {
	other := func(c rune) bool { return (c < 'a' || 'z' < c) && (c < '0' || '9' < c) }
	if !strings.ContainsFunc(text, func(c rune) bool { return c > '~' || 'A' <= c && c <= 'Z' }) { // most are so
		return strings.FieldsFunc(text, other)
	}
	var b strings.Builder
	lower := false
	for _, c := range norm.NFD.String(plain.Replace(text)) {
		switch {
		case unicode.IsMark(c):
			continue
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			c = ' '
		case lower && unicode.IsUpper(c):
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(c)
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.Fields(b.String())
}

// longestControl is how many words a control has at most. A longer name is a title.
const longestControl = 4

// piece is a segment of a path, or a name or value of a query.
type piece struct {
	text      string // decoded, in lower case, without the extension of a program or document
	extension string // that of a program, script or document
	words     []string
	joined    string // the words
	query     bool
	id, dated bool   // it is a number, a UUID or hex digits; or a date
	kind      string // what it names one of, such as "0" or "item0", or the text
}

// tell finds out what a piece with a digit names. below says that it is not the first one, and
// dated that it follows a date.
func (p *piece) tell(below, dated bool) {
	p.dated = date.MatchString(p.text) || dated && len(p.text) <= 2 && p.text <= "31" && key.MatchString(p.text)
	p.id = !p.dated && key.MatchString(p.text)
	switch {
	case p.id || p.dated:
		p.kind = "0"
	case folder.MatchString(p.text):
	case below:
		p.kind = "*0"
	default:
		p.kind = digits.ReplaceAllString(p.text, "0")
	}
}

func pieces(location string) (all []piece) {
	path, query, _ := strings.Cut(location, "?")
	cut := func(s, at string, isQuery bool) {
		for s := range strings.FieldsFuncSeq(s, func(c rune) bool { return strings.ContainsRune(at, c) }) {
			if decoded, err := url.PathUnescape(s); err == nil {
				s = decoded
			}
			p := piece{query: isQuery}
			if dot := strings.LastIndexByte(s, '.'); dot > 0 {
				if e := strings.ToLower(s[dot+1:]); classes["program"][e] || classes["script"][e] || classes["document"][e] {
					s, p.extension = s[:dot], e
				}
			}
			p.text, p.words = strings.ToLower(s), Words(s)
			p.joined = strings.Join(p.words, "")
			if p.kind = p.text; strings.ContainsAny(p.text, "0123456789") {
				p.tell(len(all) > 0, len(all) > 0 && all[len(all)-1].dated)
			}
			all = append(all, p)
		}
	}
	cut(path, "/:", false)
	for parameter := range strings.SplitSeq(query, "&") {
		if !strings.HasPrefix(parameter, "page=") {
			cut(parameter, "=;", true)
		}
	}
	return all
}

// Word returns the word of a location that says that a request for it does something: one that
// needs no object, such as logout, or a verb beside an id, in a query, as the name of a program or
// in the back office.
func Word(location string) (name string, is bool) {
	all := pieces(location)
	for i, p := range all {
		before := i > 0 && all[i-1].id && classes["verb"][p.joined]
		after := false
		for _, next := range all[i+1 : min(len(all), i+4)] {
			after = after || next.id
		}
		office := i > 0 && classes["office"][all[0].joined]
		program := classes["program"][p.extension] && !strings.ContainsAny(p.text, "-.") // titles have dashes
		if classes["alone"][p.joined] || p.leaves() ||
			!classes["document"][p.extension] && (before || p.commands() && (after || program || office || p.query)) {
			return p.text, true
		}
	}
	return "", false
}

// leaves reports whether a piece says log out, alone, after a word as in user-logout, or at the
// end of one as in userlogout.
func (p *piece) leaves() bool {
	leaving := classes["leaving"]
	if len(p.words) != 1 || leaving[p.joined] {
		return leaving[p.joined] || len(p.words) > 0 && leaving[strings.Join(p.words[1:], "")]
	}
	for i := range p.joined {
		if end := p.joined[i:]; len(end) >= len("logout") && leaving[end] {
			return true
		}
	}
	return false
}

// commands reports whether a piece is a verb, or a short phrase with one at an end.
func (p *piece) commands() bool {
	n, verb := len(p.words), classes["verb"]
	return verb[p.joined] || n > 1 && n <= 3 && (verb[p.words[0]] || verb[p.words[n-1]])
}

// Machine reports whether a location is that of a script, or of a task that machines start.
func Machine(location string) bool {
	all := pieces(location)
	for i, p := range all {
		program, between := classes["program"][p.extension], i == 0 || i < len(all)-1
		if classes["script"][p.extension] || classes["machine"][p.joined] && (between || program) || classes["task"][p.joined] && program {
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
	Dated bool   // the thing is a date
	Weak  bool   // it is one of many things only if another one has the same word
}

// Split returns what a location is below, if that is one of many things: by a number, an id, a
// date, digits in its name, or a verb at the end of the location. It returns false for a document
// and a long title, which are no controls.
func Split(location string) (b Below, is bool) {
	path, _, _ := strings.Cut(location, "?")
	all, at := pieces(path), -1
	for i, p := range all {
		if p.id || p.dated || p.kind != p.text {
			at, b.Dated, b.Weak = i, p.dated, i == 0 && !p.id && !p.dated
		}
	}
	last := len(all) - 1
	switch {
	case last < 1, at == last, classes["document"][all[last].extension], len(all[last].words) > longestControl:
		return b, false
	case at < 0 && (last < 2 || !classes["verb"][all[last].joined] || folder.MatchString(all[last-1].text)):
		return b, false
	case at < 0:
		at, b.Weak, all[last-1].kind = last-1, true, "*"
	}
	for i, p := range all {
		if i <= at {
			b.Kind, b.Thing = b.Kind+"/"+p.kind, b.Thing+"/"+p.text
		} else {
			b.Word += "/" + p.text
		}
	}
	return b, true
}

// Shape returns a location with all that names one of many things as "0".
func Shape(location string) (shape string) {
	if b, is := Split(location); is {
		return b.Kind + b.Word
	}
	for _, p := range pieces(location) {
		shape += "/" + p.kind
	}
	return shape
}
