package page

import (
	"bytes"
	"slices"
)

// tag holds the attributes of one start tag. If an attribute is repeated, the first one counts. All
// is valid until the next tag.
type tag struct {
	b     []byte // the page
	attrs []attribute
	buf   []byte // holds the values that had to be decoded
}

// attribute says where in the page the key and the value of an attribute are.
type attribute struct{ key, keyEnd, val, valEnd int }

// find returns an attribute, or nil. name is in lower case.
func (t *tag) find(name string) *attribute {
	for i := range t.attrs {
		if a := &t.attrs[i]; isName(t.b[a.key:a.keyEnd], name) {
			return a
		}
	}
	return nil
}

func (t *tag) has(name string) bool { return t.find(name) != nil }

// get returns the value of an attribute, which is empty if it is absent.
func (t *tag) get(name string) []byte {
	if a := t.find(name); a != nil {
		return t.value(a)
	}
	return nil
}

// value returns the value of an attribute, decoded.
func (t *tag) value(a *attribute) []byte {
	val := t.b[a.val:a.valEnd]
	if !slices.ContainsFunc(val, func(c byte) bool { return c == '&' || c == '\r' || c == 0 }) {
		return val
	}
	n := len(t.buf)
	t.buf = appendDecoded(t.buf, normalized(val), true)
	return t.buf[n:]
}

// attrScanner cuts the rest of a start tag, after its name, into attributes. It follows section
// 13.2.5.32 and later of the HTML standard, and stops at the bracket that ends the tag.
type attrScanner struct {
	b         []byte
	i         int // how many bytes have been read
	slash     int // where the last slash outside of a value is
	attribute     // the last one
}

// next goes to the next attribute. It reports false at the end.
func (s *attrScanner) next() bool {
	for {
		s.skipSpace()
		if s.i == len(s.b) || s.b[s.i] == '>' {
			return false
		}
		s.readKey()
		s.readValue()
		if s.keyEnd > s.key {
			return true
		}
	}
}

func (s *attrScanner) skipSpace() {
	for s.i < len(s.b) && isSpace(s.b[s.i]) {
		s.i++
	}
}

// readKey takes a name. A leading equals sign is part of it.
func (s *attrScanner) readKey() {
	s.key = s.i
	for ; s.i < len(s.b); s.i++ {
		c := s.b[s.i]
		if c <= '>' && (isSpace(c) || c == '/' || c == '>' || c == '=' && s.i > s.key) {
			break
		}
	}
	s.keyEnd = s.i
}

// readValue reads what comes after a name: an equals sign and a value, a lone slash, or nothing.
func (s *attrScanner) readValue() {
	s.val, s.valEnd = s.i, s.i
	s.skipSpace()
	if s.i == len(s.b) {
		return
	}
	switch s.b[s.i] {
	case '/':
		s.slash = s.i
		s.i++
		return
	case '=':
		s.i++
	default:
		return
	}
	s.skipSpace()
	if s.i == len(s.b) || s.b[s.i] == '>' {
		return
	}
	if q := s.b[s.i]; q == '"' || q == '\'' {
		s.val, s.valEnd = s.i+1, len(s.b)
		if n := bytes.IndexByte(s.b[s.val:], q); n >= 0 {
			s.valEnd = s.val + n
		}
		s.i = min(s.valEnd+1, len(s.b))
		return
	}
	s.val = s.i
	for s.i < len(s.b) && !isSpace(s.b[s.i]) && s.b[s.i] != '>' {
		s.i++
	}
	s.valEnd = s.i
}

// isSpace reports whether c is white space in HTML.
func isSpace(c byte) bool {
	return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f')
}
