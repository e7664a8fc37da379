package sitemap

import (
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
)

// EscapedLen returns how many bytes an address takes once it is escaped. An entry takes at
// most MaxEntryOverhead more.
func EscapedLen(loc string) int {
	n := len(loc)
	for i := range len(loc) {
		if e := entities[loc[i]]; e != "" {
			n += len(e) - 1
		}
	}
	return n
}

// entities are what the protocol writes for special bytes.
var entities = [256]string{'&': "&amp;", '\'': "&apos;", '"': "&quot;", '<': "&lt;", '>': "&gt;"}

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
		if entities[c] != "" {
			t[c] = special
		}
	}
	for _, c := range []byte(`"<>\^{|}[]` + "`") {
		t[c] |= foreign
	}
	return t
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
	case !hasKind(loc, special|refused): // as are most
		return append(dst, loc...), true
	case hasKind(loc, refused):
		return dst, false
	}
	return appendEscaped(dst, loc), true
}

// appendEscaped appends a text, escaped for XML.
func appendEscaped(dst []byte, text string) []byte {
	done := 0
	for i := range len(text) {
		if e := entities[text[i]]; e != "" {
			dst = append(append(dst, text[done:i]...), e...)
			done = i + 1
		}
	}
	return append(dst, text[done:]...)
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
