package capture

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// The first final status counts. An error status after the header is out was meant for the client
// but did not reach it.
func TestFirstFinalStatusCounts(t *testing.T) {
	for _, c := range []struct {
		name     string
		given    []int
		status   int
		complete bool
	}{
		{"none: a handler that sent nothing proves nothing", nil, 200, false},
		{"one", []int{404}, 404, true},
		{"informational before", []int{103, 100, 200}, 200, true},
		{"the last that is no error", []int{200, 399}, 200, true},
		{"the first error", []int{200, 400}, 200, false},
		{"error after a redirect", []int{302, 500}, 302, false},
		{"error after the first error", []int{400, 500}, 400, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := serve(httptest.NewRecorder(), func(w http.ResponseWriter, _ *http.Request) {
				for _, status := range c.given {
					w.WriteHeader(status)
				}
			})
			if seen.Status != c.status || seen.Complete != c.complete {
				t.Errorf("saw %d, complete %v; want %d, %v", seen.Status, seen.Complete, c.status, c.complete)
			}
		})
	}
}

// broken accepts only the beginning of what is written.
type broken struct {
	*httptest.ResponseRecorder
	takes int
	err   error
}

func (w broken) Write(p []byte) (int, error) { return min(w.takes, len(p)), w.err }

// TestFailedWriteLeavesTheResponseIncomplete checks that a response is incomplete if the writer
// below did not take all of it.
func TestFailedWriteLeavesTheResponseIncomplete(t *testing.T) {
	for _, c := range []struct {
		name     string
		w        broken
		status   int
		complete bool
	}{
		{"all taken", broken{httptest.NewRecorder(), 1000, nil}, 200, true},
		{"cut short", broken{httptest.NewRecorder(), 5, nil}, 200, false},
		{"nothing taken", broken{httptest.NewRecorder(), 0, errHere}, 200, false},
		{"all taken, and an error", broken{httptest.NewRecorder(), 1000, errHere}, 200, false},
		{"a body that must not be there", broken{httptest.NewRecorder(), 0, http.ErrBodyNotAllowed}, 304, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := serve(c.w, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				if n, err := w.Write([]byte(page)); n != min(c.w.takes, len(page)) || err != c.w.err {
					t.Errorf("wrote %d, %v", n, err)
				}
			})
			if seen.Complete != c.complete || seen.Written != int64(min(c.w.takes, len(page))) {
				t.Errorf("complete %v after %d bytes", seen.Complete, seen.Written)
			}
		})
	}
}

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
		{"a file", "GET", func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, file)
			flush(w)
			cancelled(r)
		}, len(content(0, 12)), true},
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
		{"cancelled before anything was said", "HEAD", func(w http.ResponseWriter, r *http.Request) { cancelled(r) }, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, saw := seen(c.handler, buffers())
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
			if got := <-saw; got.Complete != c.complete {
				t.Errorf("complete: %v, want %v", got.Complete, c.complete)
			}
		})
	}
}
