// Package capture watches one response on its way to the client. It takes the handler and the
// ResponseWriter. After the handler has returned normally, it returns a [Capture] that says what
// was sent.
//
// It must never change the response. httpsnoop gives the handler a writer with exactly the optional
// interfaces of the original. Every call goes straight through, nothing is delayed, and panics pass
// untouched.
package capture

import (
	"context"
	"net/http"
	"reflect"
	"sync"

	"github.com/felixge/httpsnoop"

	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
)

// A Recorder captures the responses of one site. It is safe for concurrent use.
type Recorder struct {
	buffers *response.Buffers
	running sync.Map // the captures whose handlers run, by the writers of the handlers
}

// NewRecorder returns a Recorder that keeps bodies in the memory of b.
func NewRecorder(b *response.Buffers) *Recorder { return &Recorder{buffers: b} }

// Wanted says which bodies to keep. Only a 200 is kept.
type Wanted uint8

// What a location may show.
const (
	Page      Wanted = iota // HTML that the browser shows
	RobotsTxt               // all but HTML, and at most [robots.Enough] bytes
)

// A Capture is a response with what other parts of the program noted of it. Once [Recorder.Serve]
// has returned, it belongs to the caller, and nothing writes to it again, even if a goroutine of
// the handler is late.
type Capture struct {
	*response.Response

	// Route is left empty by this package. A middleware nearer to the handler, which knows the
	// route, may set it through [Recorder.Of].
	Route observation.Route

	// Own is left false by this package. A handler of servemap's own sets it through
	// [Recorder.Of]: the response is none of the site's pages.
	Own bool

	watch
}

// watch is what a Capture knows while the handler runs.
type watch struct {
	header  func() http.Header
	ctx     context.Context // of the request, which handlers may change
	major   int             // of the HTTP version
	buffers *response.Buffers
	limits  response.Limits
	wanted  Wanted

	sent     bool // the final header was sent
	keeps    bool // the body is kept
	untyped  bool // net/http will tell the type from the content
	failed   bool // a write failed, an error status came too late, or the client had gone before a part was handed over
	hijacked bool
	ended    bool // the handler has returned or panicked
}

// Serve has next answer a GET, with a writer that watches what goes to w, and returns what it saw. vouched says that
// something on the site vouches for the location. Call Release on the result when its body is no longer needed.
//
// Serve returns only if next returns. If next panics or ends its goroutine, so does Serve, and the
// Capture is lost.
//
// Like w itself, the writer is not for concurrent use, except where w allows it. It stays valid as
// long as w does, but watches nothing once next has returned.
func (rec *Recorder) Serve(next http.Handler, w http.ResponseWriter, r *http.Request, wanted Wanted,
	vouched bool) *Capture {
	c := &Capture{Response: new(response.Response), watch: watch{
		header:  w.Header,
		ctx:     r.Context(),
		major:   r.ProtoMajor,
		buffers: rec.buffers,
		limits:  rec.buffers.Limits(),
		wanted:  wanted,
	}}
	if !vouched {
		c.limits.Lent = quota.Open(c.limits.Lent)
	}
	if wanted == RobotsTxt {
		c.limits.Most = min(c.limits.Most, robots.Enough)
	}
	watched := httpsnoop.Wrap(w, c.hooks())
	rec.running.Store(watched, c)
	defer func() {
		rec.running.Delete(watched)
		if !c.ended { // the handler did not return
			c.ended = true
			c.Release()
		}
	}()
	next.ServeHTTP(watched, r)
	c.finish()
	return c
}

// Of returns the running capture of the response to w, or nil if there is none. It finds the
// capture under other middleware's writers if those have an Unwrap method. Only the handler's
// goroutine may call it, until the handler returns. A second middleware of the same site uses it to
// see that the response is already watched.
func (rec *Recorder) Of(w http.ResponseWriter) *Capture {
	for range deepest {
		u, ok := w.(httpsnoop.Unwrapper)
		if !ok {
			return nil // a writer of net/http, as most requests have
		}
		if reflect.TypeOf(w).Kind() == reflect.Pointer { // httpsnoop's writers are; others may not be keys of a map
			if c, ok := rec.running.Load(w); ok {
				return c.(*Capture)
			}
		}
		w = u.Unwrap()
	}
	return nil
}

// deepest is how many writers are unwrapped; more must be a cycle.
const deepest = 100
