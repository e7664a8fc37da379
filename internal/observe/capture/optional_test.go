package capture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
)

// original is a writer that notes which of its methods was called last. The types below add
// optional interfaces.
type original struct {
	header http.Header
	called string
}

func (o *original) Header() http.Header         { return o.header }
func (o *original) WriteHeader(int)             {}
func (o *original) Write(p []byte) (int, error) { return len(p), nil }

type (
	orgFlush       struct{ o *original }
	orgFlushError  struct{ o *original }
	orgHijack      struct{ o *original }
	orgReadFrom    struct{ o *original }
	orgPush        struct{ o *original }
	orgCloseNotify struct{ o *original }
	orgWriteString struct{ o *original }
)

var errHere = errors.New("this very error")

func (w orgFlush) Flush()                 { w.o.called = "Flush" }
func (w orgFlushError) FlushError() error { w.o.called = "FlushError"; return errHere }
func (w orgHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.o.called = "Hijack"
	return nil, nil, errHere
}
func (w orgReadFrom) ReadFrom(io.Reader) (int64, error) { w.o.called = "ReadFrom"; return 7, errHere }
func (w orgPush) Push(string, *http.PushOptions) error  { w.o.called = "Push"; return errHere }
func (w orgCloseNotify) CloseNotify() <-chan bool       { w.o.called = "CloseNotify"; return nil }
func (w orgWriteString) WriteString(string) (int, error) {
	w.o.called = "WriteString"
	return 3, errHere
}

// optionalNames are the optional interfaces, in the order of the bits of has.
const optionalNames = "Flush FlushError Hijack ReadFrom Push CloseNotify WriteString"

const hasAll = has(1<<7 - 1)

// withSet returns o as a writer that has exactly these optional interfaces.
func (o *original) withSet(set has) http.ResponseWriter {
	switch set {
	case 0:
		return o
	case hasFlush:
		return struct {
			*original
			orgFlush
		}{o, orgFlush{o}}
	case hasFlushError:
		return struct {
			*original
			orgFlushError
		}{o, orgFlushError{o}}
	case hasHijack:
		return struct {
			*original
			orgHijack
		}{o, orgHijack{o}}
	case hasFlush | hasHijack:
		return struct {
			*original
			orgFlush
			orgHijack
		}{o, orgFlush{o}, orgHijack{o}}
	case hasFlush | hasFlushError | hasHijack | hasReadFrom | hasCloseNotify | hasWriteString: // what net/http has for HTTP/1.1
		return struct {
			*original
			orgFlush
			orgFlushError
			orgHijack
			orgReadFrom
			orgCloseNotify
			orgWriteString
		}{o, orgFlush{o}, orgFlushError{o}, orgHijack{o}, orgReadFrom{o}, orgCloseNotify{o}, orgWriteString{o}}
	case hasAll:
		return struct {
			*original
			orgFlush
			orgFlushError
			orgHijack
			orgReadFrom
			orgPush
			orgCloseNotify
			orgWriteString
		}{o, orgFlush{o}, orgFlushError{o}, orgHijack{o}, orgReadFrom{o}, orgPush{o}, orgCloseNotify{o}, orgWriteString{o}}
	}
	panic("no such writer")
}

// calls calls every optional method that w has. It returns, by interface name, what was wrong with
// the call.
func calls(w http.ResponseWriter, o *original) map[string]string {
	found := map[string]string{}
	note := func(name string, same bool) {
		found[name] = ""
		if o.called != name || !same {
			found[name] = fmt.Sprintf("called %q, same result: %v", o.called, same)
		}
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
		note("Flush", true)
	}
	if f, ok := w.(interface{ FlushError() error }); ok {
		note("FlushError", f.FlushError() == errHere)
	}
	if h, ok := w.(http.Hijacker); ok {
		_, _, err := h.Hijack()
		note("Hijack", err == errHere)
	}
	if rf, ok := w.(io.ReaderFrom); ok {
		n, err := rf.ReadFrom(strings.NewReader(""))
		note("ReadFrom", n == 7 && err == errHere)
	}
	if p, ok := w.(http.Pusher); ok {
		note("Push", p.Push("/", nil) == errHere)
	}
	if c, ok := w.(interface{ CloseNotify() <-chan bool }); ok {
		note("CloseNotify", c.CloseNotify() == nil)
	}
	if s, ok := w.(io.StringWriter); ok {
		n, err := s.WriteString("abcd")
		note("WriteString", n == 3 && err == errHere)
	}
	return found
}

