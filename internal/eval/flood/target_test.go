package flood

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// target receives the visits. Each worker goroutine uses it.
type target struct {
	visit   func(loc string) error
	workers int
}

// newTarget returns a target that calls a handler as a server does. With -http the target
// sends requests over the loopback interface.
func newTarget(t *trial, h http.Handler, http bool) target {
	workers := runtime.GOMAXPROCS(0)
	if !http {
		return target{func(loc string) error { return call(h, loc) }, workers}
	}
	workers *= 8
	at, c := base.Serve(t, h.ServeHTTP), newClient(workers)
	t.Cleanup(c.CloseIdleConnections)
	return target{func(loc string) error { return get(c, at+loc) }, workers}
}

// call makes h answer a visit.
func call(h http.Handler, loc string) error {
	u, err := url.ParseRequestURI(loc)
	if err != nil {
		return err
	}
	w := &discarding{header: http.Header{}}
	h.ServeHTTP(w, &http.Request{
		Method: http.MethodGet, URL: u, RequestURI: loc, Host: kit.Host, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {"text/html"}},
	})
	if w.status != http.StatusOK {
		return fmt.Errorf("%s: status %d", loc, w.status)
	}
	return nil
}

// discarding is a minimal http.ResponseWriter.
type discarding struct {
	header http.Header
	status int
}

func (w *discarding) Header() http.Header { return w.header }

func (w *discarding) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return len(p), nil
}

func (w *discarding) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func newClient(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
}

// get asks the server at a URL.
func get(c *http.Client, url string) error {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Host = kit.Host
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", url, resp.StatusCode)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
