package capture

import (
	"bufio"
	"io"
	"net"
	"net/http"

	"github.com/felixge/httpsnoop"
)

// hooks returns the methods that show each call of the handler to the capture.
func (c *Capture) hooks() httpsnoop.Hooks {
	return httpsnoop.Hooks{
		WriteHeader: func(next httpsnoop.WriteHeaderFunc) httpsnoop.WriteHeaderFunc {
			return func(status int) { c.writeHeader(next, status) }
		},
		Write: func(next httpsnoop.WriteFunc) httpsnoop.WriteFunc {
			return func(p []byte) (int, error) { return write(c, next, p) }
		},
		WriteString: func(next httpsnoop.WriteStringFunc) httpsnoop.WriteStringFunc {
			return func(p string) (int, error) { return write(c, next, p) }
		},
		ReadFrom: func(next httpsnoop.ReadFromFunc) httpsnoop.ReadFromFunc {
			return func(src io.Reader) (int64, error) { return c.readFrom(next, src) }
		},
		Flush: func(next httpsnoop.FlushFunc) httpsnoop.FlushFunc {
			return func() { _ = c.flush(func() error { next(); return nil }) }
		},
		FlushError: func(next httpsnoop.FlushErrorFunc) httpsnoop.FlushErrorFunc {
			return func() error { return c.flush(next) }
		},
		Hijack: func(next httpsnoop.HijackFunc) httpsnoop.HijackFunc {
			return func() (net.Conn, *bufio.ReadWriter, error) {
				conn, rw, err := next()
				c.hijacked = c.hijacked || err == nil // if it fails, the handler can still answer
				return conn, rw, err
			}
		},
	}
}

func (c *Capture) writeHeader(next httpsnoop.WriteHeaderFunc, status int) {
	switch {
	case !c.watches() || !final(status, c.major):
		next(status)
	case c.sent:
		next(status)
		c.failed = c.failed || status >= 400 && c.Status < 400
	default:
		c.snapshot()
		next(status)
		c.begin(status)
	}
}

func write[T string | []byte](c *Capture, next func(T) (int, error), p T) (int, error) {
	if !c.watches() {
		return next(p)
	}
	c.snapshot()
	c.handsOver()
	n, err := next(p)
	c.implicit()
	took(c, p[:min(max(n, 0), len(p))]) // a faulty writer may return any number
	c.check(n == len(p), err)
	return n, err
}

// flush calls next, which flushes. A flush sends the header, and so decides a type that is still
// open.
func (c *Capture) flush(next func() error) error {
	if !c.watches() {
		return next()
	}
	c.snapshot()
	err := next()
	c.implicit()
	c.decideType()
	c.check(true, err)
	return err
}

// readFrom makes the writer below read from src in one call, as it would without the capture. When net/http flushes,
// and where it cuts chunks, depends on that. If the body may be wanted, the capture reads along, which costs sendfile.
// Otherwise the writer below gets src itself.
func (c *Capture) readFrom(next httpsnoop.ReadFromFunc, src io.Reader) (int64, error) {
	if !c.watches() {
		return next(src)
	}
	c.snapshot()
	c.handsOver()
	before := c.Written
	along := c.sent && c.keeps || !c.sent && (c.untyped || c.wants())
	if along {
		src = io.TeeReader(src, hearing{c})
	}
	n, err := next(src)
	if !along && n > 0 {
		c.implicit()
		c.Written += n
	}
	switch {
	case c.sent: // if src gave nothing, the handler may still answer with an error
		c.check(n == c.Written-before, err)
	case !along:
		c.failed = c.failed || err != nil // src gave nothing, or nothing was taken after the header was sent
	}
	return n, err
}

// hearing takes bytes on their way from a source to the writer below.
type hearing struct{ c *Capture }

func (h hearing) Write(p []byte) (int, error) {
	h.c.snapshot() // the header is sent after this and before the first byte
	h.c.handsOver()
	h.c.implicit()
	took(h.c, p)
	return len(p), nil
}

// check notes a failed write. A body is also refused where none is allowed, but that does no harm.
func (c *Capture) check(all bool, err error) {
	c.failed = c.failed || (err != nil || !all) && hasBody(c.Status)
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
