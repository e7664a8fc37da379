package location

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/servemap/servemap/internal/page/escape"
)

// A mode says who spelled the input. It has the bits of the characters that must be escaped.
type mode uint8

const (
	strict  mode = 0                    // a request: taken as it is
	browser mode = linkPath | linkQuery // a link: escaped as a browser would before it requests it
)

// What a byte may be, as bits of class.
const (
	unreserved = 1 << iota // RFC 3986 section 2.3: its escape is decoded
	inPath                 // may stand raw in a path
	inKey                  // may stand raw in the key of a parameter
	inValue                // may stand raw in the value of a parameter
	plainPath              // inPath, and no rule concerns it
	linkPath               // a browser escapes it in a path, WHATWG URL "path percent-encode set"
	linkQuery              // a browser escapes it in a query, WHATWG URL "special-query percent-encode set"
)

// class holds what each byte may be. Bytes from 0x80 on are always escaped and have no bit.
var class = buildClass()

func buildClass() (t [256]uint8) {
	set := func(chars string, bits uint8) {
		for i := range len(chars) {
			t[chars[i]] |= bits
		}
	}
	const alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	set(alnum+"-._~", unreserved|inPath|inKey|inValue|plainPath)
	set("/!$&'()*+,:[]", inPath|plainPath)
	set(";@=", inPath)
	set("!$()*,:@/", inKey|inValue)
	set("+", inValue)
	set(" {}^", linkPath)
	// A browser never sends a raw apostrophe in a query. So requests with one are refused: it would
	// be a second spelling.
	set(" '", linkQuery)
	return t
}

// normalPath returns the normal form of a path, or the rule it breaks.
func normalPath(path string, m mode) (string, Reason) {
	if isNormal(path) {
		return path, ReasonNone
	}
	if path == "" || path[0] != '/' {
		return "", ReasonForm
	}
	var outBuf, textBuf [512]byte
	out, text, reason := unescape(outBuf[:0], textBuf[:0], path, inPath, m&linkPath)
	if reason == ReasonNone {
		reason = checkText(text)
	}
	if reason == ReasonNone {
		reason = checkSegments(out)
	}
	if reason == ReasonNone && HasEmail(text) {
		reason = ReasonEmail
	}
	if reason != ReasonNone {
		return "", reason
	}
	return string(out), ReasonNone
}

// isNormal reports whether path is obviously in normal form. It may reject a path that is, but
// never accepts one that is not. It saves time, since nearly all paths are this simple.
func isNormal(path string) bool {
	if len(path) == 0 || len(path) > maxLocation || path[0] != '/' {
		return false
	}
	segments, prev := 0, byte(0)
	for i := range len(path) {
		c := path[i]
		if class[c]&plainPath == 0 {
			return false
		}
		if prev == '/' {
			// A dot here may start a dot segment, or a name such as ".well-known".
			if c == '/' || c == '.' {
				return false
			}
			segments++
		}
		prev = c
	}
	return segments <= maxSegments
}

// unescape appends the normal form of s to out and its decoded text to text. Bytes with a bit of
// raw stay as they are. Bytes with a bit of mustEscape are escaped.
func unescape(out, text []byte, s string, raw uint8, mustEscape mode) (_, _ []byte, _ Reason) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch k := class[c]; {
		case k&uint8(mustEscape) == 0 && k&raw != 0:
			out, text = append(out, c), append(text, c)
		case c == '%':
			if !escape.Is(s[i:]) {
				return nil, nil, ReasonRawChar
			}
			d := escape.Byte(s[i:])
			i += 2
			text = append(text, d)
			if class[d]&unreserved != 0 {
				out = append(out, d)
			} else {
				out = escape.Append(out, d)
			}
		case c >= utf8.RuneSelf || k&uint8(mustEscape) != 0:
			out, text = escape.Append(out, c), append(text, c)
		case c == '\\':
			return nil, nil, ReasonBackslash
		case c < ' ' || c == 0x7F:
			return nil, nil, ReasonControl
		default:
			return nil, nil, ReasonRawChar
		}
	}
	return out, text, ReasonNone
}

// checkText refuses what the decoded text of a path or a parameter must not have, however it was
// spelled.
func checkText(text []byte) Reason {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return ReasonUTF8
		}
		if r == '%' && i+2 < len(text) && escape.IsHex(text[i+1]) && escape.IsHex(text[i+2]) {
			return ReasonDoubleEncoded
		}
		if reason := checkRune(r); reason != ReasonNone {
			return reason
		}
		i += size
	}
	return ReasonNone
}

