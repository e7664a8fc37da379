package html

import (
	"bytes"
	"strings"
)

// attr is an attribute that the reader needs.
type attr uint8

const (
	noAttr attr = iota
	attrClass
	attrContent
	attrDataConfirm
	attrDataLazySrc
	attrDataLazySrcset
	attrDataMethod
	attrDataOriginal
	attrDataSrc
	attrDataSrcset
	attrDataTurboMethod
	attrHeight
	attrHidden
	attrHref
	attrHreflang
	attrHTTPEquiv
	attrHxDelete
	attrHxPatch
	attrHxPost
	attrHxPut
	attrID
	attrLang
	attrMedia
	attrName
	attrOnclick
	attrProperty
	attrRel
	attrRole
	attrSrc
	attrSrcset
	attrType
	attrWidth
	attrs // how many there are
)

// attrNames are the names of the attributes, in the order of the constants.
const attrNames = "class content data-confirm data-lazy-src data-lazy-srcset data-method data-original data-src data-srcset data-turbo-method " +
	"height hidden href hreflang http-equiv hx-delete hx-patch hx-post hx-put id lang media name onclick property rel role src srcset type width"

var attrsByName = buildAttrs()

func buildAttrs() (byName names) {
	for a, name := range strings.Fields(attrNames) {
		byName.add(name, uint8(a+1))
	}
	return byName
}

// attrOf returns the attribute with a name, in any case.
func attrOf(name []byte) attr { return attr(attrsByName.find(name)) }

// tag holds the attributes of one start tag. If an attribute is repeated, the first one counts. The
// values are valid until the next tag.
type tag struct {
	have uint32 // a bit for each attribute that is there
	vals [attrs][]byte
	buf  []byte // holds the values that had to be decoded
}

func (t *tag) has(a attr) bool { return t.have&(1<<a) != 0 }

// get returns the value of an attribute, which is empty if it is absent.
func (t *tag) get(a attr) []byte {
	if !t.has(a) {
		return nil
	}
	return t.vals[a]
}

// readsAttributes reports whether the reader needs the attributes of an element. The attributes of
// a container can hide it or make it furniture.
func readsAttributes(el element) bool {
	switch el {
	case elA, elArea, elBase, elHTML, elImg, elLink, elMeta, elScript:
		return true
	}
	return traits[el]&open != 0
}

// read takes the attributes of a start tag.
func (t *tag) read(s *attrScanner) {
	for {
		key, val, ok := s.next()
		if !ok {
			return
		}
		a := attrOf(key)
		if a == noAttr || t.has(a) {
			continue
		}
		if needsDecoding(val) {
			n := len(t.buf)
			t.buf = appendDecoded(t.buf, normalized(val), true)
			val = t.buf[n:]
		}
		t.have |= 1 << a
		t.vals[a] = val
	}
}

// needsDecoding reports whether an attribute's value differs from its written form.
func needsDecoding(val []byte) bool {
	for _, c := range val {
		if c == '&' || c == '\r' || c == 0 {
			return true
		}
	}
	return false
}

// attrScanner cuts the rest of a start tag, after its name, into attributes. It follows section
// 13.2.5.32 and later of the HTML standard, and stops at the bracket that ends the tag.
type attrScanner struct {
	b     []byte
	i     int // how many bytes have been read
	slash int // where the last slash outside of a value is
}

// next returns the next attribute as written. ok is false at the end.
func (s *attrScanner) next() (key, val []byte, ok bool) {
	for {
		s.skipSpace()
		if s.i == len(s.b) || s.b[s.i] == '>' {
			return nil, nil, false
		}
		key = s.key()
		val = s.value()
		if len(key) > 0 {
			return key, val, true
		}
	}
}

// skip takes all attributes.
func (s *attrScanner) skip() {
	for ok := true; ok; {
		_, _, ok = s.next()
	}
}

func (s *attrScanner) skipSpace() {
	for s.i < len(s.b) && isSpace(s.b[s.i]) {
		s.i++
	}
}

// key takes a name. A leading equals sign is part of it.
func (s *attrScanner) key() []byte {
	i := s.i
	for ; i < len(s.b); i++ {
		c := s.b[i]
		if c <= '>' && (isSpace(c) || c == '/' || c == '>' || c == '=' && i > s.i) {
			break
		}
	}
	key := s.b[s.i:i]
	s.i = i
	return key
}

// value reads what comes after a name: an equals sign and a value, a lone slash, or nothing.
func (s *attrScanner) value() []byte {
	s.skipSpace()
	if s.i == len(s.b) {
		return nil
	}
	switch s.b[s.i] {
	case '/':
		s.slash = s.i
		s.i++
		return nil
	case '=':
		s.i++
	default:
		return nil
	}
	s.skipSpace()
	if s.i == len(s.b) || s.b[s.i] == '>' {
		return nil
	}
	if q := s.b[s.i]; q == '"' || q == '\'' {
		return s.quoted(q)
	}
	i := s.i
	for i < len(s.b) && !isSpace(s.b[i]) && s.b[i] != '>' {
		i++
	}
	val := s.b[s.i:i]
	s.i = i
	return val
}

func (s *attrScanner) quoted(q byte) []byte {
	rest := s.b[s.i+1:]
	n := bytes.IndexByte(rest, q)
	if n < 0 {
		s.i = len(s.b)
		return rest
	}
	s.i += n + 2
	return rest[:n]
}

// isSpace reports whether c is white space in HTML.
func isSpace(c byte) bool {
	return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f')
}