// checkCalls checks that a writer has exactly these optional interfaces, and that each call reaches
// the original.
func checkCalls(t *testing.T, w http.ResponseWriter, o *original, set has) {
	t.Helper()
	found := calls(w, o)
	for bit, name := range strings.Fields(optionalNames) {
		wrong, ok := found[name]
		if want := set&(1<<bit) != 0; ok != want || wrong != "" {
			t.Errorf("%s: present %v, want %v; %s", name, ok, want, wrong)
		}
	}
}

func TestCombineHasExactlyTheOptionalInterfaces(t *testing.T) {
	for set := range hasAll + 1 {
		t.Run(fmt.Sprintf("%07b", set), func(t *testing.T) {
			o := &original{header: http.Header{}}
			b := response.NewBuffers(1<<10, 1<<20)
			watching := &tap{w: o.withSet(hasAll), ctx: t.Context(), seen: &Capture{Response: new(response.Response)}, buffers: b, limits: b.Limits(true), major: 1, get: true}
			w := combine(watching, set)
			if From(w, b) == nil {
				t.Error("From does not find the tap")
			}
			checkCalls(t, w, o, set)
			watching.finish()
			checkCalls(t, w, o, set)
		})
	}
}

// TestFailedFlushLeavesTheResponseIncomplete checks that a response is incomplete if a flush
// failed, however the handler asked for it.
func TestFailedFlushLeavesTheResponseIncomplete(t *testing.T) {
	for _, c := range []struct {
		name     string
		below    func(*original) http.ResponseWriter
		flush    func(http.ResponseWriter) error
		complete bool
	}{
		{"directly", func(o *original) http.ResponseWriter { return o.withSet(hasFlushError) },
			func(w http.ResponseWriter) error { return w.(flushErrorer).FlushError() }, false},
		{"by the controller", func(o *original) http.ResponseWriter { return o.withSet(hasFlushError) },
			func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() }, false},
		{"behind another writer", func(o *original) http.ResponseWriter { return caddyish{o.withSet(hasFlushError)} },
			func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() }, false},
		{"not at all, since it cannot fail", func(o *original) http.ResponseWriter { return o.withSet(hasFlush) },
			func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return errHere }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Write([]byte(page))
				if err := c.flush(w); err != errHere {
					t.Errorf("flush: %v", err)
				}
			}), c.below(&original{header: http.Header{}}), httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
			if seen.Complete != c.complete {
				t.Errorf("complete is %v", seen.Complete)
			}
		})
	}
}

// TestTapHasTheInterfacesOfServersWriters compares the interfaces of real servers' writers with and
// without a tap.
func TestTapHasTheInterfacesOfServersWriters(t *testing.T) {
	http1 := hasFlush | hasFlushError | hasHijack | hasReadFrom | hasCloseNotify | hasWriteString
	http2 := hasFlush | hasFlushError | hasPush | hasCloseNotify | hasWriteString
	for _, server := range []struct {
		name  string
		start func(http.Handler) *httptest.Server
		least has
	}{
		{"HTTP/1.1", newHTTP1, http1},
		{"HTTP/1.1 with TLS", httptest.NewTLSServer, http1},
		{"HTTP/2", newHTTP2, http2},
	} {
		t.Run(server.name, func(t *testing.T) {
			var bare, got has
			var same [3]bool
			b := response.NewBuffers(1<<10, 1<<20)
			srv := server.start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				bare = optional(w)
				Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					got = optional(w)
					same = controls(w)
				}), w, r, b)
			}))
			defer srv.Close()
			get(t, srv, "/")
			if got != bare || bare&server.least != server.least {
				t.Errorf("interfaces %07b, without the tap %07b, expected at least %07b", got, bare, server.least)
			}
			if same != [3]bool{true, true, true} {
				t.Errorf("deadlines and full duplex through the controller: %v", same)
			}
		})
	}
}

