// Package strict reads XML 1.0 with namespaces as the parsers of search engines do, such as expat: it refuses what
// these refuse, and says at which line. Package encoding/xml takes much of that: text around the root, two roots,
// undeclared prefixes, doubled attributes. Where a fault leaves no doubt how to go on, it goes on, so that a reader
// learns of the other faults too. It must take time and memory in proportion to the text, whoever wrote it.
package strict

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is a place where a parser stops.
type Problem struct {
	Line int
	Text string
}

// Name is the name of an element or an attribute, with its namespace.
type Name struct{ Space, Local string }

// Attr is an attribute that declares no namespace.
type Attr struct {
	Name
	Value string
}

// Handler gets what is read, in its order. Line is where the element, or the text, begins.
type Handler interface {
	Start(name Name, attrs []Attr, line int)
	Text(text string, line int)
	End()
}

// Read reads a text in UTF-8 as far as it goes, and returns what a parser would stop at. Only the last problem may
// have ended the reading.
func Read(text []byte, to Handler) []Problem {
	s := &scanner{in: text, line: 1, to: to}
	s.cut = firstBad(text)
	s.in = text[:len(text)-len(s.cut.rest)]
	if s.prolog() && s.root() {
		s.epilog()
	}
	return s.problems
}

// scanner reads one text. Each method returns false if the reading cannot go on, and has noted why.
type scanner struct {
	in       []byte // up to the first byte that no XML may have
	cut      bad
	at       int
	line     int // of counted
	counted  int // bytes whose lines are counted
	to       Handler
	open     []element
	bound    []binding // namespaces, the innermost last
	unbound  []string  // prefixes that were told
	entities bool      // a DOCTYPE may declare entities
	problems []Problem
}

// element is one that is open.
type element struct {
	name  string // as written
	bound int    // how many namespaces were declared around it
}

type binding struct{ prefix, space string }

// bad is where a text has a byte or a character that no XML may have.
type bad struct {
	rest []byte // from there on
	why  string
}

// firstBad finds the first such place.
func firstBad(text []byte) bad {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < utf8.RuneSelf || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return bad{text[i:], fmt.Sprintf("the byte %02X is not UTF-8; the file is in another encoding, such as Latin-1, or damaged", c)}
		case r < 0x20 || r == 0xFFFE || r == 0xFFFF:
			return bad{text[i:], fmt.Sprintf("the control character U+%04X, which no XML may have", r)}
		}
		i += size
	}
	return bad{}
}

// lineAt returns the line of a position. Positions mostly grow.
func (s *scanner) lineAt(at int) int {
	if at < s.counted {
		return 1 + bytes.Count(s.in[:at], []byte("\n"))
	}
	s.line += bytes.Count(s.in[s.counted:at], []byte("\n"))
	s.counted = at
	return s.line
}

// note notes a problem after which reading goes on.
func (s *scanner) note(at int, format string, args ...any) {
	s.problems = append(s.problems, Problem{s.lineAt(min(at, len(s.in))), fmt.Sprintf(format, args...)})
}

// fail notes a problem that ends the reading.
func (s *scanner) fail(at int, format string, args ...any) bool {
	s.note(at, format, args...)
	return false
}

// ended notes that the text ends too early, or why no more of it can be read.
func (s *scanner) ended(what string) bool {
	if s.cut.why != "" {
		return s.fail(len(s.in), "%s", s.cut.why)
	}
	return s.fail(len(s.in), "the file ends within %s", what)
}

func (s *scanner) rest() []byte { return s.in[s.at:] }

func (s *scanner) has(prefix string) bool { return bytes.HasPrefix(s.rest(), []byte(prefix)) }

// until moves behind an end mark, and returns what stands before it.
func (s *scanner) until(mark string) (before []byte, ok bool) {
	before, _, ok = bytes.Cut(s.rest(), []byte(mark))
	if ok {
		s.at += len(before) + len(mark)
	}
	return before, ok
}

const blanks = " \t\r\n"

func (s *scanner) space() (some bool) {
	from := s.at
	s.at = len(s.in) - len(bytes.TrimLeft(s.rest(), blanks))
	return s.at > from
}

