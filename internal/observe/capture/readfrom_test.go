package capture

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

// takenConn is a TCP connection that notes from what the server makes it read.
type takenConn struct {
	*net.TCPConn
	took chan io.Reader
}

func (c takenConn) ReadFrom(src io.Reader) (int64, error) {
	c.took <- src
	return c.TCPConn.ReadFrom(src)
}

type takenListener struct {
	net.Listener
	took chan io.Reader
}

func (l takenListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return takenConn{c.(*net.TCPConn), l.took}, nil
}

// TestFilesReachTheConnection serves files over TCP. net sends a file, or a limited reader of one,
// without copying if the connection's own ReadFrom gets it.
func TestFilesReachTheConnection(t *testing.T) {
	image := textFile(t, "image.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 1<<20))
	untyped := textFile(t, "image", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", 1<<20))
	for _, c := range []struct {
		name, method, rangeOf string
		h                     http.HandlerFunc
		size                  int
	}{
		{"served", "GET", "", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, image) }, 1<<20 + 8},
		{"a range", "GET", "bytes=100-900000", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, image) }, 899901},
		{"copied, with its type", "GET", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Length", strconv.Itoa(1<<20+8))
			copyAll(t, w, image)
		}, 1<<20 + 8},
		{"copied, without a type", "GET", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(1<<20+8))
			copyAll(t, w, untyped)
		}, 1<<20 + 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			took := make(chan io.Reader, 1)
			h, saw := watch(c.h, response.NewBuffers(1<<20, 1<<20))
			srv := httptest.NewUnstartedServer(h)
			srv.Listener = takenListener{srv.Listener, took}
			srv.Start()
			defer srv.Close()
			req, _ := http.NewRequest(c.method, srv.URL, nil)
			if c.rangeOf != "" {
				req.Header.Set("Range", c.rangeOf)
			}
			resp, err := srv.Client().Do(req)
			base.Check(t, err)
			n, err := io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil || n != int64(c.size) {
				t.Errorf("the client got %d bytes of %d, %v", n, c.size, err)
			}
			seen := <-saw
			if seen.Written != int64(c.size) || seen.Body != nil {
				t.Errorf("the tap saw %d bytes and kept %d", seen.Written, len(seen.Body))
			}
			select {
			case src := <-took:
				if limited, ok := src.(*io.LimitedReader); ok {
					src = limited.R
				}
				if _, ok := src.(syscall.Conn); !ok {
					t.Errorf("the connection got a %T", src)
				}
			default:
				t.Error("the connection got no source to read from")
			}
		})
	}
}

func copyAll(t *testing.T, w io.Writer, name string) {
	f, err := os.Open(name)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	if _, err := io.Copy(w, f); err != nil {
		t.Error(err)
	}
}

// A pipe is a file too, but nobody can read its start in advance.
func TestBodyFromAPipeIsKept(t *testing.T) {
	in, out, err := os.Pipe()
	base.Check(t, err)
	defer in.Close()
	go func() { io.WriteString(out, page); out.Close() }()
	w := &fileTaker{ResponseRecorder: *httptest.NewRecorder()}
	seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.(io.ReaderFrom).ReadFrom(in)
	}), w, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<20, 1<<20))
	if w.Body.String() != page || string(seen.Body) != page || !seen.HTML() || !seen.Complete {
		t.Errorf("sent %q, kept %q of %q, complete %v", w.Body, seen.Body, seen.Header.ContentType, seen.Complete)
	}
}

// fileTaker is a writer that can send files without copying. It notes what it is given.
type fileTaker struct {
	httptest.ResponseRecorder
	src io.Reader
}

func (w *fileTaker) ReadFrom(src io.Reader) (int64, error) {
	w.src = src
	return io.Copy(struct{ io.Writer }{&w.ResponseRecorder}, src)
}
