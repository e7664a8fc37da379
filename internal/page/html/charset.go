package html

import (
	"bytes"
	"mime"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// toUTF8 returns body in UTF-8 without a byte order mark. It finds the encoding in this order, as
// the Encoding and HTML standards do: a byte order mark, the header, UTF-8 if the bytes are valid
// in it, a meta element in the first 1,024 bytes, windows-1252. Bytes with escape sequences are ISO-2022-JP, not
// UTF-8. Invalid bytes become U+FFFD. An unknown encoding is read as UTF-8.
func toUTF8(body []byte, opts Options) []byte {
	_, params, _ := mime.ParseMediaType(opts.ContentType) // of a malformed one, there are none
	if params["charset"] != "" || !utf8.Valid(body) || bytes.IndexByte(body, 0x1B) >= 0 {
		e, name, _ := charset.DetermineEncoding(body, opts.ContentType)
		if name != "utf-8" && name != "replacement" {
			if out, err := e.NewDecoder().Bytes(body); err == nil {
				body = out
			}
		}
	}
	return bytes.TrimPrefix(body, []byte("\ufeff"))
}
