package robots

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/escape"
)

// rule is one allow or disallow line. Its pattern is split at the stars and
// spelled as [fold] spells locations.
type rule struct {
	allow    bool
	anchored bool // the pattern ends in "$"
	starred  bool // the pattern has a "*"
	octets   int  // length of the pattern, with its stars and its "$"
	needs    byteSet
	text     string   // the line, as Rules.Text has it
	head     string   // what stands before the first star
	inner    []string // what stands between stars, where that is anything
	tail     string   // the end that a starred pattern needs; empty if it is not anchored
}

// compile reads a pattern. ok is false for one that says nothing: an empty one,
// and an allow that begins with neither "/" nor "*", which no crawler obeys. A
// disallow like that surely lacks its slash.
func compile(pattern string, allow bool) (r rule, ok bool) {
	switch {
	case pattern == "", allow && pattern[0] != '/' && pattern[0] != '*':
		return rule{}, false
	case pattern[0] != '/' && pattern[0] != '*':
		pattern = "/" + pattern
	}
	r.allow = allow
	pattern, r.anchored = strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	s := speller{allow: allow}
	for i, piece := range pieces {
		s.ends = r.anchored && i == len(pieces)-1
		pieces[i] = s.spell(piece)
	}
	r.text = line(pieces, allow, r.anchored)
	r.split(pieces)
	return r, true
}

// split sets the fields that matching needs.
func (r *rule) split(pieces []string) {
	r.octets = len(pieces) - 1
	for _, piece := range pieces {
		r.octets += len(piece)
	}
	if r.anchored {
		r.octets++
	}
	r.head, r.inner = pieces[0], pieces[1:]
	r.starred = len(r.inner) > 0
	if r.starred && r.anchored {
		last := len(r.inner) - 1
		r.tail, r.inner = r.inner[last], r.inner[:last]
	}
	r.inner = slices.DeleteFunc(r.inner, func(piece string) bool { return piece == "" })
	r.needs = setOf(r.tail)
	for _, piece := range r.inner {
		r.needs.add(piece)
	}
}

// matches reports whether the rule matches a location whose text behind the head
// is rest. It goes greedily from the left, which is exact where "*" is the only
// wildcard. The time is linear in rest, however many stars there are.
func (r *rule) matches(rest string) bool {
	if !r.starred {
		return !r.anchored || rest == ""
	}
	for _, piece := range r.inner {
		var ok bool
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, r.tail)
}

// byteSet tells quickly that a location lacks a byte that a rule needs. Bytes
// that differ by 64 count as one.
type byteSet uint64

func setOf(s string) byteSet {
	var set byteSet
	set.add(s)
	return set
}

func (b *byteSet) add(s string) {
	for i := range len(s) {
		*b |= 1 << (s[i] & 63)
	}
}

func (b byteSet) within(other byteSet) bool {
	return b&^other == 0
}

// line writes a rule as a line that is read as the same rule. Escapes of bytes
// beyond ASCII are undone; otherwise the text of a file in another script would
// be three times as long. "*" and "$" are escaped, since here they are
// characters.
func line(pieces []string, allow, anchored bool) string {
	b := []byte("Disallow:")
	if allow {
		b = []byte("Allow:")
	}
	for i, piece := range pieces {
		if i > 0 {
			b = append(b, '*')
		}
		b = appendRaw(b, piece)
	}
	if anchored {
		b = append(b, '$')
	}
	return string(b)
}

func appendRaw(dst []byte, piece string) []byte {
	for i := 0; i < len(piece); i++ {
		switch c := piece[i]; {
		case c == '*', c == '$':
			dst = escape.Append(dst, c)
		case escape.Is(piece[i:]) && piece[i+1] >= '8':
			dst = append(dst, escape.Byte(piece[i:]))
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
