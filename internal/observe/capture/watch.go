package capture

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/page/response"
)

// watches reports whether calls still belong to the response.
func (c *Capture) watches() bool { return !c.ended && !c.hijacked }

// snapshot reads the header, if it was not sent, before a call that may send it. Later is too late:
// a compressor around the capture changes the same map when it gets the header.
func (c *Capture) snapshot() {
	if c.sent {
		return
	}
	h := c.header()
	c.Header = response.HeaderOf(h)
	c.untyped = sniffs(c.major, h)
}

// sniffs reports whether net/http will tell the type of a 200 with this header from its content.
// The rules are in chunkWriter.writeHeader (server.go), and for HTTP/2 in
// responseWriterState.writeChunk, which ignores Transfer-Encoding.
func sniffs(major int, h http.Header) bool {
	_, typed := h["Content-Type"]
	return !typed && h.Get("Content-Encoding") == "" && (major > 1 || h.Get("Transfer-Encoding") == "")
}

// implicit notes that the header was sent without a call of WriteHeader.
func (c *Capture) implicit() {
	if c.sent {
		return
	}
	if c.Header.ContentType == "" && c.Header.ContentEncoding != "" {
		// A compressor around the capture, such as gorilla/handlers, names its coding before the
		// handler runs. It tells the type from the bytes that it has just received.
		c.Header.ContentType = strings.Join(c.header()["Content-Type"], ", ")
	}
	c.begin(http.StatusOK)
}

// begin notes that the header is out.
func (c *Capture) begin(status int) {
	c.sent, c.Status = true, status
	c.untyped = c.untyped && status == http.StatusOK
	c.keeps = c.untyped || status == http.StatusOK && c.wants()
}

// wants reports whether the body of a 200 whose type is known is kept. It may have a content coding, which its
// reader must undo, but no transfer coding that the handler chose.
func (c *Capture) wants() bool {
	html := response.IsHTML(c.Header.ContentType)
	switch coding := strings.ToLower(strings.TrimSpace(c.Header.TransferEncoding)); {
	case coding != "" && coding != "identity" && coding != "chunked":
		return false
	case c.wanted == RobotsTxt:
		return !html
	}
	return html && c.Header.Shown()
}

// sniffed is from how many bytes http.DetectContentType tells a type.
const sniffed = 512

// took notes bytes that the writer below accepted. The header is out by then. Small writes add up before the type
// is told, as in net/http's own buffer.
func took[T string | []byte](c *Capture, p T) {
	c.Written += int64(len(p))
	if c.keeps {
		response.Keep(c.buffers, c.Response, p, c.limits)
	}
	if c.Truncated || len(c.Body) >= sniffed {
		c.decideType()
	}
}

// decideType finds the type of a response without one as net/http does, which must now send the header: from the bytes
// so far. Without any bytes, net/http sends no type.
func (c *Capture) decideType() {
	if !c.untyped {
		return
	}
	c.untyped = false
	if len(c.Body) == 0 && c.Truncated { // there was no memory for the first bytes, so the type stays unknown
		c.keeps = false
		return
	}
	if len(c.Body) > 0 {
		// A type may stand under a key in another spelling. Then the client gets two types.
		c.Header.ContentType = strings.TrimPrefix(c.Header.ContentType+", "+http.DetectContentType(c.Body), ", ")
	}
	if c.keeps = c.wants(); !c.keeps {
		c.Release()
		c.Truncated = false
	}
}

// finish ends the watching after the handler returned.
func (c *Capture) finish() {
	sent := c.sent
	c.snapshot()
	c.implicit()
	c.decideType()
	c.handsOver() // the end, which net/http sends now
	// A handler that sent nothing may have hijacked the connection of a writer that only Unwrap
	// finds. No capture sees that.
	c.Complete = sent && c.complete()
	if c.hijacked {
		c.Status = 0
	}
	c.ended = true
}

// handsOver is called before the next part of the response goes out, and notes if the client has gone. net/http cancels
// a request as soon as its client closes the connection. Many clients close it after the last byte, while the handler
// still works, so nothing counts after the last declared byte.
func (c *Capture) handsOver() {
	whole := c.Written > 0 && c.Written == declared(c.Header.ContentLength)
	c.failed = c.failed || !whole && c.ctx.Err() != nil
}

// complete reports whether the whole response was written, while the client was there to take it.
func (c *Capture) complete() bool {
	if c.hijacked || c.failed {
		return false
	}
	length := declared(c.Header.ContentLength)
	return length < 0 || length == c.Written || !hasBody(c.Status)
}

// declared returns the length in a Content-Length. It returns -1 if there is none or net/http
// ignores it. net/http takes the first of several.
func declared(contentLength string) int64 {
	once, _, _ := strings.Cut(contentLength, ",")
	n, err := strconv.ParseInt(once, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
