package robots

import (
	"strings"

	"github.com/servemap/servemap/internal/escape"
)

// Locations and patterns are compared in one spelling. It undoes the escapes of
// unreserved characters (RFC 3986, section 2.3), and of those reserved ones that
// mean the same with and without an escape: authors, browsers and frameworks
// differ in whether they escape them. The delimiters ? & = ; + # keep theirs:
// "/*?" is meant for queries and not for a title that ends in a question mark.
const same = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + "!$'()*,:@[]"

// neverRaw are the printable ASCII characters that are always escaped in a
// location.
const neverRaw = " \"#<>\\^`{|}"

// fold returns the spelling of a location in which it is compared, mostly the
// location itself. An escaped slash becomes a slash: locations have it only in
// the query.
func fold(location string) string {
	for i := strings.IndexByte(location, '%'); i >= 0 && i < len(location); i++ {
		if escape.Is(location[i:]) && folds(escape.Byte(location[i:])) {
			return foldFrom(location, i)
		}
	}
	return location
}

func foldFrom(location string, i int) string {
	out := append(make([]byte, 0, len(location)), location[:i]...)
	for ; i < len(location); i++ {
		if c := location[i:]; escape.Is(c) && folds(escape.Byte(c)) {
			out = append(out, escape.Byte(c))
			i += 2
			continue
		}
		out = append(out, location[i])
	}
	return string(out)
}

func folds(c byte) bool {
	return c == '/' || strings.IndexByte(same, c) >= 0
}

// speller spells the pieces of one pattern, from left to right.
type speller struct {
	allow bool
	query bool // a "?" was seen
	ends  bool // the location has to end with the piece
}

// spell returns the spelling of a piece in which it is compared. What locations
// never have raw is escaped.
func (s *speller) spell(piece string) string {
	out := make([]byte, 0, len(piece))
	for i := 0; i < len(piece); i++ {
		switch c := piece[i]; {
		case escape.Is(piece[i:]):
			out = s.appendEscaped(out, escape.Byte(piece[i:]))
			i += 2
		case c == '%' && s.isCut(piece[i:]):
			return string(out) + strings.ToUpper(piece[i:])
		case c == '%', c < ' ', c > '~', strings.IndexByte(neverRaw, c) >= 0:
			out = escape.Append(out, c)
		default:
			s.query = s.query || c == '?'
			out = append(out, c)
		}
	}
	return string(out)
}

// appendEscaped appends a character that the pattern escapes. An escaped slash
// in a path is no slash, so an allow must not be read as if it were one. A
// disallow may: listed locations have it only in the query.
func (s *speller) appendEscaped(out []byte, c byte) []byte {
	if strings.IndexByte(same, c) >= 0 || c == '/' && (s.query || !s.allow) {
		return append(out, c)
	}
	return escape.Append(out, c)
}

// isCut reports whether rest is an escape that was cut short, such as the "%" in
// "Disallow: /*%", which stands for every escape.
func (s *speller) isCut(rest string) bool {
	return !s.allow && !s.ends && (len(rest) == 1 || len(rest) == 2 && escape.IsHex(rest[1]))
}