// declaration matches an XML declaration as the grammar has it.
var declaration = regexp.MustCompile(`^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.[0-9]+"|'1\.[0-9]+')` +
	`(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?` +
	`(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>`)

// declares matches what begins a declaration, well-formed or not, and not another instruction such as xml-stylesheet.
var declares = regexp.MustCompile(`^<\?(?i:xml)[ \t\r\n?]`)

// likely matches the root of a file that lists pages, wherever it stands, and here such a one at the beginning.
var (
	likely = regexp.MustCompile(roots)
	here   = regexp.MustCompile("^" + roots)
)

const roots = `<(?:[A-Za-z_][\w.-]*:)?(?:urlset|sitemapindex|rss|feed|RDF)[ \t\r\n/>]`

// prolog reads what stands before the root.
func (s *scanner) prolog() bool {
	if s.has("\ufeff") {
		s.at += len("\ufeff")
	}
	begin, told := s.at, false
	before := "" // what stands before, that no declaration may follow
	for {
		from := s.at
		switch {
		case s.space():
			if before == "" {
				before = "blanks"
				if bytes.Contains(s.in[from:s.at], []byte("\n")) {
					before = "a blank line"
				}
			}
		case s.at == len(s.in):
			return s.ended("what comes before the root element")
		case declares.Match(s.rest()):
			if s.at > begin && !told {
				s.note(begin, "the XML declaration <?xml ...?> must be the very first of the file, and %s before it", verb(before))
				told = true
			} else if m := declaration.Find(s.rest()); m == nil {
				s.note(s.at, "the XML declaration is not as it must be: <?xml version=\"1.0\" encoding=\"UTF-8\"?>")
			}
			before = "another declaration"
			if _, ok := s.until("?>"); !ok {
				return s.ended("the XML declaration")
			}
		case s.has("<!--") || s.has("<?"):
			if before == "" || before == "another declaration" && !told {
				before = "a comment"
				if s.has("<?") {
					before = "an instruction"
				}
			}
			if !s.aside() {
				return false
			}
		case s.has("<!DOCTYPE"):
			if !s.doctype() {
				return false
			}
		case here.Match(s.head()):
			return true
		default:
			at := likely.FindIndex(s.rest())
			if at == nil { // another root, or none
				if !s.has("<") {
					return s.fail(s.at, "text stands before the root element: %s", quote(s.rest()))
				}
				return true
			}
			if !told {
				s.note(s.at, "text stands before the root element: %s", quote(s.rest()[:at[0]]))
				told = true
			}
			s.at += at[0]
			return true
		}
	}
}

// verb makes a sentence of what stands somewhere.
func verb(what string) string {
	if what == "blanks" {
		return "blanks stand"
	}
	return what + " stands"
}

// head returns the next bytes, as many as the name of a root may take.
func (s *scanner) head() []byte { return s.in[s.at:min(s.at+100, len(s.in))] }

// quote returns a text as a message shows it, without markup.
func quote(text []byte) string {
	const most = 80
	text = text[:min(len(text), 4*most)]
	plain := strings.Join(strings.Fields(tag.ReplaceAllString(newLine.ReplaceAllString(string(text), " "), "")), " ")
	if plain == "" {
		plain = strings.Join(strings.Fields(string(text)), " ")
	}
	if cut := []rune(plain); len(cut) > most {
		plain = string(cut[:most]) + "…"
	}
	return `"` + plain + `"`
}

var (
	tag     = regexp.MustCompile(`<[^<>]*>`)
	newLine = regexp.MustCompile(`(?i)<(?:br|/?p|/?div)\b[^<>]*>`)
)

