package sitemap

import (
	"strings"

	"github.com/servemap/servemap/internal/escape"
)

// EscapedLen returns how many bytes an address takes once it is escaped. An entry takes at
// most MaxEntryOverhead more.
func EscapedLen(loc string) int {
	n := len(loc)
	for i := range len(loc) {
		if kind[loc[i]]&special != 0 {
			n += len(entity(loc[i])) - 1
		}
	}
	return n
}

// The bits of kind. A byte without any is written as it is.
const (
	special = 1 << iota // is written as an entity
	refused
	foreign // may not stand in an address by RFC 3986, or only in a literal of IPv6
)

// kind tells what to do with each byte of an address.
var kind = buildKind()

func buildKind() (t [256]uint8) {
	for c := range t {
		if c < 0x21 || c > 0x7E {
			t[c] = refused
		}
	}
	for _, c := range []byte(`&'"<>`) {
		t[c] = special
	}
	for _, c := range []byte(`"<>\^{|}[]` + "`") {
		t[c] |= foreign
	}
	return t
}

// isPlain reports whether an address needs no escapes in XML. Most addresses need none, so
// it reads eight bytes at once.
func isPlain(loc string) bool {
	if len(loc) < 8 {
		return false // a short one is as fast byte by byte
	}
	var odd uint64
	for i := 0; i < len(loc)-7; i += 8 {
		odd |= oddBytes(word(loc[i:]))
	}
	odd |= oddBytes(word(loc[len(loc)-8:])) // this may read some bytes twice
	return odd&highBits == 0
}

// word returns the first eight bytes of s.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// oddBytes sets a high bit if a byte of w is refused or special, and none otherwise. The
// first line finds all but printable ASCII. Each other term finds its own bytes: there it
// computes 0 minus 1.
func oddBytes(w uint64) uint64 {
	return w | (w - 0x21*eachByte) | (w + 0x01*eachByte) |
		(((w | 0x01*eachByte) ^ 0x27*eachByte) - eachByte) | // & and '
		(((w | 0x02*eachByte) ^ 0x3E*eachByte) - eachByte) | // < and >
		((w ^ 0x22*eachByte) - eachByte) // "
}

// entity returns what the protocol writes for a special byte.
func entity(c byte) string {
	switch c {
	case '&':
		return "&amp;"
	case '\'':
		return "&apos;"
	case '"':
		return "&quot;"
	case '<':
		return "&lt;"
	default:
		return "&gt;"
	}
}

// hasKind reports whether a byte of s has one of the bits.
func hasKind(s string, bits uint8) bool {
	for i := range len(s) {
		if kind[s[i]]&bits != 0 {
			return true
		}
	}
	return false
}

// appendLoc appends an address that may be listed, escaped for XML. For any other address
// it returns false, with dst unchanged.
func appendLoc(dst []byte, loc string) ([]byte, bool) {
	switch {
	case loc == "" || len(loc) > maxLoc:
		return dst, false
	case isPlain(loc):
		return append(dst, loc...), true
	case hasKind(loc, refused):
		return dst, false
	}
	done := 0
	for i := range len(loc) {
		if kind[loc[i]]&special != 0 {
			dst = append(dst, loc[done:i]...)
			dst = append(dst, entity(loc[i])...)
			done = i + 1
		}
	}
	return append(dst, loc[done:]...), true
}

// ValidAddress reports whether an entry may name s as an image, a video or another
// language's page. s must be an absolute address of http or https, of at most 2,047 bytes
// of ASCII, percent-encoded (RFC 3986). The rules are stricter than for a location, since
// the address comes from a page and not from this program.
func ValidAddress(s string) bool {
	host, found := strings.CutPrefix(s, "https://")
	if !found {
		host, found = strings.CutPrefix(s, "http://")
	}
	return found && len(s) <= maxLoc && !hasKind(s, refused|foreign) &&
		host != "" && isAlphanumeric(host[0]) && strings.Count(host, "#") <= 1 && wholePercents(host)
}

// wholePercents reports whether two hexadecimal digits follow each percent sign.
func wholePercents(s string) bool {
	for i := range len(s) {
		if s[i] == '%' && !escape.Is(s[i:]) {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
