package sitemap

import (
	"encoding/binary"
	"slices"
	"strings"
)

// EscapedLen returns how many bytes an address takes once it is escaped. An entry takes at most MaxEntryOverhead more.
func EscapedLen(loc string) int {
	n := len(loc)
	for i := range len(loc) {
		if kind[loc[i]]&special != 0 {
			n += len(entity(loc[i])) - 1
		}
	}
	return n
}

// The bits of kind; a byte with none stands for itself.
const (
	special = 1 << iota // has an entity
	refused
	foreign // has no place in an address by RFC 3986, or only in a literal of IPv6
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

// kinds returns the bits special and refused of all bytes of an address together. Looking at eight bytes at once, without
// a branch for any of them, matters: it was a third of what an entry costs.
func kinds(loc string) uint8 {
	if len(loc) < 8 {
		return shortKinds(loc)
	}
	var bad, entities uint64
	for i := 0; i+8 <= len(loc); i += 8 {
		w := word(loc[i:])
		bad |= outside(w)
		entities |= specials(w)
	}
	w := word(loc[len(loc)-8:]) // some of it for the second time
	bad |= outside(w)
	entities |= specials(w)
	var all uint8
	if bad&highBits != 0 {
		all = refused
	}
	if entities&highBits != 0 {
		all |= special
	}
	return all
}

func shortKinds(loc string) (all uint8) {
	for i := range len(loc) {
		all |= kind[loc[i]]
	}
	return all & (special | refused)
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

// outside has a high bit set if a byte of w is not a printable ASCII character other than space, and none if all are.
func outside(w uint64) uint64 {
	return w | (w - 0x21*eachByte) | (w + 0x01*eachByte)
}

// specials has a high bit set if a byte of w has an entity, and none if no byte has one, where outside has none. Each
// term is zero less one for what is looked for.
func specials(w uint64) uint64 {
	return (((w | 0x01*eachByte) ^ 0x27*eachByte) - eachByte) | // & and '
		(((w | 0x02*eachByte) ^ 0x3E*eachByte) - eachByte) | // < and >
		((w ^ 0x22*eachByte) - eachByte) // "
}

// maybeForeign has a high bit set if a byte of w is foreign, and seldom one if none is, where outside has none.
func maybeForeign(w uint64) uint64 {
	folded := w & (0x5F * eachByte)                         // { | } ~ as [ \ ] ^
	return (folded+0x25*eachByte)&^(folded+0x21*eachByte) | // [ to ^
		((w ^ 0x60*eachByte) - eachByte) | // `
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

// valid reports whether an address may be listed, and the bits of its bytes.
func valid(loc string) (all uint8, ok bool) {
	all = kinds(loc)
	return all, all&refused == 0 && loc != "" && len(loc) <= MaxLoc
}

// appendLoc appends an address that may be listed, escaped for XML. It reports false, with dst unchanged, for any other.
// It copies while it looks, since both are done in one loop for what either costs.
func appendLoc(dst []byte, loc string) ([]byte, bool) {
	n := len(loc)
	if n < 8 || n > MaxLoc {
		all, ok := valid(loc)
		if !ok {
			return dst, false
		}
		return appendEscaped(dst, loc, all), true
	}
	dst = slices.Grow(dst, n)
	out := dst[len(dst) : len(dst)+n]
	var bad, entities uint64
	for i := 0; i < n-7; i += 8 {
		w := word(loc[i:])
		bad |= outside(w)
		entities |= specials(w)
		binary.LittleEndian.PutUint64(out[i:], w)
	}
	w := word(loc[n-8:]) // some of it for the second time
	bad |= outside(w)
	entities |= specials(w)
	binary.LittleEndian.PutUint64(out[n-8:], w)
	switch {
	case bad&highBits != 0:
		return dst, false
	case entities&highBits != 0:
		return appendEscaped(dst, loc, special), true
	}
	return dst[:len(dst)+n], true
}

// appendEscaped appends a valid address, escaped for XML. all are the bits of its bytes.
func appendEscaped(dst []byte, loc string, all uint8) []byte {
	if all&special == 0 {
		return append(dst, loc...)
	}
	done := 0
	for i := range len(loc) {
		if kind[loc[i]]&special != 0 {
			dst = append(dst, loc[done:i]...)
			dst = append(dst, entity(loc[i])...)
			done = i + 1
		}
	}
	return append(dst, loc[done:]...)
}

// validWeb reports whether an address of an extension may stand in a file, and the bits of its bytes. It comes from a
// page and not from this program, so more is asked of it than of a location: a scheme of the web, a host, nothing that
// RFC 3986 does not know, complete percent-encoding.
func validWeb(s string) (all uint8, ok bool) {
	all, ok = valid(s)
	if !ok || hasForeign(s) {
		return all, false
	}
	host, found := strings.CutPrefix(s, "https://")
	if !found {
		host, found = strings.CutPrefix(s, "http://")
	}
	if !found || host == "" || !isAlphanumeric(host[0]) || strings.Count(host, "#") > 1 {
		return all, false
	}
	return all, wholePercents(host)
}

// ValidAddress reports whether an entry may name s as an image, a video or another language's page: an absolute address
// of http or https, of at most MaxLoc bytes of ASCII, percent-encoded as RFC 3986 has it.
func ValidAddress(s string) bool {
	_, ok := validWeb(s)
	return ok
}

// hasForeign reports whether a byte of a valid address is foreign. That none is can mostly be told of eight at once.
func hasForeign(s string) bool {
	if len(s) >= 8 {
		var some uint64
		for i := 0; i < len(s)-7; i += 8 {
			some |= maybeForeign(word(s[i:]))
		}
		if (some|maybeForeign(word(s[len(s)-8:])))&highBits == 0 {
			return false
		}
	}
	for i := range len(s) {
		if kind[s[i]]&foreign != 0 {
			return true
		}
	}
	return false
}

// wholePercents reports whether each percent sign is followed by two hexadecimal digits.
func wholePercents(s string) bool {
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return true
		}
		if len(s) < i+3 || !isHex(s[i+1]) || !isHex(s[i+2]) {
			return false
		}
		s = s[i+3:]
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isAlphanumeric(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