// aside reads a comment or an instruction.
func (s *scanner) aside() bool {
	from := s.at
	if s.has("<?") {
		s.at += 2
		target, ok := s.name()
		switch {
		case !ok:
			return s.fail(from, "<? without a name")
		case strings.EqualFold(target, "xml"):
			return s.fail(from, "a second XML declaration; <?xml ...?> may stand only at the very beginning")
		case strings.Contains(target, ":"):
			return s.fail(from, "an instruction whose name has a colon")
		case !s.space() && !s.has("?>"):
			return s.fail(from, "an instruction that is not well-formed")
		}
		if _, ok := s.until("?>"); !ok {
			return s.ended("an instruction")
		}
		return true
	}
	s.at += len("<!--")
	inside, ok := s.until("-->")
	if !ok {
		return s.ended("a comment")
	}
	if bytes.Contains(inside, []byte("--")) || bytes.HasSuffix(inside, []byte("-")) {
		s.note(from, "a comment with -- in it")
	}
	return true
}

// doctype reads over a document type. It may declare entities, which nobody reads for a sitemap.
func (s *scanner) doctype() bool {
	s.entities = true
	inside, quoted := 0, byte(0)
	for s.at += len("<!DOCTYPE"); s.at < len(s.in); s.at++ {
		switch c := s.in[s.at]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'':
			quoted = c
		case c == '[':
			inside++
		case c == ']':
			inside--
		case c == '>' && inside <= 0:
			s.at++
			return true
		}
	}
	return s.ended("the DOCTYPE")
}

// root reads the root element to its end.
func (s *scanner) root() bool {
	if !s.start() {
		return false
	}
	for len(s.open) > 0 {
		from := s.at
		switch {
		case s.at == len(s.in):
			return s.ended("<" + s.open[len(s.open)-1].name + ">")
		case s.has("</"):
			if !s.end() {
				return false
			}
		case s.has("<![CDATA["):
			s.at += len("<![CDATA[")
			text, ok := s.until("]]>")
			if !ok {
				return s.ended("a CDATA section")
			}
			s.to.Text(string(text), s.lineAt(from))
		case s.has("<!--") || s.has("<?"):
			if !s.aside() {
				return false
			}
		case s.has("<!"):
			return s.fail(s.at, "a declaration <!... inside the root element")
		case s.has("<"):
			if !s.start() {
				return false
			}
		default:
			if !s.text() {
				return false
			}
		}
	}
	return true
}

// text reads characters up to the next tag.
func (s *scanner) text() bool {
	from := s.at
	raw := s.rest()
	if i := bytes.IndexByte(raw, '<'); i >= 0 {
		raw = raw[:i]
	}
	s.at += len(raw)
	if i := bytes.Index(raw, []byte("]]>")); i >= 0 {
		s.note(from+i, "]]> in a text; write ]]&gt;")
	}
	text, ok := s.resolve(raw, from)
	if ok {
		s.to.Text(text, s.lineAt(from))
	}
	return ok
}

// named are the entities that XML has.
var named = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// resolve replaces references.
func (s *scanner) resolve(raw []byte, from int) (string, bool) {
	if bytes.IndexByte(raw, '&') < 0 {
		return string(raw), true
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		next := bytes.IndexByte(raw[i:], '&')
		if next < 0 {
			b.Write(raw[i:])
			break
		}
		b.Write(raw[i : i+next])
		i += next
		text, size := s.reference(raw[i:])
		if size == 0 {
			return "", s.fail(from+i, "a bare & in %s; write &amp;", quote(raw[max(0, i-30):min(len(raw), i+30)]))
		}
		if text == "" && size > 0 {
			return "", s.fail(from+i, "the entity %s, which XML does not have; write &amp; for &, and other characters as they are", raw[i:i+size])
		}
		b.WriteString(text)
		i += size
	}
	return b.String(), true
}

// reference returns what a reference stands for, "" if XML does not know it, and how long it is, 0 if it is none.
func (s *scanner) reference(raw []byte) (text string, size int) {
	end := bytes.IndexByte(raw[:min(len(raw), 64)], ';')
	if end < 2 {
		return "", 0
	}
	name := string(raw[1:end])
	if name[0] == '#' {
		var r rune
		format := "#%d"
		if strings.HasPrefix(name, "#x") {
			format = "#x%x"
		}
		digits := strings.TrimPrefix(strings.TrimPrefix(name, "#"), "x")
		if strings.Trim(digits, "0123456789abcdefABCDEF") != "" || digits == "" || len(digits) > 7 {
			return "", 0
		}
		if _, err := fmt.Sscanf(name, format, &r); err != nil {
			return "", 0
		}
		if !isChar(r) {
			return "", end + 1
		}
		return string(r), end + 1
	}
	if n := nameLength([]byte(name)); n != len(name) {
		return "", 0
	}
	if text = named[name]; text == "" && s.entities {
		text = string(raw[:end+1])
	}
	return text, end + 1
}

func isChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

// start reads a start tag, and an end with it if the element is empty.
func (s *scanner) start() bool {
	from := s.at
	s.at++
	name, ok := s.name()
	if !ok {
		return s.fail(from, "a < that begins no tag; write &lt;, or correct %s", quote(s.in[from:min(from+40, len(s.in))]))
	}
	s.open = append(s.open, element{name, len(s.bound)})
	var all []attribute
	for {
		spaced := s.space()
		switch {
		case s.at == len(s.in):
			return s.ended("the tag <" + name + ">")
		case s.has("/>"):
			s.at += 2
			return s.begin(name, all, from) && s.close()
		case s.has(">"):
			s.at++
			return s.begin(name, all, from)
		case !spaced:
			return s.fail(s.at, "the tag <%s> is not well-formed at %s", name, quote(s.in[s.at:min(s.at+30, len(s.in))]))
		}
		a, ok := s.attribute(name)
		if !ok {
			return false
		}
		all = append(all, a)
	}
}

// attribute is one as written.
type attribute struct {
	name, value string
	at          int
}

func (s *scanner) attribute(of string) (a attribute, ok bool) {
	a.at = s.at
	if a.name, ok = s.name(); !ok {
		return a, s.fail(s.at, "the tag <%s> is not well-formed at %s", of, quote(s.in[s.at:min(s.at+30, len(s.in))]))
	}
	s.space()
	if !s.has("=") {
		return a, s.fail(a.at, "the attribute %s of <%s> has no value", a.name, of)
	}
	s.at++
	s.space()
	if !s.has(`"`) && !s.has("'") {
		return a, s.fail(a.at, "the value of the attribute %s of <%s> stands in no quotes", a.name, of)
	}
	mark := string(s.in[s.at])
	s.at++
	from := s.at
	raw, found := s.until(mark)
	if !found {
		return a, s.ended("the value of an attribute of <" + of + ">")
	}
	if bytes.IndexByte(raw, '<') >= 0 {
		return a, s.fail(a.at, "a < in the value of the attribute %s of <%s>", a.name, of)
	}
	a.value, ok = s.resolve(raw, from)
	return a, ok
}

const xmlNames, xmlnsNames = "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"

// begin checks an element and its attributes, resolves their prefixes and hands them over.
func (s *scanner) begin(name string, all []attribute, from int) bool {
	for _, a := range all {
		prefix, isPrefix := strings.CutPrefix(a.name, "xmlns:")
		if !isPrefix {
			prefix = ""
		}
		switch {
		case !isPrefix && a.name != "xmlns":
			continue
		case isPrefix && a.value == "":
			s.note(a.at, "xmlns:%s is empty, which XML does not allow", prefix)
		case isPrefix && (nameLength([]byte(prefix)) != len(prefix) || prefix == "" || strings.Contains(prefix, ":")):
			return s.fail(a.at, "the name %s has a colon where none may be", a.name)
		case prefix == "xmlns" || a.value == xmlnsNames || (prefix == "xml") != (a.value == xmlNames):
			s.note(a.at, "%s must not be declared as %q", a.name, a.value)
		}
		s.bound = append(s.bound, binding{prefix, a.value})
	}
	attrs, seen := make([]Attr, 0, len(all)), map[string]bool{}
	for _, a := range all {
		if seen[a.name] {
			s.note(a.at, "the attribute %s of <%s> is there twice", a.name, name)
			continue
		}
		seen[a.name] = true
		if a.name == "xmlns" || strings.HasPrefix(a.name, "xmlns:") {
			continue
		}
		n, ok := s.resolved(a.name, true, a.at)
		if !ok {
			return false
		}
		if n.Space != "" && slices.ContainsFunc(attrs, func(other Attr) bool { return other.Name == n }) {
			s.note(a.at, "the attribute %s of <%s> is there twice", a.name, name)
			continue
		}
		attrs = append(attrs, Attr{n, a.value})
	}
	n, ok := s.resolved(name, false, from)
	if ok {
		s.to.Start(n, attrs, s.lineAt(from))
	}
	return ok
}

