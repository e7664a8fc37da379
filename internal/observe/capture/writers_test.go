package capture

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// optional names the optional interfaces that w itself has, and what a controller can do with it.
func optional(w http.ResponseWriter) (names []string) {
	rc := http.NewResponseController(w)
	for _, c := range []struct {
		name string
		has  bool
	}{
		{"Flush", is[http.Flusher](w)},
		{"FlushError", is[interface{ FlushError() error }](w)},
		{"Hijack", is[http.Hijacker](w)},
		{"ReadFrom", is[io.ReaderFrom](w)},
		{"Push", is[http.Pusher](w)},
		{"CloseNotify", is[interface{ CloseNotify() <-chan bool }](w)},
		{"WriteString", is[io.StringWriter](w)},
		{"SetReadDeadline", is[interface{ SetReadDeadline(time.Time) error }](w)},
		{"SetWriteDeadline", is[interface{ SetWriteDeadline(time.Time) error }](w)},
		{"EnableFullDuplex", is[interface{ EnableFullDuplex() error }](w)},
		{"read deadline by a controller", rc.SetReadDeadline(never) == nil},
		{"write deadline by a controller", rc.SetWriteDeadline(never) == nil},
		{"full duplex by a controller", rc.EnableFullDuplex() == nil},
		{"flush by a controller", rc.Flush() == nil},
	} {
		if c.has {
			names = append(names, c.name)
		}
	}
	return names
}

func is[T any](w http.ResponseWriter) bool { _, ok := w.(T); return ok }

func TestWriterHasTheInterfacesOfTheOneBelow(t *testing.T) {
	same := func(h http.Handler) http.Handler { return h }
	for _, server := range []struct {
		name   string
		start  func(http.Handler) *httptest.Server
		around func(http.Handler) http.Handler
		least  string
	}{
		{"HTTP/1.1", newHTTP1, same, "Flush FlushError Hijack ReadFrom CloseNotify WriteString SetReadDeadline EnableFullDuplex"},
		{"HTTP/1.1 with TLS", httptest.NewTLSServer, same, "Flush FlushError Hijack ReadFrom WriteString SetWriteDeadline"},
		{"HTTP/2", newHTTP2, same, "Flush FlushError Push CloseNotify WriteString SetReadDeadline"},
		{"behind a writer that unwraps", newHTTP1, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(caddyish{w}, r) })
		}, ""},
		{"behind a timeout", newHTTP1, func(h http.Handler) http.Handler { return http.TimeoutHandler(h, time.Hour, "") }, ""},
	} {
		t.Run(server.name, func(t *testing.T) {
			saw := make(chan []string, 2)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { saw <- optional(w) })
			srv := server.start(server.around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h(w, r)
				NewRecorder(buffers()).Serve(h, w, r, Page)
			})))
			defer srv.Close()
			get(t, srv, "/")
			bare, got := <-saw, <-saw
			if !slices.Equal(got, bare) {
				t.Errorf("interfaces %q, without the capture %q", got, bare)
			}
			for _, name := range strings.Fields(server.least) {
				if !slices.Contains(bare, name) {
					t.Errorf("net/http has no %s", name)
				}
			}
		})
	}
}

// Some writers flush and hijack only through the one that they unwrap to. http.ResponseController
// finds that one beside the capture. Then what was sent cannot be known, and must prove nothing.
func TestCallsBesideTheCaptureProveNothing(t *testing.T) {
	for _, c := range []struct {
		name     string
		handler  http.HandlerFunc
		complete bool
		answer   string
	}{
		{"flush before the page", func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			io.WriteString(w, page)
		}, true, page},
		{"flush and no page", func(w http.ResponseWriter, r *http.Request) { http.NewResponseController(w).Flush() }, false, ""},
		{"hijack", func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")
			conn.Close()
		}, false, "secret"},
		{"hijack, and a page that comes too late", func(w http.ResponseWriter, r *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")
				conn.Close()
			}
			if _, err := io.WriteString(w, page); !errors.Is(err, http.ErrHijacked) {
				t.Errorf("write after hijack: %v", err)
			}
		}, false, "secret"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, saw := seen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				c.handler(w, r)
			}), buffers())
			srv := newHTTP1(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(caddyish{w}, r) }))
			defer srv.Close()
			_, body := get(t, srv, "/")
			if got := <-saw; got.Complete != c.complete || body != c.answer {
				t.Errorf("complete %v, and the client got %q", got.Complete, body)
			}
		})
	}
}

// failingWriter cannot flush, and gives away its connection unless it has an error.
type failingWriter struct {
	http.ResponseWriter
	hijack error
}

func (w failingWriter) FlushError() error { return errHere }
func (w failingWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, w.hijack
}

func TestFlushAndHijackChangeWhatIsKnown(t *testing.T) {
	for _, c := range []struct {
		name     string
		hijack   error
		call     func(*http.ResponseController) error
		want     error
		status   int
		complete bool
	}{
		{"flush fails", nil, func(rc *http.ResponseController) error { return rc.Flush() }, errHere, 404, false},
		{"hijacked", nil, func(rc *http.ResponseController) error { _, _, err := rc.Hijack(); return err }, nil, 0, false},
		{"hijack is refused", errHere, func(rc *http.ResponseController) error { _, _, err := rc.Hijack(); return err }, errHere, 404, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := serve(failingWriter{httptest.NewRecorder(), c.hijack}, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusNotFound)
				if err := c.call(http.NewResponseController(w)); err != c.want {
					t.Errorf("the call returned %v", err)
				}
			})
			if got.Status != c.status || got.Complete != c.complete {
				t.Errorf("saw status %d, complete %v", got.Status, got.Complete)
			}
		})
	}
}

// fileTaker is a writer that can send files without copying, as net/http's with a TCP connection. It
// notes what it is given.
type fileTaker struct {
	httptest.ResponseRecorder
	took io.Reader
}

func (w *fileTaker) ReadFrom(src io.Reader) (int64, error) {
	w.took = src
	return io.Copy(struct{ io.Writer }{&w.ResponseRecorder}, src)
}

// The capture reads along with the source of a page. The source of anything else reaches the writer
// below as it is.
func TestSourcesOfOtherThanPagesAreNotRead(t *testing.T) {
	for _, c := range []struct {
		contentType string
		itself      bool
	}{{"image/png", true}, {"text/html", false}, {"", false}} {
		w, src := &fileTaker{ResponseRecorder: *httptest.NewRecorder()}, strings.NewReader(page)
		got := serve(w, func(w http.ResponseWriter, _ *http.Request) {
			if c.contentType != "" {
				w.Header().Set("Content-Type", c.contentType)
			}
			if n, err := w.(io.ReaderFrom).ReadFrom(src); n != int64(len(page)) || err != nil {
				t.Errorf("%q: sent %d bytes, %v", c.contentType, n, err)
			}
		})
		if itself := w.took == io.Reader(src); itself != c.itself || w.Body.String() != page || got.Written != int64(len(page)) || (got.Body == nil) != c.itself {
			t.Errorf("%q: the source itself %v, sent %q, kept %q", c.contentType, itself, w.Body, got.Body)
		}
	}
}
