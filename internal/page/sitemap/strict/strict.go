// Package strict reads XML 1.0 with namespaces as the parsers of search engines do, such as expat: it refuses what
// these refuse, and says at which line. Package encoding/xml, which does the reading, lets some of that pass: text
// around the root, two roots, undeclared prefixes, doubled attributes, attributes that nothing parts. And it ends at
// the first fault. Before the root, and where a name tells what is meant, this reader goes on, so that an owner learns
// of the other faults too. It also unpacks a text, and turns it into UTF-8. It must take time and memory in proportion
// to the text, whoever wrote it.
package strict

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Handler gets what is read, in its order. Line is where the element, or the text, begins.
type Handler interface {
	// Start gets an element with its attributes, those that declare namespaces too.
	Start(e xml.StartElement, line int)
	Text(text string, line int)
	End()
	// Problem gets what a parser would stop at. Only the last one may have ended the reading.
	Problem(text string, line int)
}

// Read reads a text in UTF-8 as far as it goes, or until ctx ends.
func Read(ctx context.Context, text []byte, to Handler) {
	s := &scanner{to: to, spaces: map[string]bool{"": true, xmlNames: true, "xmlns": true}}
	s.text, s.cut = readable(text)
	s.begin = len(s.text) - len(bytes.TrimPrefix(s.text, []byte("\ufeff")))
	from := s.begin
	if rest := s.text[from:]; declares.Match(rest) {
		if from += len(declaration.Find(rest)); from == s.begin {
			s.note(1, `the XML declaration is not as it must be: <?xml version="1.0" encoding="UTF-8"?>`)
			from += bytes.IndexByte(rest, '>') + 1
		}
	}
	s.restart(from)
	for ctx.Err() == nil && s.next() {
	}
}

// scanner reads one text.
type scanner struct {
	text  []byte // up to the first byte that no XML may have
	cut   string // what is wrong with that byte, "" if there is none
	begin int    // behind a byte order mark
	to    Handler

	from     *xml.Decoder
	at, line int // where the decoder began
	open     []string
	rooted   bool              // the root was met
	told     bool              // it was noted that something stands before the root
	spaces   map[string]bool   // namespaces that were declared somewhere, and undeclared prefixes that were noted
	entities map[string]string // the entities that the text declares, nil before its document type
}

// restart goes on reading at a place.
func (s *scanner) restart(at int) {
	s.at, s.line = at, 1+bytes.Count(s.text[:at], []byte("\n"))
	s.from = xml.NewDecoder(bytes.NewReader(s.text[at:]))
	s.from.CharsetReader = func(_ string, same io.Reader) (io.Reader, error) { return same, nil }
	s.from.Entity = s.entities
}

// place returns the position and the line of what comes next.
func (s *scanner) place() (at, line int) {
	line, _ = s.from.InputPos()
	return s.at + int(s.from.InputOffset()), s.line + line - 1
}

// note notes a problem after which reading goes on.
func (s *scanner) note(line int, format string, args ...any) {
	s.to.Problem(fmt.Sprintf(format, args...), line)
}

// fail notes a problem that ends the reading.
func (s *scanner) fail(line int, format string, args ...any) bool {
	s.note(line, format, args...)
	return false
}

// readable returns a text up to the first byte or character that no XML may have, and what is wrong with that.
func readable(text []byte) (some []byte, why string) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return text[:i], fmt.Sprintf("the byte %02X is not UTF-8; the file is in another encoding, such as Latin-1, "+
				"or damaged", text[i])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0xFFFE, r == 0xFFFF:
			return text[:i], fmt.Sprintf("the control character U+%04X, which no XML may have", r)
		}
		i += size
	}
	return text, ""
}

const (
	blanks   = " \t\r\n"
	xmlNames = "http://www.w3.org/XML/1998/namespace"
	roots    = `<(?:[A-Za-z_][\w.-]*:)?(?:urlset|sitemapindex|rss|feed|RDF)[ \t\r\n/>]`
)

var (
	// declaration matches an XML declaration as the grammar has it.
	declaration = regexp.MustCompile(`^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.[0-9]+"|'1\.[0-9]+')` +
		`(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?` +
		`(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>`)
	// declares matches the beginning of a declaration, even of one that is not well-formed, but of no other
	// instruction, such as xml-stylesheet.
	declares = regexp.MustCompile(`^<\?(?i:xml)[ \t\r\n?]`)
	// likely matches the root of a file that lists pages, wherever it stands; here matches one at the beginning.
	likely = regexp.MustCompile(roots)
	here   = regexp.MustCompile("^" + roots)
	entity = regexp.MustCompile(`<!ENTITY\s+([^\s%]+)\s+(?:"([^"&]*)"|'([^'&]*)')`)
	// joined matches an attribute that stands right behind the one before it.
	joined = regexp.MustCompile(`^<[^"'>]*(?:(?:"[^"]*"|'[^']*')[\s/>][^"'>]*)*(?:"[^"]*"|'[^']*')[^\s/>]`)
)

