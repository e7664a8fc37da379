// Package capture watches one response on its way to the client. It takes the handler and the
// ResponseWriter. After the handler has returned normally, it returns a [Capture] that says what
// was sent.
//
// It must never change the response. The wrapped writer has exactly the optional interfaces of the
// original. Every call goes straight through with the same arguments and results, nothing is
// delayed, and panics pass untouched.
package capture

import (
	"context"
	"net/http"
	"strings"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
)

// A Capture is a response with what other parts of the program noted of it. Once [Serve] has
// returned, it belongs to the caller, and nothing writes to it again, even if a goroutine of the
// handler is late.
type Capture struct {
	*response.Response

	// Route is left empty by this package. A middleware nearer to the handler, which knows the
	// route, may set it through [From].
	Route string

	// Exact says that the route Route matches nothing but its template.
	Exact bool

	// Own is left false by this package. A handler of servemap's own sets it through [From]: the
	// response is none of the site's pages.
	Own bool
}

// Serve calls next with a writer that watches what goes through w, and returns what it saw. Call
// Release on the result when you no longer need its body.
//
// Serve returns only if next returns. If next panics or ends its goroutine, so does Serve, and the
// Response is lost.
//
// Like w itself, the writer is not for concurrent use, except where w allows it. It stays valid as
// long as w does, but watches nothing once next has returned.
func Serve(next http.Handler, w http.ResponseWriter, r *http.Request, b *response.Buffers) *Capture {
	return serve(next, w, r, b, pages, b.Limits(true))
}

// ServeStranger is Serve for a page that anybody may have made up. It keeps the body only as long
// as a quarter of the memory for bodies stays free. So such pages leave room for others, however
// many and slow they are.
func ServeStranger(next http.Handler, w http.ResponseWriter, r *http.Request, b *response.Buffers) *Capture {
	return serve(next, w, r, b, pages, b.Limits(false))
}

// ServeText is Serve for a location that is no page but may be another text, such as robots.txt. It
// keeps at most [robots.Enough] bytes of the body of a 200 to a GET, unless that is HTML.
func ServeText(next http.Handler, w http.ResponseWriter, r *http.Request, b *response.Buffers) *Capture {
	limits := b.Limits(true)
	limits.Most = min(limits.Most, robots.Enough)
	return serve(next, w, r, b, texts, limits)
}

func serve(next http.Handler, w http.ResponseWriter, r *http.Request, b *response.Buffers, wants want, limits response.Limits) *Capture {
	t := &tap{
		w:       w,
		ctx:     r.Context(),
		buffers: b,
		seen:    &Capture{Response: new(response.Response)},
		wants:   wants,
		limits:  limits,
		major:   r.ProtoMajor,
		get:     r.Method == http.MethodGet,
		head:    r.Method == http.MethodHead,
	}
	defer t.abandon()
	next.ServeHTTP(combine(t, optional(w)), r)
	return t.finish()
}

// From returns what a tap of b has seen so far of the response to w, or nil if no tap of b watches
// w. It finds the tap under other middleware's writers if those have an Unwrap method. Only the
// handler's goroutine may call it, until the handler returns. A second middleware of the same site
// uses it to see that the response is already watched.
func From(w http.ResponseWriter, b *response.Buffers) *Capture {
	for range deepest {
		if t, ok := w.(interface {
			watching(*response.Buffers) *Capture
		}); ok {
			if seen := t.watching(b); seen != nil {
				return seen
			}
		}
		u, ok := w.(unwrapper)
		if !ok {
			return nil
		}
		w = u.Unwrap()
	}
	return nil
}

// deepest is how many writers are unwrapped; more must be a cycle.
const deepest = 100

type unwrapper interface{ Unwrap() http.ResponseWriter }

