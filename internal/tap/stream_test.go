package tap

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// hijackable gives away its connection unless it has an error.
type hijackable struct {
	http.ResponseWriter
	err error
}

func (w hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, w.err }

func TestHijackedResponseHasTheStatusThatWasSent(t *testing.T) {
	for _, c := range []struct {
		name     string
		err      error
		status   int
		complete bool
	}{
		{"hijacked", nil, 0, false},
		{"refused", errHere, 404, true},
	} {
		seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			if _, _, err := w.(http.Hijacker).Hijack(); err != c.err {
				t.Errorf("%s: %v", c.name, err)
			}
		}), hijackable{httptest.NewRecorder(), c.err}, httptest.NewRequest("GET", "/", nil), NewBuffers(1<<10, 1<<20))
		if seen.Status != c.status || seen.Complete != c.complete {
			t.Errorf("%s: saw status %d, complete %v", c.name, seen.Status, seen.Complete)
		}
	}
}

func TestResponseThatTimesOutIsIncomplete(t *testing.T) {
	h, saw := watch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		for { // until the timeout handler has noticed too
			if _, err := io.WriteString(w, page); err != nil {
				return
			}
		}
	}), NewBuffers(1<<20, 1<<20))
	srv := newHTTP1(http.TimeoutHandler(h, time.Millisecond, "late"))
	defer srv.Close()
	if resp, body := get(t, srv, "/"); resp.StatusCode != 503 || body != "late" {
		t.Errorf("client got %d %q", resp.StatusCode, body)
	}
	if seen := <-saw; seen.Complete {
		t.Error("complete although it timed out")
	}
}
