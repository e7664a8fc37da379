package robots

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
)

// Pattern is a pattern of a robots.txt (RFC 9309, section 2.2.3). It is a prefix of the location.
// In it, "*" stands for any characters and a final "$" for the end. An escape matches however it is
// spelled. "%2A" and "%24" stand for the characters themselves.
type Pattern struct {
	Length   int // length in the spelling for comparisons, with its stars and "$"
	anchored bool
	pieces   []string // the texts between stars: the first begins the location; of the others, empty ones are left out
	starred  bool
	last     string // the text after the last star of an anchored pattern, else empty
}

// NewPattern reads a pattern.
func NewPattern(text string) Pattern {
	text, anchored := strings.CutSuffix(text, "$")
	pieces := strings.Split(text, "*")
	p := Pattern{Length: len(pieces) - 1, anchored: anchored, starred: len(pieces) > 1}
	if anchored {
		p.Length++
	}
	for i, piece := range pieces {
		pieces[i] = spell(piece)
		p.Length += len(pieces[i])
	}
	if last := len(pieces) - 1; p.starred && anchored {
		p.last, pieces = pieces[last], pieces[:last]
	}
	p.pieces = append(pieces[:1], slices.DeleteFunc(pieces[1:], func(piece string) bool { return piece == "" })...)
	return p
}

// Matches reports whether the pattern matches a location in the spelling of [Fold]. It goes
// greedily from the left, which is exact if "*" is the only wildcard. Its time is linear in the
// location, whatever the number of stars.
func (p *Pattern) Matches(location string) bool {
	rest, ok := strings.CutPrefix(location, p.pieces[0])
	if !ok || !p.starred {
		return ok && (!p.anchored || rest == "")
	}
	for _, piece := range p.pieces[1:] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, p.last)
}

// Fold returns the spelling of a location for comparison with patterns. The location is in the
// normal form of package location.
func Fold(location string) string {
	if strings.IndexByte(location, '%') < 0 {
		return location
	}
	return spell(location)
}

// Locations and patterns are compared in one spelling. In it, unreserved characters are not escaped
// (RFC 3986, section 2.3). Nor are reserved characters that mean the same with and without an
// escape: authors, browsers and frameworks differ in whether they escape them. The delimiters ? & =
// ; + # stay as they are: "/*?" is meant for queries, not for a title that ends in a question mark.
const same = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + "!$'()*,:@[]"

// NeverRaw are characters that a location always escapes, besides the space.
const NeverRaw = "\"#<>\\^`{|}"

// spell returns a text in that spelling. It treats stars and dollars as ordinary characters, and
// escapes what locations never have raw.
func spell(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case escape.Is(text[i:]):
			c = escape.Byte(text[i:])
			i += 2
			if strings.IndexByte(same, c) >= 0 || c == '/' {
				out = append(out, c)
			} else {
				out = escape.Append(out, c)
			}
		case c <= ' ', c > '~', strings.IndexByte(NeverRaw, c) >= 0:
			out = escape.Append(out, c)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}
