package capture

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/page/response"
)

// A stage says how far a response has come.
type stage uint8

const (
	waiting  stage = iota // no final header was sent
	skipping              // only count the bytes of the body
	sniffing              // keep the first bytes, to find the type as net/http does
	keeping               // keep the body
)

// want says which bodies to keep. Only a 200 to a GET is kept.
type want uint8

const (
	pages want = iota // HTML that the browser shows
	texts             // all but HTML
)

// judge decides what to do with the body of a response whose header is being sent.
func judge(wants want, get bool, status int, untyped bool, h *response.Header) stage {
	switch {
	case status != http.StatusOK:
		return skipping
	case untyped:
		return sniffing
	}
	return judgeTyped(wants, get, h)
}

// judgeTyped decides what to do with the body of a 200 whose type is known.
func judgeTyped(wants want, get bool, h *response.Header) stage {
	html := response.IsHTML(h.ContentType)
	wanted := html && h.Shown()
	if wants == texts {
		wanted = !html
	}
	if get && wanted && whole(h) {
		return keeping
	}
	return skipping
}

// sniffs reports whether net/http will tell the type of a 200 with this header from its content.
// The rules are in chunkWriter.writeHeader (server.go), and for HTTP/2 in
// responseWriterState.writeChunk, which ignores Transfer-Encoding.
func sniffs(major int, src http.Header) bool {
	_, typed := src["Content-Type"]
	return !typed && src.Get("Content-Encoding") == "" && (major > 1 || src.Get("Transfer-Encoding") == "")
}

// whole reports whether the body is the content itself. It may have a content coding, which its
// reader must undo.
func whole(h *response.Header) bool { return oneOf(h.TransferEncoding, "", "identity", "chunked") }

func oneOf(s string, words ...string) bool {
	s = strings.TrimSpace(s)
	for _, word := range words {
		if strings.EqualFold(s, word) {
			return true
		}
	}
	return false
}

// final reports whether a status ends the header. HTTP/2 has no 101, and net/http treats it like
// 103 there.
func final(status, major int) bool {
	return status < 100 || status > 199 || status == http.StatusSwitchingProtocols && major < 2
}

// hasBody reports whether a response with this status may have content (RFC 9110 section 6.4.1).
func hasBody(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// declared returns the length in a Content-Length. It returns -1 if there is none or net/http
// ignores it. net/http takes the first of several.
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
