package html

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// toUTF8 returns body in UTF-8 without a byte order mark. It finds the encoding in this order, as
// the Encoding and HTML standards do: a byte order mark, the header, UTF-8 if the bytes are valid
// in it, a meta element in the first 1,024 bytes, windows-1252. Invalid bytes become U+FFFD. An
// unknown encoding is read as UTF-8.
func toUTF8(body []byte, opts Options) []byte {
	if rest, ok := bytes.CutPrefix(body, []byte("\xef\xbb\xbf")); ok {
		return rest
	}
	if utf16 := bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.HasPrefix(body, []byte("\xff\xfe")); !utf16 {
		label := charsetOf(opts.ContentType)
		if strings.EqualFold(label, "utf-8") || label == "" && looksUTF8(body) {
			return body
		}
	}
	e, name, _ := charset.DetermineEncoding(body, opts.ContentType)
	if name == "utf-8" || name == "replacement" {
		return body
	}
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return bytes.TrimPrefix(out, []byte("\ufeff"))
}

// charsetOf returns the charset parameter of a content type, or "".
func charsetOf(contentType string) string {
	if contentType == "text/html; charset=utf-8" { // what net/http sends
		return "utf-8"
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return params["charset"]
}

// looksUTF8 reports whether body is valid UTF-8. It ignores a character that is cut off at the end.
// Bytes with escape sequences are ISO-2022-JP, not UTF-8.
func looksUTF8(body []byte) bool {
	for i := len(body) - 1; i >= 0 && i >= len(body)-utf8.UTFMax; i-- {
		if utf8.RuneStart(body[i]) {
			if !utf8.FullRune(body[i:]) {
				body = body[:i]
			}
			break
		}
	}
	return utf8.Valid(body) && bytes.IndexByte(body, 0x1B) < 0
}
