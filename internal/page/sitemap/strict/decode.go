package strict

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
)

// Unpack unpacks a body that is packed with gzip, at most most bytes of it. packed says that it was packed; the error,
// that the packed bytes broke off.
func Unpack(body []byte, most int) (text []byte, packed bool, err error) {
	if !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		return body, false, nil
	}
	from, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, true, err
	}
	text, err = io.ReadAll(io.LimitReader(from, int64(most)))
	return text, true, err
}

var encodingOf = regexp.MustCompile(`^[^<]{0,200}<\?xml[^>]{0,200}?encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']{0,60})["']`)

// UTF8 returns a text in UTF-8, and why it was not in it, "" if it was.
func UTF8(text []byte) (utf []byte, why string) {
	wide := func(end unicode.Endianness, policy unicode.BOMPolicy, name string) ([]byte, string) {
		utf, err := unicode.UTF16(end, policy).NewDecoder().Bytes(text)
		if err != nil || len(text)%2 != 0 {
			return text, "is damaged " + name
		}
		return utf, "is in " + name
	}
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(text, []byte("\x00\x00\xfe\xff")):
		return nil, "is in UTF-32"
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		return wide(unicode.LittleEndian, unicode.ExpectBOM, "UTF-16")
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		return wide(unicode.BigEndian, unicode.ExpectBOM, "UTF-16")
	case bytes.HasPrefix(text, []byte("<\x00?\x00")):
		return wide(unicode.LittleEndian, unicode.IgnoreBOM, "UTF-16, without a byte order mark")
	case bytes.HasPrefix(text, []byte("\x00<\x00?")):
		return wide(unicode.BigEndian, unicode.IgnoreBOM, "UTF-16, without a byte order mark")
	}
	m := encodingOf.FindSubmatch(text[:min(len(text), 500)])
	if m == nil {
		return text, ""
	}
	switch name := string(m[1]); strings.ToLower(name) {
	case "utf-8", "us-ascii", "ascii":
		return text, ""
	case "utf8":
		return text, fmt.Sprintf("says that it is in %q; the name is UTF-8", name)
	case "utf-16", "utf-16le", "utf-16be", "ucs-2":
		return text, "says that it is in " + name + ", and is not"
	default:
		e, canonical := charset.Lookup(name)
		if e == nil {
			return text, fmt.Sprintf("says that it is in %q, which is no encoding that is known", name)
		}
		if utf, err := e.NewDecoder().Bytes(text); err == nil && !(canonical == "windows-1252" && utf8.Valid(text)) {
			text = utf
		}
		return text, "says that it is in " + name
	}
}
