package tap

import (
	"net/http"
	"strconv"
	"strings"
)

// A stage is how far the watching of one response has come.
type stage uint8

const (
	waiting  stage = iota // no final header was sent
	skipping              // the body is counted
	sniffing              // the first bytes are kept, to learn the type as net/http does
	keeping               // the body is kept
)

// want says which bodies are kept, of 200s to a GET.
type want uint8

const (
	pages want = iota // HTML that is shown in the browser
	texts             // all but HTML
)

// judge decides what to do with the body of a response whose header is being sent.
func judge(wants want, get bool, status int, untyped bool, h *Header) stage {
	switch {
	case status != http.StatusOK:
		return skipping
	case untyped:
		return sniffing
	}
	return judgeTyped(wants, get, h)
}

// judgeTyped decides what to do with the body of a 200 whose type is known.
func judgeTyped(wants want, get bool, h *Header) stage {
	html := IsHTML(h.ContentType)
	wanted := html && shown(h)
	if wants == texts {
		wanted = !html
	}
	if get && wanted && whole(h) {
		return keeping
	}
	return skipping
}

// sniffs reports whether net/http will tell the type of a 200 with this header from its content, by the rules of chunkWriter.writeHeader in server.go
// and responseWriterState.writeChunk for HTTP/2, which does not look at Transfer-Encoding.
func sniffs(major int, src http.Header) bool {
	_, typed := src["Content-Type"]
	return !typed && first(src["Content-Encoding"]) == "" && (major > 1 || first(src["Transfer-Encoding"]) == "")
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// shown reports whether the browser shows the body. An unknown disposition counts as attachment (RFC 6266 section 4.2).
func shown(h *Header) bool {
	disposition, _, _ := strings.Cut(h.ContentDisposition, ";")
	return oneOf(disposition, "", "inline")
}

// whole reports whether the body is the content itself. It may have a content coding, which its reader has to undo.
func whole(h *Header) bool { return oneOf(h.TransferEncoding, "", "identity", "chunked") }

func oneOf(s string, words ...string) bool {
	s = strings.TrimSpace(s)
	for _, word := range words {
		if strings.EqualFold(s, word) {
			return true
		}
	}
	return false
}

// IsHTML reports whether a Content-Type names HTML or XHTML. Two types joined are neither.
func IsHTML(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return oneOf(media, "text/html", "application/xhtml+xml")
}

// final reports whether a status ends the header. HTTP/2 knows no 101, and net/http treats it like 103 there.
func final(status, major int) bool {
	return status < 100 || status > 199 || status == http.StatusSwitchingProtocols && major < 2
}

// hasBody reports whether a response with this status may have content (RFC 9110 section 6.4.1).
func hasBody(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// declared returns the length that a Content-Length declares, or -1 for none and for one that net/http ignores. Of
// several net/http takes the first.
func declared(contentLength string) int64 {
	if contentLength == "" {
		return -1
	}
	once, _, _ := strings.Cut(contentLength, ",")
	n, err := strconv.ParseInt(once, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
