package capture

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Some writers flush and hijack only through the one that they unwrap to. http.ResponseController
// finds that one beside the capture. Then what was sent cannot be known, and must prove nothing.
func TestCallsBesideTheCaptureProveNothing(t *testing.T) {
	for _, c := range []struct {
		name     string
		handler  http.HandlerFunc
		complete bool
		answer   string
	}{
		{"flush and no page", func(w http.ResponseWriter, r *http.Request) { http.NewResponseController(w).Flush() }, false,
			""},
		{"hijack", func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")
			conn.Close()
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
		if itself := w.took == io.Reader(src); itself != c.itself || w.Body.String() != page ||
			got.Written != int64(len(page)) || (got.Body == nil) != c.itself {
			t.Errorf("%q: the source itself %v, sent %q, kept %q", c.contentType, itself, w.Body, got.Body)
		}
	}
}
