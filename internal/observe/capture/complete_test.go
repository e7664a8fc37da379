package capture

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
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

// A client that closes its connection after the last declared byte has the page, whatever the handler still does.
// Whether one that closes it earlier, or before the end of a response without a length, took all of it cannot be known.
func TestResponseIsCompleteOnceItsLastByteWasHandedOver(t *testing.T) {
	for _, c := range []struct {
		name     string
		declared string
		writes   func(w http.ResponseWriter) // what follows once the client has gone
		complete bool
	}{
		{"all that was declared", strconv.Itoa(len(page)), func(http.ResponseWriter) {}, true},
		{"all that was declared, and an empty write", strconv.Itoa(len(page)),
			func(w http.ResponseWriter) { io.WriteString(w, "") }, true},
		{"a length that is not known", "", func(http.ResponseWriter) {}, false},
		{"less than was declared", "1000", func(http.ResponseWriter) {}, false},
		{"the last declared byte later", strconv.Itoa(len(page) + 1), func(w http.ResponseWriter) { io.WriteString(w, ".") },
			false},
		{"the last declared byte later, from a reader", strconv.Itoa(len(page) + 1),
			func(w http.ResponseWriter) { io.Copy(w, strings.NewReader(".")) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, saw := seen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				if c.declared != "" {
					w.Header().Set("Content-Length", c.declared)
				}
				io.WriteString(w, page)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				c.writes(w)
			}), buffers())
			srv := newHTTP1(h)
			defer srv.Close()
			conn, err := net.Dial("tcp", srv.Listener.Addr().String())
			base.Check(t, err)
			io.WriteString(conn, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
			_, err = conn.Read(make([]byte, 1)) // it has begun
			base.Check(t, err)
			conn.Close()
			if got := <-saw; got.Complete != c.complete {
				t.Errorf("complete %v, want %v", got.Complete, c.complete)
			}
		})
	}
}
