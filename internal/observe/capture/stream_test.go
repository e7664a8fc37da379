package capture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/page/response"
)

func TestHijackedConnectionPassesAndIsNoResponse(t *testing.T) {
	h, saw := watch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		io.WriteString(conn, line)
		w.WriteHeader(http.StatusOK) // as some websocket handlers do
		if _, err := w.Write([]byte("x")); !errors.Is(err, http.ErrHijacked) {
			t.Errorf("write after hijack: %v", err)
		}
	}), response.NewBuffers(1<<20, 1<<20))
	srv := newHTTP1(h)
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: example.com\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nhello\n")
	all, err := io.ReadAll(conn)
	if err != nil || !strings.HasSuffix(string(all), "\r\n\r\nhello\n") {
		t.Errorf("echo gave %q, %v", all, err)
	}
	if seen := <-saw; seen.Status != 0 || seen.Complete || seen.Body != nil {
		t.Errorf("saw %+v of a hijacked connection", seen)
	}
}

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
		}), hijackable{httptest.NewRecorder(), c.err}, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
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
	}), response.NewBuffers(1<<20, 1<<20))
	srv := newHTTP1(http.TimeoutHandler(h, time.Millisecond, "late"))
	defer srv.Close()
	if resp, body := get(t, srv, "/"); resp.StatusCode != 503 || body != "late" {
		t.Errorf("client got %d %q", resp.StatusCode, body)
	}
	if seen := <-saw; seen.Complete {
		t.Error("complete although it timed out")
	}
}
