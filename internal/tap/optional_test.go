package tap

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// original is a writer that notes which of its methods was called last. The types below add
// optional interfaces.
type original struct {
	header http.Header
	called string
}

func (o *original) Header() http.Header         { return o.header }
func (o *original) WriteHeader(int)             {}
func (o *original) Write(p []byte) (int, error) { o.called = "Write"; return len(p), nil }

type (
	orgFlush    struct{ o *original }
	orgHijack   struct{ o *original }
	orgReadFrom struct{ o *original }
	orgPush     struct{ o *original }
	orgOthers   struct{ o *original }
)

var errHere = errors.New("this very error")

func (w orgFlush) Flush() { w.o.called = "Flush" }
func (w orgHijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.o.called = "Hijack"
	return nil, nil, errHere
}
func (w orgReadFrom) ReadFrom(io.Reader) (int64, error) { w.o.called = "ReadFrom"; return 7, errHere }
func (w orgPush) Push(string, *http.PushOptions) error  { w.o.called = "Push"; return errHere }
func (w orgOthers) FlushError() error                   { w.o.called = "FlushError"; return errHere }
func (w orgOthers) CloseNotify() <-chan bool            { w.o.called = "CloseNotify"; return nil }
func (w orgOthers) WriteString(string) (int, error)     { w.o.called = "WriteString"; return 3, errHere }

// all is o with every optional interface.
func (o *original) all() http.ResponseWriter {
	return struct {
		*original
		orgFlush
		orgHijack
		orgReadFrom
		orgPush
		orgOthers
	}{o, orgFlush{o}, orgHijack{o}, orgReadFrom{o}, orgPush{o}, orgOthers{o}}
}

// calls calls every optional method that w has. It returns, by the method's name, whether the call
// reached the same method of the original, with the same result.
func calls(w http.ResponseWriter, o *original) map[string]bool {
	found := map[string]bool{}
	note := func(name string, same bool) { found[name] = same && o.called == name }
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

func TestCombineHasExactlyTheOptionalInterfaces(t *testing.T) {
	for set := range has(1 << 4) {
		t.Run(fmt.Sprintf("%04b", set), func(t *testing.T) {
			want := map[string]bool{"FlushError": true, "CloseNotify": true, "WriteString": true}
			for bit, name := range []string{"Flush", "Hijack", "ReadFrom", "Push"} {
				if set&(1<<bit) != 0 {
					want[name] = true
				}
			}
			o := &original{header: http.Header{}}
			b := NewBuffers(1<<10, 1<<20)
			watching := &tap{w: o.all(), ctx: t.Context(), seen: &Response{buffers: b}, most: 1 << 10, lent: 1 << 20, major: 1, get: true}
			w := combine(watching, set)
			if From(w, b) == nil {
				t.Error("From does not find the tap")
			}
			if got := calls(w, o); !maps.Equal(got, want) {
				t.Errorf("calls that reached the original: %v, want %v", got, want)
			}
			watching.finish()
			if got := calls(w, o); !maps.Equal(got, want) {
				t.Errorf("after the end: %v, want %v", got, want)
			}
		})
	}
}

// TestTapOfAPlainWriter calls what a tap has although the writer below has nothing but the three
// methods of every writer.
func TestTapOfAPlainWriter(t *testing.T) {
	o := &original{header: http.Header{}}
	ctx, leave := context.WithCancel(t.Context())
	seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Flush: %v", err)
		}
		w.Header().Set("Content-Type", "text/html") // the header is not out
		if n, err := io.WriteString(w, page); n != len(page) || err != nil || o.called != "Write" {
			t.Errorf("WriteString: %d, %v, by %s", n, err, o.called)
		}
		gone := w.(interface{ CloseNotify() <-chan bool }).CloseNotify()
		leave()
		<-gone
	}), o, httptest.NewRequestWithContext(ctx, "GET", "/", nil), NewBuffers(1<<10, 1<<20))
	if string(seen.Body) != page || seen.Complete {
		t.Errorf("kept %q, complete %v", seen.Body, seen.Complete)
	}
}

// TestFailedFlushLeavesTheResponseIncomplete checks that a response is incomplete if a flush
// failed, however the handler asked for it.
func TestFailedFlushLeavesTheResponseIncomplete(t *testing.T) {
	direct := func(w http.ResponseWriter) error { return w.(interface{ FlushError() error }).FlushError() }
	controlled := func(w http.ResponseWriter) error { return http.NewResponseController(w).Flush() }
	for _, c := range []struct {
		name     string
		below    func(http.ResponseWriter) http.ResponseWriter
		flush    func(http.ResponseWriter) error
		complete bool
	}{
		{"directly", func(w http.ResponseWriter) http.ResponseWriter { return w }, direct, false},
		{"by the controller", func(w http.ResponseWriter) http.ResponseWriter { return w }, controlled, false},
		{"behind another writer", func(w http.ResponseWriter) http.ResponseWriter { return caddyish{w} }, controlled, false},
		{"not at all, since it cannot fail", func(w http.ResponseWriter) http.ResponseWriter { return w },
			func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return errHere }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Write([]byte(page))
				if err := c.flush(w); err != errHere {
					t.Errorf("flush: %v", err)
				}
			}), c.below((&original{header: http.Header{}}).all()), httptest.NewRequest("GET", "/", nil), NewBuffers(1<<10, 1<<20))
			if seen.Complete != c.complete {
				t.Errorf("complete is %v", seen.Complete)
			}
		})
	}
}

// TestTapHasTheInterfacesOfServersWriters compares the interfaces of real servers' writers with and
// without a tap.
func TestTapHasTheInterfacesOfServersWriters(t *testing.T) {
	for _, server := range []struct {
		name  string
		start func(http.Handler) *httptest.Server
		want  has
	}{
		{"HTTP/1.1", newHTTP1, hasFlush | hasHijack | hasReadFrom},
		{"HTTP/1.1 with TLS", httptest.NewTLSServer, hasFlush | hasHijack | hasReadFrom},
		{"HTTP/2", newHTTP2, hasFlush | hasPush},
	} {
		t.Run(server.name, func(t *testing.T) {
			var bare, got has
			var same [3]bool
			b := NewBuffers(1<<10, 1<<20)
			srv := server.start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				bare = optional(w)
				Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					got = optional(w)
					same = controls(w)
				}), w, r, b)
			}))
			defer srv.Close()
			get(t, srv, "/")
			if got != bare || bare != server.want {
				t.Errorf("interfaces %04b, without the tap %04b, want %04b", got, bare, server.want)
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

// After a hijack, or after the handler returned, the tap ignores what ReadFrom reads.
func TestReadFromIsNotWatchedAfterTheEnd(t *testing.T) {
	w := &fileTaker{ResponseRecorder: *httptest.NewRecorder()}
	src := strings.NewReader(page)
	var late http.ResponseWriter
	Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { late = w }), w, httptest.NewRequest("GET", "/", nil), NewBuffers(1<<10, 1<<20))
	if n, err := late.(io.ReaderFrom).ReadFrom(src); n != int64(len(page)) || err != nil || w.src != io.Reader(src) {
		t.Errorf("%d bytes, %v, from a %T", n, err, w.src)
	}
}