// next reads on by one token, and returns false at the end.
func (s *scanner) next() bool {
	at, line := s.place()
	token, err := s.from.Token()
	end, _ := s.place()
	switch {
	case err != nil && !s.rooted && err != io.EOF:
		return s.before(at, line) || s.fault(err, at, end)
	case err != nil && s.rooted && len(s.open) == 0:
		return s.after(at, line)
	case err != nil:
		return s.fault(err, at, end)
	}
	raw := s.text[at:end]
	switch t := token.(type) {
	case xml.StartElement:
		return s.start(t, at, line, raw)
	case xml.EndElement:
		s.open = s.open[:len(s.open)-1]
		s.to.End()
	case xml.CharData:
		switch {
		case len(s.open) > 0:
			s.to.Text(string(t), line)
		case len(bytes.TrimLeft(raw, blanks)) == 0:
		case s.rooted:
			return s.after(at, line)
		case !s.before(at, line):
			return s.fail(line, "text stands before the root element: %s", quote(s.text[at:]))
		}
	case xml.ProcInst:
		return s.instruction(t.Target, at, line, raw)
	case xml.Directive:
		if s.rooted || s.entities != nil || !bytes.HasPrefix(t, []byte("DOCTYPE")) {
			return s.fail(line, "a declaration <!... where none may be")
		}
		s.entities = map[string]string{}
		for _, e := range entity.FindAllSubmatch(raw, -1) {
			s.entities[string(e[1])] = string(e[2]) + string(e[3])
		}
		if s.from.Entity = s.entities; s.expanded() > mostExpanded {
			return s.fail(line, "entities that stand for more than %d MiB in all; parsers stop there", mostExpanded>>20)
		}
	}
	return true
}

// mostExpanded is how many bytes the entities of a text may stand for: in expat, a text that is longer must not consist
// of entities for the most part.
const mostExpanded = 8 << 20

// reference matches what stands for an entity.
var reference = regexp.MustCompile(`&([^\s&;<]+);`)

// expanded returns for how many bytes the entities of the text stand.
func (s *scanner) expanded() (n int) {
	for rest := s.text; ; {
		at := reference.FindSubmatchIndex(rest)
		if at == nil {
			return n
		}
		n += len(s.entities[string(rest[at[2]:at[3]])])
		rest = rest[at[1]:]
	}
}

// before notes what stands before the root, and goes on at the root, wherever it is. It returns false if there is none.
func (s *scanner) before(at, line int) bool {
	root := likely.FindIndex(s.text[at:])
	if root == nil || root[0] == 0 {
		return false
	}
	if !s.told {
		line += bytes.Count(s.text[at:at+leading(s.text[at:])], []byte("\n"))
		s.note(line, "text stands before the root element: %s", quote(s.text[at:at+root[0]]))
	}
	s.told = true
	s.restart(at + root[0])
	return true
}

// leading returns how many blanks a text begins with.
func leading(text []byte) int { return len(text) - len(bytes.TrimLeft(text, blanks)) }

// after notes what stands after the root, and ends the reading.
func (s *scanner) after(at, line int) bool {
	blank := leading(s.text[at:])
	rest := s.text[at+blank:]
	line += bytes.Count(s.text[at:at+blank], []byte("\n"))
	switch {
	case len(rest) == 0 && s.cut != "":
		return s.fail(line, "%s", s.cut)
	case len(rest) == 0:
		return false
	case declares.Match(rest):
		return s.fail(line, "a second XML declaration, after the root element; two files are joined")
	case here.Match(rest):
		return s.fail(line, "a second root element; a file has one")
	}
	return s.fail(line, "text stands after the root element: %s", quote(rest))
}

// instruction checks <?...?>.
func (s *scanner) instruction(target string, at, line int, raw []byte) bool {
	rest := raw[len("<?")+len(target):]
	switch {
	case declares.Match(raw) && s.rooted && len(s.open) == 0:
		return s.after(at, line)
	case declares.Match(raw) && s.rooted:
		return s.fail(line, "a second XML declaration; <?xml ...?> may stand only at the very beginning")
	case declares.Match(raw) && !s.told:
		s.told = true
		before := quote(s.text[s.begin:at])
		if before == `""` {
			before = "blank space"
		}
		s.note(1, "the XML declaration <?xml ...?> must be the very first of the file, and %s stands before it", before)
	case strings.Contains(target, ":") || leading(rest) == 0 && !bytes.HasPrefix(rest, []byte("?>")):
		return s.fail(line, "an instruction that is not well-formed: %s", quote(raw))
	}
	return true
}