// A tap is the part that all variants of the wrapped writer share.
type tap struct {
	w       http.ResponseWriter
	ctx     context.Context
	buffers *response.Buffers
	seen    *Capture // nil once the watching has ended

	stage     stage
	wants     want
	limits    response.Limits
	get, head bool
	untyped   bool // net/http will tell the type from the content; as of the last snapshot
	cancelled bool // the request was cancelled before the header was sent; as of the last snapshot
	hijacked  bool
	failed    bool // a write failed, or an error status came too late
	major     int  // of the HTTP version
	inside    int  // calls into w that have not returned; a call that never returns panicked
}

func (t *tap) watching(b *response.Buffers) *Capture {
	if t.buffers != b {
		return nil
	}
	return t.seen
}

func (t *tap) Header() http.Header { return t.w.Header() }

func (t *tap) WriteHeader(status int) {
	s := t.seen
	if s == nil || t.hijacked || !final(status, t.major) {
		t.w.WriteHeader(status)
		return
	}
	if t.stage != waiting {
		t.w.WriteHeader(status)
		t.failed = t.failed || status >= 400 && s.Status < 400
		return
	}
	t.snapshot()
	t.inside++
	t.w.WriteHeader(status)
	t.inside--
	t.begin(status)
}

func (t *tap) Write(p []byte) (int, error) {
	if t.seen == nil || t.hijacked {
		return t.w.Write(p)
	}
	t.snapshot()
	t.inside++
	n, err := t.w.Write(p)
	t.inside--
	t.implicit()
	observe(t, p[:clamp(n, len(p))])
	t.check(n == len(p), err)
	return n, err
}

// snapshot reads the header, if it was not sent, before a call into w that may send it. Later is
// too late: a compressor around the tap changes the same map when it gets the header.
func (t *tap) snapshot() {
	if t.stage == waiting {
		h := t.w.Header()
		t.seen.Header = response.HeaderOf(h)
		t.untyped = sniffs(t.major, h)
		t.cancelled = t.ctx.Err() != nil
	}
}

// implicit notes that w has sent the header without a call of WriteHeader.
func (t *tap) implicit() {
	if t.stage != waiting {
		return
	}
	if h := &t.seen.Header; h.ContentType == "" && h.ContentEncoding != "" {
		// A compressor around the tap, such as gorilla/handlers, names its coding before the
		// handler runs. It tells the type from the bytes that it has just received.
		h.ContentType = strings.Join(t.w.Header()["Content-Type"], ", ")
	}
	t.begin(http.StatusOK)
}

// begin notes that the header is out.
func (t *tap) begin(status int) {
	t.seen.Status = status
	t.stage = judge(t.wants, t.get, status, t.untyped, &t.seen.Header)
}

// check notes a failed write. w also refuses a body where none is allowed, but that does no harm.
func (t *tap) check(all bool, err error) {
	if (err != nil || !all) && hasBody(t.seen.Status) {
		t.failed = true
	}
}

// finish ends the watching after the handler returned.
func (t *tap) finish() *Capture {
	s := t.seen
	t.snapshot()
	t.implicit()
	t.sniffed()
	s.Complete = t.complete()
	if t.hijacked {
		s.Status = 0
	}
	t.seen, t.ctx = nil, nil
	return s
}

// complete reports whether w got the whole response, and the client was there to take it.
//
// net/http cancels a request as soon as the client closes the connection. Many clients close it
// after the last byte, before the handler has returned. So once everything that the header promised
// is written, only a cancellation before the header counts: handlers whose queries are cancelled
// answer something else. If the header promises no length, net/http sends the end of the page after
// the handler returned. A client that closed before that did not wait for it.
func (t *tap) complete() bool {
	if t.hijacked || t.failed || t.inside != 0 {
		return false
	}
	length := declared(t.seen.Header.ContentLength)
	if t.head || !hasBody(t.seen.Status) || length == t.seen.Written {
		return !t.cancelled
	}
	return length < 0 && t.ctx.Err() == nil
}

// abandon gives back the body's memory if the handler did not return.
func (t *tap) abandon() {
	if t.seen != nil {
		t.seen.Release()
		t.seen = nil
	}
}
