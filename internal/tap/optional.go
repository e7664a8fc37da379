package tap

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
)

// has is the set of those optional interfaces of a writer by whose presence handlers choose what to
// do.
type has uint8

const (
	hasFlush has = 1 << iota
	hasHijack
	hasReadFrom
	hasPush
)

// optional returns the optional interfaces that w itself has.
func optional(w http.ResponseWriter) has {
	var set has
	if _, ok := w.(http.Flusher); ok {
		set |= hasFlush
	}
	if _, ok := w.(http.Hijacker); ok {
		set |= hasHijack
	}
	if _, ok := w.(io.ReaderFrom); ok {
		set |= hasReadFrom
	}
	if _, ok := w.(http.Pusher); ok {
		set |= hasPush
	}
	return set
}

// Each of these adds one optional interface to a tap. combine uses them only if the original has
// the interface, so the type assertions hold.
type (
	withFlush    struct{ t *tap }
	withHijack   struct{ t *tap }
	withReadFrom struct{ t *tap }
	withPush     struct{ t *tap }
)

func (o withFlush) Flush() {
	_ = o.t.flush(func() error {
		o.t.w.(http.Flusher).Flush()
		return nil
	})
}

// Hijack may fail. Then the handler can still answer.
func (o withHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := o.t.w.(http.Hijacker).Hijack()
	o.t.hijacked = o.t.hijacked || err == nil
	return conn, rw, err
}

func (o withReadFrom) ReadFrom(src io.Reader) (int64, error) {
	return o.t.readFrom(o.t.w.(io.ReaderFrom), src)
}

func (o withPush) Push(target string, opts *http.PushOptions) error {
	return o.t.w.(http.Pusher).Push(target, opts)
}

// WriteString, FlushError, CloseNotify and Unwrap are there with any writer. Where the original has
// none of its own, they do what its callers would do instead.

func (t *tap) WriteString(p string) (int, error) {
	return write(t, p, func(p string) (int, error) { return io.WriteString(t.w, p) })
}

// FlushError is what [http.ResponseController] calls. It flushes a writer that w only unwraps to, as
// the controller would.
func (t *tap) FlushError() error { return t.flush(http.NewResponseController(t.w).Flush) }

// CloseNotify is deprecated, but some programs still call it.
func (t *tap) CloseNotify() <-chan bool {
	if w, ok := t.w.(interface{ CloseNotify() <-chan bool }); ok {
		return w.CloseNotify()
	}
	gone := make(chan bool, 1)
	context.AfterFunc(t.ctx, func() { gone <- true })
	return gone
}

// Unwrap lets [http.ResponseController] find what only w has, such as deadlines. If w cannot hijack
// itself but unwraps to a writer that can, the controller hijacks below the tap, which then sees a
// response without content.
func (t *tap) Unwrap() http.ResponseWriter { return t.w }

// flush calls run, which flushes w. A flush sends the header, and so settles a type that is still
// open.
func (t *tap) flush(run func() error) error {
	if t.seen == nil || t.hijacked {
		return run()
	}
	t.snapshot()
	t.inside++
	err := run()
	t.inside--
	if errors.Is(err, http.ErrNotSupported) {
		return err // nothing was flushed
	}
	t.implicit()
	t.sniffed()
	t.check(true, err)
	return err
}