// deepest is how deep elements may stand within each other. Those of a sitemap have six levels.
const deepest = 1000

// start checks an element and its attributes, and hands them over.
func (s *scanner) start(e xml.StartElement, at, line int, raw []byte) bool {
	switch {
	case len(s.open) == 0 && !s.rooted && !here.Match(raw) && s.before(at, line):
		return true
	case len(s.open) == 0 && s.rooted:
		return s.after(at, line)
	case len(s.open) == deepest:
		return s.fail(line, "more than %d elements stand within each other", deepest)
	case len(e.Attr) > 1 && joined.Match(raw):
		return s.fail(line, "the tag %.200s is not well-formed: a blank is missing between two attributes", raw)
	}
	s.rooted = true
	s.open = append(s.open, string(raw[1:bytes.IndexAny(raw, blanks+"/>")]))
	seen := make(map[xml.Name]bool, len(e.Attr))
	for _, a := range e.Attr {
		if a.Name.Space == "xmlns" || a.Name == (xml.Name{Local: "xmlns"}) {
			s.spaces[a.Value] = true
		}
		if a.Name.Space == "xmlns" && (a.Value == "" || a.Name.Local == "xmlns" ||
			(a.Name.Local == "xml") != (a.Value == xmlNames)) {
			s.note(line, "xmlns:%s=%q, which XML does not allow", a.Name.Local, a.Value)
		}
		if seen[a.Name] {
			s.note(line, "the attribute %s of <%s> is there twice", a.Name.Local, e.Name.Local)
		}
		seen[a.Name] = true
	}
	if !s.declared(e.Name, line) {
		return false
	}
	for _, a := range e.Attr {
		if !s.declared(a.Name, line) {
			return false
		}
	}
	s.to.Start(e, line)
	return true
}

// declared notes a prefix that was declared nowhere; the decoder leaves it in place of the namespace. It returns false
// if the name is none.
func (s *scanner) declared(name xml.Name, line int) bool {
	if strings.Contains(name.Local, ":") {
		return s.fail(line, "the name %s has a colon where none may be", name.Local)
	}
	if !s.spaces[name.Space] {
		s.spaces[name.Space] = true
		s.note(line, "the prefix %s: of <%[1]s:%s> is not declared; the root element must have xmlns:%[1]s", name.Space,
			name.Local)
	}
	return true
}

// fault says why the decoder goes no further.
func (s *scanner) fault(err error, at, end int) bool {
	var syntax *xml.SyntaxError
	if err == io.EOF || !errors.As(err, &syntax) {
		syntax = &xml.SyntaxError{Msg: "unexpected EOF", Line: 1 + bytes.Count(s.text[s.at:], []byte("\n"))}
	}
	line := s.line + syntax.Line - 1
	behind, _, _ := bytes.Cut(s.text[end:min(len(s.text), end+30)], []byte("<"))
	near := strings.Fields(string(s.text[max(at, end-200) : end+len(behind)]))
	shown := strconv.Quote(strings.ToValidUTF8(strings.Join(near, " "), ""))
	switch says := syntax.Msg; {
	case strings.HasPrefix(says, "unexpected EOF") && s.cut != "":
		return s.fail(line, "%s", s.cut)
	case strings.HasPrefix(says, "unexpected EOF"):
		return s.fail(line, "the file ends within %s", s.within(s.text[at:]))
	case strings.HasSuffix(says, "(no semicolon)"):
		return s.fail(line, "a bare & in %s; write &amp;", shown)
	case strings.HasPrefix(says, "invalid character entity "):
		return s.fail(line, "the entity %s, which XML does not have; write &amp; for &, and other characters as they are",
			strings.TrimPrefix(says, "invalid character entity "))
	case strings.HasPrefix(says, "element <"):
		return s.fail(line, "%s", says)
	default:
		return s.fail(line, "%s, at %s", says, shown)
	}
}

// within says what the text begins and does not end.
func (s *scanner) within(rest []byte) string {
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return "a comment"
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return "a CDATA section"
	case bytes.HasPrefix(rest, []byte("<")):
		return "the tag " + quote(rest)
	case len(s.open) > 0:
		return "<" + s.open[len(s.open)-1] + ">"
	}
	return "what comes before the root element"
}

var (
	tag     = regexp.MustCompile(`<[^<>]*>`)
	newLine = regexp.MustCompile(`(?i)<(?:br|/?p|/?div)\b[^<>]*>`)
)

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