// resolved returns a name with its namespace.
func (s *scanner) resolved(name string, ofAttribute bool, at int) (Name, bool) {
	prefix, local, some := strings.Cut(name, ":")
	switch {
	case !some && ofAttribute:
		return Name{"", name}, true
	case !some:
		prefix, local = "", name
	case prefix == "" || nameLength([]byte(local)) != len(local) || local == "" || strings.Contains(local, ":"):
		return Name{}, s.fail(at, "the name %s has a colon where none may be", name)
	case prefix == "xml":
		return Name{xmlNames, local}, true
	}
	for i := len(s.bound) - 1; i >= 0; i-- {
		if s.bound[i].prefix == prefix {
			return Name{s.bound[i].space, local}, true
		}
	}
	if prefix != "" && !slices.Contains(s.unbound, prefix) && len(s.unbound) < 20 {
		s.unbound = append(s.unbound, prefix)
		s.note(at, "the prefix %s: of <%s> is not declared; the root element must have xmlns:%[1]s", prefix, name)
	}
	return Name{prefix, local}, true
}

// end reads an end tag.
func (s *scanner) end() bool {
	from := s.at
	s.at += 2
	name, ok := s.name()
	s.space()
	last := s.open[len(s.open)-1].name
	switch {
	case s.at == len(s.in):
		return s.ended("the tag </" + name)
	case !ok || !s.has(">"):
		return s.fail(from, "the end tag %s is not well-formed", quote(s.in[from:min(from+40, len(s.in))]))
	case name != last:
		return s.fail(from, "</%s> ends no element; <%s> is open", name, last)
	}
	s.at++
	return s.close()
}

// close ends the innermost element.
func (s *scanner) close() bool {
	last := s.open[len(s.open)-1]
	s.open, s.bound = s.open[:len(s.open)-1], s.bound[:last.bound]
	s.to.End()
	return true
}

// epilog reads what stands after the root.
func (s *scanner) epilog() {
	for {
		s.space()
		switch {
		case s.at == len(s.in) && s.cut.why != "":
			s.ended("")
			return
		case s.at == len(s.in):
			return
		case declares.Match(s.rest()):
			s.fail(s.at, "a second XML declaration, after the root element; two files are joined")
			return
		case s.has("<!--") || s.has("<?"):
			if !s.aside() {
				return
			}
		case here.Match(s.head()):
			s.fail(s.at, "a second root element; a file has one")
			return
		default:
			s.fail(s.at, "text stands after the root element: %s", quote(s.rest()))
			return
		}
	}
}

// name reads a name.
func (s *scanner) name() (string, bool) {
	n := nameLength(s.in[s.at:min(s.at+4096, len(s.in))])
	s.at += n
	return string(s.in[s.at-n : s.at]), n > 0
}

// nameLength returns how many bytes a name takes with which a text begins, 0 if none does.
func nameLength(text []byte) (n int) {
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if !startsName(r) && (n == 0 || !inName(r)) {
			break
		}
		n += size
	}
	return n
}

// startsName and inName are NameStartChar and NameChar of the standard.
func startsName(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == ':'
	case r == utf8.RuneError, r == 0xFEFF, r == 0xD7, r == 0xF7, r >= 0x300 && r <= 0x36F, r == 0x37E:
		return false
	}
	return r >= 0xC0 && r <= 0x1FFF || r == 0x200C || r == 0x200D || r >= 0x2070 && r <= 0x218F || r >= 0x2C00 && r <= 0x2FEF ||
		r >= 0x3001 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0 && r <= 0xFFFD || r >= 0x10000 && r <= 0xEFFFF
}

func inName(r rune) bool {
	return r >= '0' && r <= '9' || r == '-' || r == '.' || r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040
}
