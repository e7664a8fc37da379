package robots

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/escape"
)

// Pattern is a pattern of a robots.txt (RFC 9309, section 2.2.3): a prefix of the
// location, in which "*" stands for any characters and a final "$" for the end. An
// escape matches however it is spelled, and "%2A" and "%24" match the characters.
type Pattern struct {
	Length   int // as it is compared, with its stars and its "$"
	anchored bool
	starred  bool
	head     string   // what stands before the first star
	inner    []string // what stands between stars, where that is anything
	tail     string   // the end that a starred pattern needs; empty if it is not anchored
}

// NewPattern reads a pattern. If it is to allow something, an escaped slash, which
// no listed location has in its path, and a "%" that begins no escape are not taken
// for more than that. Otherwise they are taken for what matches more.
func NewPattern(text string, allow bool) Pattern {
	text, anchored := strings.CutSuffix(text, "$")
	pieces := strings.Split(text, "*")
	p := Pattern{Length: len(pieces) - 1, anchored: anchored, starred: len(pieces) > 1}
	if anchored {
		p.Length++
	}
	for i, piece := range pieces {
		pieces[i] = spell(piece, allow)
		p.Length += len(pieces[i])
	}
	p.head, p.inner = pieces[0], pieces[1:]
	if last := len(p.inner) - 1; p.starred && anchored {
		p.tail, p.inner = p.inner[last], p.inner[:last]
	}
	p.inner = slices.DeleteFunc(p.inner, func(piece string) bool { return piece == "" })
	return p
}

// Matches reports whether the pattern matches a location as [Fold] spells it. It
// goes greedily from the left, which is exact where "*" is the only wildcard. The
// time is linear in the location, however many stars there are.
func (p *Pattern) Matches(location string) bool {
	rest, ok := strings.CutPrefix(location, p.head)
	if !ok || !p.starred {
		return ok && (!p.anchored || rest == "")
	}
	for _, piece := range p.inner {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, p.tail)
}

// Only returns the one location that the pattern matches; ok is false if it may
// match several.
func (p *Pattern) Only() (location string, ok bool) {
	return p.head, p.anchored && !p.starred
}

// Fold returns the spelling of a location in which it is compared with patterns.
// The location is in the normal form of package location.
func Fold(location string) string {
	if strings.IndexByte(location, '%') < 0 {
		return location
	}
	return spell(location, false)
}

// Locations and patterns are compared in one spelling. It undoes the escapes of
// unreserved characters (RFC 3986, section 2.3), and of those reserved ones that
// mean the same with and without an escape: authors, browsers and frameworks
// differ in whether they escape them. The delimiters ? & = ; + # keep theirs:
// "/*?" is meant for queries and not for a title that ends in a question mark.
const same = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + "!$'()*,:@[]"

// NeverRaw are the characters, besides the space, that are always escaped in a
// location.
const NeverRaw = "\"#<>\\^`{|}"

// spell returns a text in which stars and dollars are characters in that spelling.
// What locations never have raw is escaped.
func spell(text string, allow bool) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case escape.Is(text[i:]):
			c = escape.Byte(text[i:])
			i += 2
			if strings.IndexByte(same, c) >= 0 || c == '/' && !allow {
				out = append(out, c)
			} else {
				out = escape.Append(out, c)
			}
		case c == '%' && allow, c <= ' ', c > '~', strings.IndexByte(NeverRaw, c) >= 0:
			out = escape.Append(out, c)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}
