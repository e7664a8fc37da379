package capture

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

// segments runs one request through a real http.Server. It returns what the server gave to the
// connection, call by call, with the date masked. With fast, the connection has ReadFrom, as TCP
// connections do and TLS connections do not.
func segments(t testing.TB, request string, fast bool, h http.Handler) []string {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	rec := &recorder{Conn: server, closed: make(chan struct{})}
	l := base.NewListener()
	if fast {
		l.Take(fastRecorder{rec})
	} else {
		l.Take(rec)
	}
	returned := make(chan struct{}) // also from a handler that closed the connection itself
	ending := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(returned)
		h.ServeHTTP(w, r)
	})
	srv := &http.Server{Handler: ending, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	if _, err := io.WriteString(client, request); err != nil {
		t.Fatal(err)
	}
	<-rec.closed
	<-returned
	srv.Close()
	<-served
	for i, s := range rec.out {
		rec.out[i] = date.ReplaceAllString(s, "Date: masked")
	}
	return rec.out
}

var date = regexp.MustCompile(`Date: [^\r]+`)

// recorder is a connection that records what is written to it.
type recorder struct {
	net.Conn
	out    []string
	once   sync.Once
	closed chan struct{}
}

func (c *recorder) Write(p []byte) (int, error) {
	c.out = append(c.out, string(p))
	return len(p), nil
}

func (c *recorder) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

type fastRecorder struct{ *recorder }

func (c fastRecorder) ReadFrom(src io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{c.recorder}, src)
}

// captured serves h through a capture and stores what it saw.
func captured(h http.Handler, b *response.Buffers, wanted Wanted, saw **Capture) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		*saw = NewRecorder(b).Serve(h, w, r, wanted, true)
	})
}

// sameWire runs a script with and without a capture. It compares what reached the connection and what
// the calls returned. Then it compares what the capture saw with what a client reads. It reports
// whether the capture believes to be complete.
func sameWire(t *testing.T, steps []byte, file string) (complete bool) {
	var notes, bareNotes []string
	how, s := script{steps, file, &notes}.next()
	proto := pick([]string{"HTTP/1.1", "HTTP/1.1", "HTTP/1.0"}, how/8)
	request := "GET /page " + proto + "\r\nHost: example.com\r\nConnection: close\r\n\r\n"
	fast := how/64%2 == 0
	hides := how/16%4 == 3 // only Unwrap finds Flush and Hijack, and no capture sees such calls
	around := func(h http.Handler) http.Handler {
		if !hides {
			return h
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(caddyish{w}, r) })
	}
	bare := segments(t, request, fast, around(s))
	notes, bareNotes = nil, notes
	b := response.NewBuffers(64<<10, 1<<20, nil)
	var saw *Capture
	wanted := pick([]Wanted{Page, RobotsTxt}, how/128)
	got := segments(t, request, fast, around(captured(s, b, wanted, &saw)))
	if !slices.Equal(bare, got) {
		t.Fatalf("steps %v: on the wire %d segments without, %d with the capture\n%.600q\n%.600q", steps, len(bare), len(got),
			bare, got)
	}
	if !slices.Equal(bareNotes, notes) {
		t.Fatalf("steps %v: calls returned %q without, %q with the capture", steps, bareNotes, notes)
	}
	if saw == nil {
		if b.InUse() != 0 {
			t.Errorf("steps %v: a panic kept %d bytes", steps, b.InUse())
		}
		return false
	}
	if resp, body, err, ok := read(strings.Join(got, "")); ok && !hides {
		believes(t, steps, saw, resp, body, err)
	}
	saw.Release()
	if b.InUse() != 0 {
		t.Errorf("steps %v: %d bytes in use after Release", steps, b.InUse())
	}
	return saw.Complete
}

// read returns the response that a client reads from the wire. ok is false if the handler sent
// something that is not HTTP.
func read(wire string) (resp *http.Response, body []byte, err error, ok bool) {
	in := bufio.NewReader(strings.NewReader(wire))
	for resp == nil || !final(resp.StatusCode, 1) {
		if resp, err = http.ReadResponse(in, nil); err != nil {
			return nil, nil, nil, false
		}
	}
	body, err = io.ReadAll(resp.Body)
	return resp, body, err, true
}

