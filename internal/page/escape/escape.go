// Package escape reads and writes the percent-encoding of single bytes (RFC 3986, section 2.1).
package escape

import "strings"

// Is reports whether s begins with an escape, such as "%2A".
func Is(s string) bool { return len(s) > 2 && s[0] == '%' && IsHex(s[1]) && IsHex(s[2]) }

// Byte returns the byte that the escape at the beginning of s stands for; see [Is].
func Byte(s string) byte { return digit(s[1])<<4 | digit(s[2]) }

// Append appends the escape of c to dst, in upper case.
func Append(dst []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(dst, '%', hex[c>>4], hex[c&15])
}

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func digit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// Decode returns s without its escapes. It keeps the percent sign of a broken one.
func Decode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if Is(s[i:]) {
			c = Byte(s[i:])
			i += 2
		}
		b.WriteByte(c)
	}
	return b.String()
}