func checkRune(r rune) Reason {
	switch {
	case r < ' ', 0x7F <= r && r <= 0x9F, r == 0x2028, r == 0x2029, r == utf8.RuneError:
		return ReasonControl
	case r == '\\':
		return ReasonBackslash
	case r == '<', r == '>', r == '"', r == '`':
		return ReasonRawChar
	case r < utf8.RuneSelf:
		return ReasonNone
	case 0xFDD0 <= r && r <= 0xFDEF, r&0xFFFE == 0xFFFE: // noncharacters, The Unicode Standard section 23.7
		return ReasonControl
	case r == 0x200C, r == 0x200D: // joiners are needed in Persian and Indic spelling and in emoji
		return ReasonNone
	case unicode.Is(unicode.Cf, r):
		return ReasonBidi
	}
	return ReasonNone
}

// checkSegments checks a path in normal form, segment by segment.
func checkSegments(path []byte) Reason {
	switch {
	case bytes.Contains(path, []byte("//")):
		return ReasonEmptySegment
	case bytes.Contains(path, []byte("%2F")):
		return ReasonEncodedSlash
	case bytes.IndexByte(path, ';') >= 0, bytes.Contains(path, []byte("%3B")):
		return ReasonPathParam
	case bytes.Count(bytes.TrimSuffix(path, []byte("/")), []byte("/")) > maxSegments:
		return ReasonTooLong
	}
	for more := true; more; {
		var segment []byte
		segment, path, more = bytes.Cut(path, []byte("/"))
		if s := string(segment); s == "." || s == ".." {
			return ReasonDotSegment
		}
		if isSession(segment) {
			return ReasonPathParam
		}
	}
	return ReasonNone
}

// isSession reports whether a segment in normal form is a session, such as "jsessionid=0A1B". Some
// servers write it after a slash, others after a semicolon.
func isSession(segment []byte) bool {
	name, _, ok := bytes.Cut(segment, []byte("="))
	if !ok {
		if name, _, ok = bytes.Cut(segment, []byte("%3D")); !ok {
			return false
		}
	}
	switch s := strings.ToLower(string(name)); s {
	case "session", "sid", "cfid", "cftoken", "zenid", "oscsid", "xtcsid":
		return true
	default:
		return strings.HasSuffix(s, "sessionid") || strings.HasSuffix(s, "session_id") || strings.HasSuffix(s, "session-id") ||
			strings.HasSuffix(s, "sessid") || strings.HasPrefix(s, "aspsessionid")
	}
}

// HasEmail reports whether decoded text has something like an e-mail address. A handle such as
// "@jane" and a version such as "lib@1.2.3" do not count: a domain ends in a label that starts with
// a letter.
func HasEmail(text []byte) bool {
	return hasEmail(narrow(text))
}

// narrow returns text in which variants of the characters in e-mail addresses became ASCII. These
// are the full-width characters of East Asian keyboards, the small "@" and full stop, and the full
// stops of Chinese and Japanese. Mail programs treat them alike.
func narrow(text []byte) []byte {
	ascii := true
	for _, c := range text {
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		return text
	}
	return bytes.Map(func(r rune) rune {
		switch {
		case 0xFF01 <= r && r <= 0xFF5E:
			return r - 0xFF01 + '!'
		case r == 0xFE6B:
			return '@'
		case r == 0xFE52, r == 0x3002, r == 0xFF61:
			return '.'
		}
		return r
	}, text)
}

func hasEmail(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '@')
		if at < 0 {
			return false
		}
		local, rest := text[:at], text[at+1:]
		if at > 0 && isMailbox(local[at-1]) && startsWithDomain(rest) {
			return true
		}
		text = rest
	}
}

// isMailbox reports whether c may be the last character before the "@" of an address.
func isMailbox(c byte) bool {
	return isDomain(c) || strings.IndexByte("_+~!$&'*=", c) >= 0
}

func startsWithDomain(text []byte) bool {
	end := 0
	for end < len(text) && isDomain(text[end]) {
		end++
	}
	domain := bytes.TrimRight(text[:end], ".-")
	dot := bytes.LastIndexByte(domain, '.')
	if dot < 1 || len(domain)-dot < 3 {
		return false
	}
	return !isDigit(domain[dot+1])
}

// isDomain reports whether c may be in a domain name of any script.
func isDomain(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c >= utf8.RuneSelf
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
