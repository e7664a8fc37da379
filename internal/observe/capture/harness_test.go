package capture

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

var (
	never   time.Time
	errHere = errors.New("this very error")
)

const page = "<!DOCTYPE html><title>a page</title><p>and its text</p>"

func newHTTP1(h http.Handler) *httptest.Server {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Start()
	return srv
}

func newHTTP2(h http.Handler) *httptest.Server {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	return srv
}

// get returns the answer to a GET and its whole body.
func get(t *testing.T, srv *httptest.Server, path string) (*http.Response, string) {
	t.Helper()
	resp, err := srv.Client().Get(srv.URL + path)
	base.Check(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	base.Check(t, err)
	return resp, string(body)
}

func buffers() *response.Buffers { return response.NewBuffers(1<<20, 1<<20, nil) }

// seen serves each request through a capture and sends what it saw. It sends nil if the handler did
// not return.
func seen(h http.Handler, b *response.Buffers) (http.Handler, <-chan *Capture) {
	saw := make(chan *Capture, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c *Capture
		defer func() { saw <- c }()
		c = NewRecorder(b).Serve(h, w, r, Page, true)
	}), saw
}

// serve returns what a capture sees of the answer to a GET that goes to w.
func serve(w http.ResponseWriter, h http.HandlerFunc) *Capture {
	return NewRecorder(buffers()).Serve(h, w, httptest.NewRequest("GET", "/", nil), Page, true)
}

// caddyish can flush and hijack only through the writer it unwraps to.
type caddyish struct{ below http.ResponseWriter }

func (w caddyish) Header() http.Header         { return w.below.Header() }
func (w caddyish) WriteHeader(status int)      { w.below.WriteHeader(status) }
func (w caddyish) Write(p []byte) (int, error) { return w.below.Write(p) }
func (w caddyish) Unwrap() http.ResponseWriter { return w.below }
