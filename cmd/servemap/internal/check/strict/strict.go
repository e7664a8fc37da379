// Package strict reads XML 1.0 with namespaces as the parsers of search engines do, such as expat: it refuses what
// these refuse, and says at which line. Package encoding/xml lets much of that pass: text around the root, two roots,
// undeclared prefixes, doubled attributes. And it ends at the first fault. Where a fault leaves no doubt how to go on,
// this reader goes on, so that an owner learns of the other faults too. It must take time and memory in proportion to
// the text, whoever wrote it.
package strict

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	// Problem gets what a parser would stop at. Only the last one may have ended the reading.
	Problem(text string, line int)
}

// Read reads a text in UTF-8 as far as it goes.
func Read(text []byte, to Handler) {
	s := &scanner{line: 1, to: to, bound: map[string]string{"": "", "xml": xmlNames}}
	s.in, s.cut = readable(text)
	if s.prolog() && s.root() {
		s.epilog()
	}
}

// scanner reads one text. Each method returns false if the reading cannot go on, and has noted why.
type scanner struct {
	in       []byte // up to the first byte that no XML may have
	cut      string // what is wrong with that byte, "" if there is none
	at       int
	line     int // of counted
	counted  int // bytes whose lines are counted
	to       Handler
	open     []element
	bound    map[string]string // namespaces, by prefix
	unbound  []string          // prefixes that were told
	entities bool              // a DOCTYPE may declare entities
}

// element is one that is open.
type element struct {
	name  string    // as written
	outer []binding // what the prefixes that it declares meant around it
}

type binding struct {
	prefix, space string
	some          bool // it was declared
}

// readable returns a text up to the first byte or character that no XML may have, and what is wrong with that.
func readable(text []byte) (some []byte, why string) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return text[:i], fmt.Sprintf("the byte %02X is not UTF-8; the file is in another encoding, such as Latin-1, "+
				"or damaged", text[i])
		case !isChar(r):
			return text[:i], fmt.Sprintf("the control character U+%04X, which no XML may have", r)
		}
		i += size
	}
	return text, ""
}

// lineAt returns the line of a position. It counts from the one before, which is never far away.
func (s *scanner) lineAt(at int) int {
	if at < s.counted {
		s.line -= bytes.Count(s.in[at:s.counted], []byte("\n"))
	} else {
		s.line += bytes.Count(s.in[s.counted:at], []byte("\n"))
	}
	s.counted = at
	return s.line
}

// note notes a problem after which reading goes on.
func (s *scanner) note(at int, format string, args ...any) {
	s.to.Problem(fmt.Sprintf(format, args...), s.lineAt(min(at, len(s.in))))
}

// fail notes a problem that ends the reading.
func (s *scanner) fail(at int, format string, args ...any) bool {
	s.note(at, format, args...)
	return false
}

