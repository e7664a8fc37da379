package capture

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

// Many clients close the connection after the last byte. net/http then cancels the request while
// the handler still works. Each handler here runs until it is cancelled, before or after it has
// written.
func TestClientThatClosesAfterTheLastByteGotAllOfIt(t *testing.T) {
	file := pageFile(t)
	declare := func(w http.ResponseWriter, length int) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(length))
	}
	flush := func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
	cancelled := func(r *http.Request) { <-r.Context().Done() }
	for _, c := range []struct {
		name     string
		method   string
		handler  http.HandlerFunc
		reads    int // bytes of the body that the client reads before it closes; -1 to close at once
		complete bool
	}{
		{"all that was declared", "GET", func(w http.ResponseWriter, r *http.Request) {
			declare(w, len(page))
			io.WriteString(w, page)
			flush(w)
			cancelled(r)
		}, len(page), true},
		{"all that was declared, byte by byte", "GET", func(w http.ResponseWriter, r *http.Request) {
			declare(w, len(page))
			for i := range len(page) {
				io.WriteString(w, page[i:i+1])
				flush(w)
			}
			cancelled(r)
		}, len(page), true},
		{"a file", "GET", func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, file)
			flush(w)
			cancelled(r)
		}, len(content(0, 12)), true},
		{"an error page", "GET", func(w http.ResponseWriter, r *http.Request) {
			declare(w, len(page))
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, page)
			flush(w)
			cancelled(r)
		}, len(page), true},
		{"no content", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			flush(w)
			cancelled(r)
		}, 0, true},
		{"HEAD", "HEAD", func(w http.ResponseWriter, r *http.Request) {
			declare(w, len(page))
			w.WriteHeader(http.StatusOK)
			flush(w)
			cancelled(r)
		}, 0, true},
		{"a length that is not known: its end comes after the handler", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, page)
			flush(w)
			cancelled(r)
		}, len(page), false},
		{"less than was declared", "GET", func(w http.ResponseWriter, r *http.Request) {
			declare(w, 2*len(page))
			io.WriteString(w, page)
			flush(w)
			cancelled(r)
		}, len(page), false},
		{"cancelled between the halves of what was declared", "GET", func(w http.ResponseWriter, r *http.Request) {
			declare(w, len(page)+1)
			io.WriteString(w, page)
			flush(w)
			cancelled(r)
		}, 10, false},
		{"cancelled before the page", "GET", func(w http.ResponseWriter, r *http.Request) {
			cancelled(r)
			declare(w, len(page))
			io.WriteString(w, page)
		}, -1, false},
		{"cancelled before the error page", "GET", func(w http.ResponseWriter, r *http.Request) {
			cancelled(r)
			declare(w, len(page))
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, page)
		}, -1, false},
		{"cancelled before anything was said", "HEAD", func(w http.ResponseWriter, r *http.Request) { cancelled(r) }, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, saw := watch(c.handler, response.NewBuffers(1<<20, 1<<20))
			srv := newHTTP1(h)
			defer srv.Close()
			conn, err := net.Dial("tcp", srv.Listener.Addr().String())
			base.Check(t, err)
			io.WriteString(conn, c.method+" / HTTP/1.1\r\nHost: example.com\r\n\r\n")
			if c.reads >= 0 {
				resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: c.method})
				base.Check(t, err)
				if n, err := io.CopyN(io.Discard, resp.Body, int64(c.reads)); err != nil {
					t.Fatalf("the client got %d bytes: %v", n, err)
				}
			}
			conn.Close()
			if seen := <-saw; seen.Complete != c.complete {
				t.Errorf("complete: %v, want %v", seen.Complete, c.complete)
			}
		})
	}
}
