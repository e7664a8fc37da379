package location

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/servemap/servemap/internal/page/escape"
)

// What a byte may be, as bits of class.
const (
	unreserved = 1 << iota // RFC 3986 section 2.3: its escape is decoded
	inPath                 // may stand raw in a path
	inKey                  // may stand raw in the key of a parameter
	inValue                // may stand raw in the value of a parameter
	plainPath              // inPath, and no rule concerns it
	quoted                 // browsers send it raw in a query, where it must be escaped
)

// class holds what each byte may be. Bytes from 0x80 on are always escaped and have no bit. A
// browser never sends a raw apostrophe in a query. So one is refused there: it would be a second
// spelling.
var class = buildClass()

func buildClass() (t [256]uint8) {
	set := func(chars string, bits uint8) {
		for i := range len(chars) {
			t[chars[i]] |= bits
		}
	}
	set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", unreserved|inPath|inKey|inValue|plainPath)
	set("/!$&'()*+,:[]", inPath|plainPath)
	set(";@=", inPath)
	set("!$()*,:@/", inKey|inValue)
	set("+;=?", inValue)
	set("[]|", inKey|inValue|quoted)
	return t
}

// normalPath returns the normal form of a path, or the rule it breaks.
func normalPath(path string) (string, Reason) {
	if isNormal(path) {
		return path, ReasonNone
	}
	if path == "" || path[0] != '/' {
		return "", ReasonForm
	}
	out, text, reason := normal(path, inPath)
	if reason == ReasonNone {
		reason = checkSegments(out)
	}
	if reason == ReasonNone && HasEmail(text) {
		reason = ReasonEmail
	}
	if reason != ReasonNone {
		return "", reason
	}
	return out, ReasonNone
}

// isNormal reports whether path is obviously in normal form. It may reject a path in normal form, but accepts no other.
// It saves time, since nearly all paths are this simple.
func isNormal(path string) bool {
	if len(path) == 0 || path[0] != '/' {
		return false
	}
	prev := byte(0)
	for i := range len(path) {
		c := path[i]
		if class[c]&plainPath == 0 {
			return false
		}
		// A dot here may start a dot segment, or a name such as ".well-known".
		if prev == '/' && (c == '/' || c == '.') {
			return false
		}
		prev = c
	}
	return true
}

// normal returns the normal form of s and its decoded text. Bytes with the bit raw, and those of
// other scripts, may stand in s as they are.
func normal(s string, raw uint8) (normal, text string, _ Reason) {
	var outBuf, textBuf [256]byte
	out, decoded := outBuf[:0], textBuf[:0]
	for i := 0; i < len(s); i++ {
		c := s[i]
		escaped := escape.Is(s[i:])
		switch {
		case escaped:
			c = escape.Byte(s[i:])
			i += 2
		case c == '%':
			return "", "", ReasonEscape
		case class[c]&raw == 0 && c < utf8.RuneSelf:
			return "", "", ReasonCharacter
		}
		decoded = append(decoded, c)
		if escaped && class[c]&unreserved == 0 || c >= utf8.RuneSelf || raw != inPath && class[c]&quoted != 0 {
			out = escape.Append(out, c)
		} else {
			out = append(out, c)
		}
	}
	text = string(decoded)
	return string(out), text, checkText(text)
}

// checkText refuses what the decoded text of a path or a parameter must not have, however it was
// spelled.
func checkText(text string) Reason {
	for i, r := range text {
		if r == '%' && escape.Is(text[i:]) {
			return ReasonEscape
		}
		if r < utf8.RuneSelf && class[r]&unreserved != 0 {
			continue
		}
		hidden := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
		joiner := r == 0x200C || r == 0x200D // needed in Persian and Indic spelling and in emoji
		if hidden && !joiner || r == '\\' || r == '\ufffd' {
			return ReasonCharacter
		}
	}
	return ReasonNone
}

// checkSegments checks a path in normal form, segment by segment.
func checkSegments(path string) Reason {
	switch {
	case strings.Contains(path, "//"):
		return ReasonSegment
	case strings.Contains(path, "%2F"):
		return ReasonEscape
	// Few paths have the sign that a session needs, so the pattern rarely runs.
	case (strings.Contains(path, "=") || strings.Contains(path, "%3D")) && session.MatchString(path):
		return ReasonPathParam
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return ReasonSegment
		}
	}
	return ReasonNone
}

// session matches what may be a session in a path in normal form, such as "jsessionid=0A1B". Some servers write it
// after a slash, others after a semicolon.
var session = regexp.MustCompile(`(?i)(?:/|;|%3B)(?:session|sid|cfid|cftoken|zenid|oscsid|xtcsid|` +
	`aspsessionid[^/;]*|[^/;]*(?:sess|session[_-]?)id)(?:=|%3D)`)

// ids are the names under which servers and shops write a visitor's session into all links, each in full. All others,
// such as session, sessid or cfid, may be those of a conference or a catalogue.
const ids = `(?i)(?:phpsessid|jsessionid|aspsessionid[a-z]*|cftoken|zenid|oscsid|xtcsid)`

var (
	visit   = regexp.MustCompile(`^` + ids + `$`)
	visitIn = regexp.MustCompile(`;` + ids + `=[^/;]*`) // a path
)

// IsSession reports whether a parameter is sure to hold a visitor's session, by its name.
func IsSession(name string) bool { return visit.MatchString(name) }

// email matches something like an e-mail address: the end of a mailbox, and a domain whose last label
// starts with a letter. So a handle such as "@jane" and a version such as "lib@1.2.3" do not count. It names both cases
// itself: (?i) would fold a million characters at each start of the program.
var email = regexp.MustCompile(`(?:[A-Za-z0-9._+~!$&'*=-]|[^\x00-\x7f])@` +
	`(?:[A-Za-z0-9.-]|[^\x00-\x7f])+\.(?:[A-Za-z-]|[^\x00-\x7f])(?:[A-Za-z0-9-]|[^\x00-\x7f])*(?:[A-Za-z0-9]|[^\x00-\x7f])[.-]*` +
	`(?:$|[^A-Za-z0-9.\x80-\x{10ffff}-])`)

// HasEmail reports whether decoded text has something like an e-mail address, also with the at sign
// and full stops of East Asian keyboards. Mail programs treat them alike.
func HasEmail(text string) bool {
	if strings.IndexFunc(text, func(r rune) bool { return r == '@' || r >= utf8.RuneSelf }) < 0 {
		return false
	}
	return email.MatchString(strings.ReplaceAll(norm.NFKC.String(text), "\u3002", "."))
}