// ended notes that the text ends too early, or why no more of it can be read.
func (s *scanner) ended(what string) bool {
	if s.cut != "" {
		return s.fail(len(s.in), "%s", s.cut)
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
	for {
		switch {
		case s.space():
		case s.at == len(s.in):
			return s.ended("what comes before the root element")
		case declares.Match(s.rest()):
			if s.at == begin && !declaration.Match(s.rest()) {
				s.note(s.at, "the XML declaration is not as it must be: <?xml version=\"1.0\" encoding=\"UTF-8\"?>")
			} else if s.at > begin && !told {
				s.note(begin, "the XML declaration <?xml ...?> must be the very first of the file, and %s before it",
					stands(s.in[begin:s.at]))
				told = true
			}
			if _, ok := s.until("?>"); !ok {
				return s.ended("the XML declaration")
			}
		case s.has("<!--") || s.has("<?"):
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
			switch {
			case at == nil && s.has("<"): // another root
				return true
			case at == nil:
				return s.fail(s.at, "text stands before the root element: %s", quote(s.rest()))
			case !told:
				s.note(s.at, "text stands before the root element: %s", quote(s.rest()[:at[0]]))
			}
			s.at += at[0]
			return true
		}
	}
}

// stands says what stands before a declaration.
func stands(before []byte) string {
	blank := before[:len(before)-len(bytes.TrimLeft(before, blanks))]
	switch {
	case bytes.ContainsRune(blank, '\n'):
		return "a blank line stands"
	case len(blank) > 0:
		return "blanks stand"
	case declares.Match(before):
		return "another declaration stands"
	case bytes.HasPrefix(before, []byte("<?")):
		return "an instruction stands"
	case bytes.HasPrefix(before, []byte("<!--")):
		return "a comment stands"
	}
	return "a DOCTYPE stands"
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

// reference matches one: a number, a number in hexadecimal, or a name.
var reference = regexp.MustCompile(`^&(?:#([0-9]{1,7})|#x([0-9A-Fa-f]{1,7})|([^\s;&#][^\s;&]{0,61}));`)

// resolve replaces references.
func (s *scanner) resolve(raw []byte, from int) (string, bool) {
	var b strings.Builder
	for i := 0; ; {
		next := bytes.IndexByte(raw[i:], '&')
		if next < 0 {
			b.Write(raw[i:])
			return b.String(), true
		}
		b.Write(raw[i : i+next])
		i += next
		m := reference.FindSubmatch(raw[i:])
		if m == nil || nameLength(m[3]) != len(m[3]) {
			return "", s.fail(from+i, "a bare & in %s; write &amp;", quote(raw[max(0, i-30):min(len(raw), i+30)]))
		}
		text := s.meant(string(m[0]), string(m[1]), string(m[2]), string(m[3]))
		if text == "" {
			return "", s.fail(from+i, "the entity %s, which XML does not have; write &amp; for &, and other characters as "+
				"they are", m[0])
		}
		b.WriteString(text)
		i += len(m[0])
	}
}

// meant returns what a reference stands for, "" if XML does not know it.
func (s *scanner) meant(whole, number, hex, name string) string {
	switch {
	case name != "" && named[name] == "" && s.entities:
		return whole
	case name != "":
		return named[name]
	}
	r, _ := strconv.ParseInt("0"+number, 10, 32)
	if hex != "" {
		r, _ = strconv.ParseInt(hex, 16, 32)
	}
	if !isChar(rune(r)) {
		return ""
	}
	return string(rune(r))
}

func isChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= 0x10FFFF
}

// deepest is how deep elements may stand within each other. Those of a sitemap have six levels.
const deepest = 1000

// start reads a start tag, and an end with it if the element is empty.
func (s *scanner) start() bool {
	from := s.at
	s.at++
	name, ok := s.name()
	if !ok {
		return s.fail(from, "a < that begins no tag; write &lt;, or correct %s", quote(s.in[from:min(from+40, len(s.in))]))
	}
	if len(s.open) == deepest {
		return s.fail(from, "more than %d elements stand within each other", deepest)
	}
	s.open = append(s.open, element{name: name})
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
		if a.name == "xmlns" || strings.HasPrefix(a.name, "xmlns:") {
			if !s.declare(a) {
				return false
			}
		}
	}
	attrs, seen := make([]Attr, 0, len(all)), make(map[Name]bool, len(all))
	for _, a := range all {
		declares := a.name == "xmlns" || strings.HasPrefix(a.name, "xmlns:")
		n, ok := Name{xmlnsNames, a.name}, true
		if !declares {
			n, ok = s.resolved(a.name, true, a.at)
		}
		switch {
		case !ok:
			return false
		case seen[n]:
			s.note(a.at, "the attribute %s of <%s> is there twice", a.name, name)
		case !declares:
			attrs = append(attrs, Attr{n, a.value})
		}
		seen[n] = true
	}
	n, ok := s.resolved(name, false, from)
	if ok {
		s.to.Start(n, attrs, s.lineAt(from))
	}
	return ok
}

// declare binds a prefix for the innermost element. That of xmlns alone is "".
func (s *scanner) declare(a attribute) bool {
	_, prefix, some := strings.Cut(a.name, ":")
	switch {
	case some && a.value == "":
		s.note(a.at, "xmlns:%s is empty, which XML does not allow", prefix)
	case some && !isPlain(prefix):
		return s.fail(a.at, "the name %s has a colon where none may be", a.name)
	case prefix == "xmlns" || a.value == xmlnsNames || (prefix == "xml") != (a.value == xmlNames):
		s.note(a.at, "%s must not be declared as %q", a.name, a.value)
	}
	space, was := s.bound[prefix]
	in := &s.open[len(s.open)-1]
	in.outer = append(in.outer, binding{prefix, space, was})
	s.bound[prefix] = a.value
	return true
}

// isPlain reports whether a text is a name without a colon.
func isPlain(name string) bool {
	return name != "" && nameLength([]byte(name)) == len(name) && !strings.Contains(name, ":")
}

// resolved returns a name with its namespace.
func (s *scanner) resolved(name string, ofAttribute bool, at int) (Name, bool) {
	prefix, local, some := strings.Cut(name, ":")
	switch {
	case !some && ofAttribute:
		return Name{"", name}, true
	case !some:
		prefix, local = "", name
	case prefix == "" || !isPlain(local):
		return Name{}, s.fail(at, "the name %s has a colon where none may be", name)
	}
	if space, is := s.bound[prefix]; is {
		return Name{space, local}, true
	}
	if !slices.Contains(s.unbound, prefix) && len(s.unbound) < 20 {
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
	s.open = s.open[:len(s.open)-1]
	for _, b := range slices.Backward(last.outer) {
		if s.bound[b.prefix] = b.space; !b.some {
			delete(s.bound, b.prefix)
		}
	}
	s.to.End()
	return true
}

// epilog reads what stands after the root.
func (s *scanner) epilog() {
	for {
		s.space()
		switch {
		case s.at == len(s.in) && s.cut != "":
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
	return r >= 0xC0 && r <= 0x1FFF || r == 0x200C || r == 0x200D || r >= 0x2070 && r <= 0x218F ||
		r >= 0x2C00 && r <= 0x2FEF || r >= 0x3001 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFDCF ||
		r >= 0xFDF0 && r <= 0xFFFD || r >= 0x10000 && r <= 0xEFFFF
}

func inName(r rune) bool {
	return r >= '0' && r <= '9' || r == '-' || r == '.' || r == 0xB7 || r >= 0x300 && r <= 0x36F ||
		r == 0x203F || r == 0x2040
}
