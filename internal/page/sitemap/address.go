package sitemap

// EscapedLen returns how many bytes an address takes once it is escaped. An entry takes at
// most MaxEntryOverhead more.
func EscapedLen(loc string) int { return len(EscapedAddress(loc)) }

// EscapedAddress returns an address as a file has it.
func EscapedAddress(loc string) string { return string(appendEscaped(nil, loc)) }

// What to do with a byte of an address. Most bytes are written as they are.
const (
	special = 1 << iota // is written as an entity
	refused
)

var kinds = buildKinds()

func buildKinds() (t [256]uint8) {
	for c := range t {
		if c < 0x21 || c > 0x7E {
			t[c] = refused
		}
	}
	for _, c := range []byte(`&'"<>`) {
		t[c] = special
	}
	return t
}

// appendLoc appends an address that may be listed, escaped for XML. For any other address
// it returns false, with dst unchanged.
func appendLoc(dst []byte, loc string) ([]byte, bool) {
	var seen uint8
	for i := range len(loc) {
		seen |= kinds[loc[i]]
	}
	switch {
	case loc == "", len(loc) > maxLoc, seen&refused != 0:
		return dst, false
	case seen == 0: // as in most
		return append(dst, loc...), true
	}
	return appendEscaped(dst, loc), true
}

// appendEscaped appends a text, escaped for XML as encoding/xml does it, but without allocating.
func appendEscaped(dst []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '\'':
			dst = append(dst, "&#39;"...)
		case '"':
			dst = append(dst, "&#34;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