// controls reports which of the two deadlines and full duplex a controller can set.
func controls(w http.ResponseWriter) [3]bool {
	rc := http.NewResponseController(w)
	return [3]bool{rc.SetReadDeadline(never) == nil, rc.SetWriteDeadline(never) == nil, rc.EnableFullDuplex() == nil}
}

// caddyish can flush and hijack only through the writer it unwraps to.
type caddyish struct{ below http.ResponseWriter }

func (w caddyish) Header() http.Header         { return w.below.Header() }
func (w caddyish) WriteHeader(status int)      { w.below.WriteHeader(status) }
func (w caddyish) Write(p []byte) (int, error) { return w.below.Write(p) }
func (w caddyish) Unwrap() http.ResponseWriter { return w.below }

func TestTapOffersTheInterfacesThatUnwrapReaches(t *testing.T) {
	for _, c := range []struct {
		name          string
		below         has
		flush, hijack bool
	}{
		{"nothing", 0, false, false},
		{"flush", hasFlush, true, false},
		{"flush with error", hasFlushError, true, false},
		{"hijack", hasHijack, false, true},
		{"both", hasFlush | hasHijack, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &original{header: http.Header{}}
			below := o.withSet(c.below)
			Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				stand := w.(unwrapper).Unwrap()
				_, flush := stand.(interface{ FlushError() error })
				_, hijack := stand.(http.Hijacker)
				if flush != c.flush || hijack != c.hijack {
					t.Errorf("stands in for flush %v, hijack %v", flush, hijack)
				}
				rc := http.NewResponseController(w)
				if err := rc.Flush(); errors.Is(err, http.ErrNotSupported) == c.flush {
					t.Errorf("Flush: %v", err)
				}
				if _, _, err := rc.Hijack(); errors.Is(err, http.ErrNotSupported) == c.hijack {
					t.Errorf("Hijack: %v", err)
				}
				if !unwraps(w, below) {
					t.Error("the writer below cannot be reached")
				}
			}), caddyish{below}, httptest.NewRequestWithContext(context.Background(), "GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
		})
	}
}

// If a handler unwraps the writer itself and uses the result, the tap still sees its calls.
func TestCallsOnAnUnwrappedWriterAreSeen(t *testing.T) {
	rec := httptest.NewRecorder()
	seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stand := w.(unwrapper).Unwrap()
		stand.Header().Set("Content-Type", "text/html")
		stand.WriteHeader(http.StatusAccepted)
		io.WriteString(stand, page)
		stand.(flushErrorer).FlushError()
	}), caddyish{rec}, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
	if seen.Written != int64(len(page)) || seen.Status != 202 || rec.Code != 202 || !seen.Complete || rec.Body.String() != page || !rec.Flushed {
		t.Errorf("saw %d and %d bytes, complete %v; sent %q, flushed %v", seen.Status, seen.Written, seen.Complete, rec.Body, rec.Flushed)
	}
}

// After a tap has ended, Unwrap returns the writer below.
func TestTapThatEndedUnwraps(t *testing.T) {
	below := caddyish{httptest.NewRecorder()}
	var late http.ResponseWriter
	Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { late = w }), below, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
	if got := late.(unwrapper).Unwrap(); got != http.ResponseWriter(below) {
		t.Errorf("it leads to a %T", got)
	}
}

// After a hijack, or after the handler returned, the tap ignores what ReadFrom reads.
func TestReadFromIsNotWatchedAfterTheEnd(t *testing.T) {
	w := &fileTaker{ResponseRecorder: *httptest.NewRecorder()}
	src := strings.NewReader(page)
	var late http.ResponseWriter
	Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { late = w }), w, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
	if n, err := late.(io.ReaderFrom).ReadFrom(src); n != int64(len(page)) || err != nil || w.src != io.Reader(src) {
		t.Errorf("%d bytes, %v, from a %T", n, err, w.src)
	}
}

// unwraps reports whether target is found by unwrapping w.
func unwraps(w, target http.ResponseWriter) bool {
	for w != target {
		u, ok := w.(unwrapper)
		if !ok {
			return false
		}
		w = u.Unwrap()
	}
	return true
}
