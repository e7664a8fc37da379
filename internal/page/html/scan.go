package html

import "bytes"

// token says what a scanner has found.
type token uint8

const (
	noToken    token = iota // the end of the page
	textToken               // characters
	startToken              // a start tag
	endToken                // an end tag
	otherToken              // a comment or a declaration
)

// scanner cuts a page into tokens by section 13.2.5 of the HTML standard. It finds the same tokens
// as [golang.org/x/net/html.Tokenizer], but faster: it copies nothing and jumps from delimiter to
// delimiter. A tag that the page's end cuts off is not a token. The two differ only in a script
// with a bracket in a comment, where that tokenizer ends the comment.
type scanner struct {
	b          []byte // the page
	start, end int    // of the current token

	// of the current tag
	el          element
	name        []byte // as written
	selfClosing bool   // whether a slash ends it
	attrs       tag    // of a start tag, if readsAttributes

	whole    []byte // the whole page while b ends at the end of a noscript element, else nil
	unfenced bool   // whether no further end tag of a noscript element exists

	rawEl   element // the element whose end tag alone ends the text that follows, or unknown
	rawName []byte
}

func (s *scanner) reset(page []byte) { *s = scanner{b: page, attrs: tag{buf: s.attrs.buf}} }

// raw returns the current token as written.
func (s *scanner) raw() []byte { return s.b[s.start:s.end] }

// readRaw makes the text up to the current element's end tag one token.
func (s *scanner) readRaw() { s.rawEl, s.rawName = s.el, s.name }

// fence makes the noscript element that was just opened end at its next end tag, whatever is still
// open in it. Browsers with scripts do so too.
func (s *scanner) fence() {
	if s.whole != nil || s.unfenced {
		return
	}
	if end := endTagAt(s.b, s.end, []byte("noscript")); end < len(s.b) {
		s.whole, s.b = s.b, s.b[:end]
	} else {
		s.unfenced = true
	}
}

// next goes to the next token.
func (s *scanner) next() token {
	t := s.nextWithin()
	if t == noToken && s.whole != nil {
		s.end, s.b, s.whole, s.rawEl = len(s.b), s.whole, nil, unknown
		t = s.nextWithin()
	}
	return t
}

func (s *scanner) nextWithin() token {
	s.start = s.end
	if s.rawEl != unknown {
		s.end = s.rawEnd(s.start)
		s.rawEl = unknown
		if s.end > s.start {
			return textToken
		}
	}
	if s.start == len(s.b) {
		return noToken
	}
	at := s.start
	for {
		i := bytes.IndexByte(s.b[at:], '<')
		if i < 0 || at+i+1 == len(s.b) {
			return s.to(len(s.b), textToken)
		}
		if at += i; opens(s.b[at+1]) {
			break
		}
		at++ // a bracket that opens no tag is text
	}
	if at > s.start {
		return s.to(at, textToken)
	}
	return s.markup(at + 1)
}

// to ends the current token.
func (s *scanner) to(end int, t token) token {
	s.end = end
	return t
}