// believes compares a capture that believes to be complete with what the client got.
func believes(t *testing.T, steps []byte, saw *Capture, resp *http.Response, body []byte, err error) {
	t.Helper()
	if !saw.Complete {
		return
	}
	if err != nil || resp.StatusCode != saw.Status {
		t.Errorf("steps %v: the capture saw status %d, client %d, %v", steps, saw.Status, resp.StatusCode, err)
	}
	if want := strings.Join(resp.Header["Content-Type"], ", "); saw.Status == 200 && saw.Header.ContentType != want {
		t.Errorf("steps %v: the capture believes type %q, client got %q", steps, saw.Header.ContentType, want)
	}
	if !hasBody(saw.Status) {
		return
	}
	keeps := saw.Status == 200 && saw.wants()
	switch {
	case saw.Written != int64(len(body)):
		t.Errorf("steps %v: the capture counted %d bytes, client %d", steps, saw.Written, len(body))
	case !keeps && saw.Body != nil:
		t.Errorf("steps %v: kept the body of %d %q", steps, saw.Status, saw.Header.ContentType)
	case keeps && (saw.Truncated != (len(body) > 64<<10) || !bytes.Equal(saw.Body, body[:min(len(body), 64<<10)])):
		t.Errorf("steps %v: kept %d bytes of the client's %d, truncated %v", steps, len(saw.Body), len(body), saw.Truncated)
	}
}

func pageFile(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "page")
	base.Check(t, os.WriteFile(path, []byte(content(0, 12)), 0o600))
	return path
}

// rounds is how many random handlers to try; a few are enough where each takes long.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// TestWireIsTheSame tries many random handlers.
func TestWireIsTheSame(t *testing.T) {
	file := pageFile(t)
	random, complete := rand.New(rand.NewPCG(1, 2)), 0
	for range rounds(4000) {
		steps := make([]byte, 1+3*random.IntN(9))
		for i := range steps {
			steps[i] = byte(random.Uint32())
		}
		if sameWire(t, steps, file) {
			complete++
		}
		if t.Failed() {
			return
		}
	}
	if complete < rounds(4000)/3 {
		t.Errorf("only %d answers were believed to be complete", complete)
	}
}

// TestHTTP2IsTheSame runs random handlers over HTTP/2, with and without a capture, and compares what a
// client gets.
func TestHTTP2IsTheSame(t *testing.T) {
	file := pageFile(t)
	b := response.NewBuffers(64<<10, 1<<20, nil)
	done := make(chan *Capture, 1) // the client may have its answer before the handler returns
	srv := newHTTP2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		steps, _ := hex.DecodeString(strings.Trim(r.URL.Path, "/"))
		s := script{steps, file, new([]string)} // once the client has all it wants, the results of calls vary
		if r.URL.RawQuery == "captured" {
			h, saw := seen(s, b)
			defer func() { done <- <-saw }()
			h.ServeHTTP(w, r)
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer srv.Close()
	random := rand.New(rand.NewPCG(3, 4))
	for range rounds(500) {
		steps := make([]byte, 3*(1+random.IntN(8)))
		for i := range steps {
			steps[i] = byte(random.Uint32())
		}
		path := "/" + hex.EncodeToString(steps)
		bare, _, _ := answer(srv, path)
		got, resp, body := answer(srv, path+"?captured")
		saw := <-done
		if got != bare {
			t.Fatalf("%v: client got\n%.900s\nwithout the capture\n%.900s", steps, got, bare)
		}
		if saw == nil {
			continue
		}
		if resp != nil {
			believes(t, steps, saw, resp, body, nil)
		}
		saw.Release()
	}
	base.Equal(t, b.InUse(), 0, "bytes in use at the end")
}

// answer returns all that a client gets, as text. It leaves out the body of a broken answer, since
// how much of that arrives varies.
func answer(srv *httptest.Server, path string) (string, *http.Response, []byte) {
	req, _ := http.NewRequest(http.MethodGet, srv.URL+path, nil)
	resp, err := srv.Client().Transport.RoundTrip(req)
	if err != nil {
		return "no answer", nil, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "no answer", nil, nil
	}
	resp.Header.Del("Date")
	return fmt.Sprint(resp.Proto, resp.Status, resp.ContentLength, resp.Header, resp.Trailer, string(body)), resp, body
}
