package capture

import (
	"bufio"
	"net"
	"net/http"
)

// Unwrap returns the writer below, so that http.ResponseController finds methods that only that
// writer has. Some writers cannot flush or hijack themselves, but unwrap to a writer that can. A
// controller would call that one and bypass the tap. So Unwrap returns a stand-in for such a
// writer, which shows the call to the tap.
func (t *tap) Unwrap() http.ResponseWriter {
	if t.seen == nil {
		return t.w
	}
	own, reached := optional(t.w), reachable(t.w)
	flush := own&(hasFlush|hasFlushError) == 0 && reached&(hasFlush|hasFlushError) != 0
	hijack := own&hasHijack == 0 && reached&hasHijack != 0
	switch {
	case flush && hijack:
		return struct {
			behind
			behindFlush
			behindHijack
		}{behind{t}, behindFlush{t}, behindHijack{t}}
	case flush:
		return struct {
			behind
			behindFlush
		}{behind{t}, behindFlush{t}}
	case hijack:
		return struct {
			behind
			behindHijack
		}{behind{t}, behindHijack{t}}
	}
	return t.w
}

// reachable returns the optional interfaces of w and of all writers below it that Unwrap finds.
func reachable(w http.ResponseWriter) has {
	set := optional(w)
	for range deepest {
		u, ok := w.(unwrapper)
		if !ok {
			break
		}
		w = u.Unwrap()
		set |= optional(w)
	}
	return set
}

// behind stands in for the writer below a tap.
type behind struct{ t *tap }

func (b behind) Header() http.Header         { return b.t.Header() }
func (b behind) WriteHeader(status int)      { b.t.WriteHeader(status) }
func (b behind) Write(p []byte) (int, error) { return b.t.Write(p) }
func (b behind) Unwrap() http.ResponseWriter { return b.t.w }

type behindFlush struct{ t *tap }

func (b behindFlush) FlushError() error {
	return b.t.flush(http.NewResponseController(b.t.w).Flush)
}

type behindHijack struct{ t *tap }

func (b behindHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return b.t.hijack(http.NewResponseController(b.t.w).Hijack)
}