// opens reports whether a bracket before c begins a token.
func opens(c byte) bool { return isLetter(c) || c == '/' || c == '!' || c == '?' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// markup reads a token other than text. at is the place after its opening bracket.
func (s *scanner) markup(at int) token {
	switch c := s.b[at]; {
	case c == '/':
		return s.endTag(at + 1)
	case bytes.HasPrefix(s.b[at:], []byte("!--")):
		return s.to(commentEnd(s.b, at+len("!--")), otherToken)
	case c == '!' || c == '?':
		return s.to(closed(s.b, at), otherToken)
	}
	at = s.tagName(at)
	a := attrScanner{b: s.b, i: at}
	s.attrs.have, s.attrs.buf = 0, s.attrs.buf[:0]
	if readsAttributes(s.el) {
		s.attrs.read(&a)
	} else {
		a.skip()
	}
	return s.closeTag(&a, startToken)
}

// endTag reads what follows "</".
func (s *scanner) endTag(at int) token {
	switch {
	case at == len(s.b):
		return s.to(at, textToken)
	case !isLetter(s.b[at]):
		return s.to(closed(s.b, at), otherToken)
	}
	a := attrScanner{b: s.b, i: s.tagName(at)}
	a.skip()
	return s.closeTag(&a, endToken)
}

// tagName reads the name that begins at a place, and returns where it ends.
func (s *scanner) tagName(at int) int {
	end := at + 1
	for end < len(s.b) && !endsName(s.b[end]) {
		end++
	}
	s.name = s.b[at:end]
	s.el = elementOf(s.name)
	return end
}

func endsName(c byte) bool { return c <= '>' && (isSpace(c) || c == '/' || c == '>') }

// closeTag ends a tag after its attributes.
func (s *scanner) closeTag(a *attrScanner, t token) token {
	if a.i == len(s.b) {
		s.start, s.end = a.i, a.i
		return noToken
	}
	s.selfClosing = a.slash == a.i-1
	return s.to(a.i+1, t)
}

// closed returns the place after the next closing bracket, or the end.
func closed(b []byte, at int) int {
	i := bytes.IndexByte(b[at:], '>')
	if i < 0 {
		return len(b)
	}
	return at + i + 1
}

// commentEnd returns the place after the comment whose text begins at a place.
func commentEnd(b []byte, at int) int {
	for i := at; ; {
		j := bytes.IndexByte(b[i:], '>')
		if j < 0 {
			return len(b)
		}
		i += j + 1
		text := b[at : i-1]
		if len(text) == 0 || len(text) == 1 && text[0] == '-' || bytes.HasSuffix(text, []byte("--")) || bytes.HasSuffix(text, []byte("--!")) {
			return i
		}
	}
}

// rawEnd returns where the characters that begin at a place end. They are in an element that cannot
// contain elements.
func (s *scanner) rawEnd(at int) int {
	switch s.rawEl {
	case elPlaintext:
		return len(s.b)
	case elScript:
		return s.scriptEnd(at)
	}
	return endTagAt(s.b, at, s.rawName)
}

// endTagAt returns where the next end tag of that name begins, or the length of b.
func endTagAt(b []byte, at int, name []byte) int {
	for {
		i := bytes.Index(b[at:], []byte("</"))
		if i < 0 {
			return len(b)
		}
		if at += i; isTag(b[at+len("</"):], name) {
			return at
		}
		at += len("</")
	}
}

// isTag reports whether b begins with exactly that name, in any case.
func isTag(b, name []byte) bool {
	return len(b) > len(name) && endsName(b[len(name)]) && bytes.EqualFold(b[:len(name)], name)
}

// scriptState says what keeps an end tag from ending a script.
type scriptState uint8

const (
	scriptPlain   scriptState = iota // nothing
	scriptEscaped                    // nothing yet: in a comment, in which another script may begin
	scriptDouble                     // another script in a comment
)

// scriptEnd is rawEnd for scripts. They may hold other scripts in comments (sections 13.2.5.15 to
// 13.2.5.31).
func (s *scanner) scriptEnd(at int) int {
	state := scriptPlain
	for ; at < len(s.b); at++ {
		if state == scriptPlain {
			i := bytes.IndexByte(s.b[at:], '<')
			if i < 0 {
				break
			}
			at += i
		}
		rest := s.b[at+1:]
		switch c := s.b[at]; {
		case c == '>' && bytes.HasSuffix(s.b[:at], []byte("--")):
			state = scriptPlain
		case c != '<':
		case len(rest) > 0 && rest[0] == '/':
			if !isTag(rest[1:], []byte("script")) {
				break
			}
			if state != scriptDouble {
				return at
			}
			state = scriptEscaped
		case state == scriptPlain && bytes.HasPrefix(rest, []byte("!--")):
			state = scriptEscaped
		case state == scriptEscaped && isTag(rest, []byte("script")):
			state = scriptDouble
		}
	}
	return len(s.b)
}
