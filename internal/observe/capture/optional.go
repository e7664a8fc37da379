package capture

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// The optional interfaces of a ResponseWriter that net/http and io do not name, or no longer
// recommend.
type (
	flushErrorer  interface{ FlushError() error }
	closeNotifier interface{ CloseNotify() <-chan bool } // http.CloseNotifier is deprecated, but some programs still assert it
)

// has is the set of optional interfaces of one writer.
type has uint8

const (
	hasFlush has = 1 << iota
	hasFlushError
	hasHijack
	hasReadFrom
	hasPush
	hasCloseNotify
	hasWriteString
)

// optional returns the optional interfaces that w itself has.
func optional(w http.ResponseWriter) has {
	var set has
	if _, ok := w.(http.Flusher); ok {
		set |= hasFlush
	}
	if _, ok := w.(flushErrorer); ok {
		set |= hasFlushError
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
	if _, ok := w.(closeNotifier); ok {
		set |= hasCloseNotify
	}
	if _, ok := w.(io.StringWriter); ok {
		set |= hasWriteString
	}
	return set
}

// Each of these adds one optional interface to a tap. combine uses them only if the original has
// the interface, so the type assertions hold.
type (
	withFlush       struct{ t *tap }
	withFlushError  struct{ t *tap }
	withHijack      struct{ t *tap }
	withReadFrom    struct{ t *tap }
	withPush        struct{ t *tap }
	withCloseNotify struct{ t *tap }
	withWriteString struct{ t *tap }
)

func (o withFlush) Flush() {
	_ = o.t.flush(func() error {
		o.t.w.(http.Flusher).Flush()
		return nil
	})
}

func (o withFlushError) FlushError() error { return o.t.flush(o.t.w.(flushErrorer).FlushError) }

func (o withHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return o.t.hijack(o.t.w.(http.Hijacker).Hijack)
}

func (o withReadFrom) ReadFrom(src io.Reader) (int64, error) {
	return o.t.readFrom(o.t.w.(io.ReaderFrom), src)
}

func (o withPush) Push(target string, opts *http.PushOptions) error {
	return o.t.w.(http.Pusher).Push(target, opts)
}

func (o withCloseNotify) CloseNotify() <-chan bool { return o.t.w.(closeNotifier).CloseNotify() }

func (o withWriteString) WriteString(p string) (int, error) {
	t, w := o.t, o.t.w.(io.StringWriter)
	if t.seen == nil || t.hijacked {
		return w.WriteString(p)
	}
	t.snapshot()
	t.inside++
	n, err := w.WriteString(p)
	t.inside--
	t.implicit()
	observe(t, p[:clamp(n, len(p))])
	t.check(n == len(p), err)
	return n, err
}

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
	t.implicit()
	t.sniffed()
	t.check(true, err)
	return err
}

// hijack calls run, which hijacks the connection of w. If that fails, the handler can still answer.
func (t *tap) hijack(run func() (net.Conn, *bufio.ReadWriter, error)) (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := run()
	t.hijacked = t.hijacked || err == nil
	return conn, rw, err
}
