package tap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// segments runs one request through a real http.Server and returns what the server handed to the connection, call by
// call: the bytes, where they were cut and when they were flushed. The date is masked. With fast, the connection has
// ReadFrom, as a TCP connection has and a TLS connection has not.
func segments(t testing.TB, request string, fast bool, h http.Handler) []string {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	rec := &recorder{Conn: server, closed: make(chan struct{})}
	l := &oneConn{conns: make(chan net.Conn, 1), done: make(chan struct{})}
	if fast {
		l.conns <- fastRecorder{rec}
	} else {
		l.conns <- rec
	}
	srv := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	if _, err := io.WriteString(client, request); err != nil {
		t.Fatal(err)
	}
	<-rec.closed
	srv.Close()
	<-served
	for i, s := range rec.out {
		rec.out[i] = date.ReplaceAllString(s, "Date: masked")
	}
	return rec.out
}

var date = regexp.MustCompile(`Date: [^\r]+`)

// recorder is a connection that keeps what is written to it.
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

type oneConn struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// A script is a handler that does what its bytes say: whatever a handler may do, sensible or not.
type script struct {
	steps []byte
	file  string // an HTML file
}

func (s script) next() (byte, script) {
	if len(s.steps) == 0 {
		return 0, s
	}
	return s.steps[0], script{s.steps[1:], s.file}
}

var (
	types  = []string{"text/html; charset=utf-8", "TEXT/HTML", "application/xhtml+xml", "text/plain", "image/png", ""}
	status = []int{200, 200, 200, 201, 204, 206, 304, 404, 500, 103, 100, 101, 301, 99}
	sizes  = []int{0, 1, 5, 100, 511, 512, 513, 2047, 2048, 2049, 4096, 40000, 100000}
	starts = []string{"<!DOCTYPE html><p>", "<", "html><body>", "plain text ", "\x89PNG\r\n\x1a\n", " \n\t"}
)

func pick[T any](from []T, b byte) T { return from[int(b)%len(from)] }

// content returns some content that begins in one of several ways.
func content(kind, size byte) string {
	start, n := pick(starts, kind), pick(sizes, size)
	return (start + strings.Repeat("0123456789abcdef", n/16+1))[:n]
}

func (s script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for len(s.steps) > 0 {
		var op, a, b byte
		op, s = s.next()
		a, s = s.next()
		b, s = s.next()
		switch op % 24 {
		case 0, 1:
			w.Header().Set("Content-Type", pick(types, a))
		case 2:
			w.Header()["Content-Type"] = nil
		case 3:
			w.Header().Set("Content-Length", strconv.Itoa(pick(sizes, a)))
		case 4:
			w.Header().Set(pick([]string{"Content-Encoding", "Transfer-Encoding"}, a), pick([]string{"gzip", "identity", "chunked", ""}, b))
		case 5:
			w.Header().Add(pick([]string{"Cache-Control", "Vary", "Trailer", "Content-Disposition"}, a), pick([]string{"private", "X-End", "attachment"}, b))
		case 6:
			w.Header().Set(pick([]string{http.TrailerPrefix + "X-Late", "X-End"}, a), "end")
		case 7, 8:
			w.WriteHeader(pick(status, a))
		case 9, 10, 11:
			w.Write([]byte(content(a, b)))
		case 12, 13:
			io.WriteString(w, content(a, b))
		case 14:
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
		case 15:
			http.NewResponseController(w).Flush()
		case 16:
			io.Copy(w, struct{ io.Reader }{strings.NewReader(content(a, b))})
		case 17:
			if rf, ok := w.(io.ReaderFrom); ok { // a source with WriteTo
				rf.ReadFrom(strings.NewReader(content(a, b)))
			}
		case 18:
			io.Copy(w, bufio.NewReader(strings.NewReader(content(a, b))))
		case 19:
			s.copyFile(w, a, b)
		case 20:
			io.Copy(w, io.MultiReader(strings.NewReader(content(a, b)), failing{}))
		case 21:
			http.Error(w, "no", pick([]int{404, 500, 410, 200}, a))
		case 22:
			if a%4 == 0 {
				panic(http.ErrAbortHandler)
			}
		case 23:
			if a%4 == 0 {
				s.recovered(w, r)
				return
			}
		}
	}
}

// copyFile sends a file or its beginning, as http.ServeContent does.
func (s script) copyFile(w io.Writer, a, b byte) {
	f, err := os.Open(s.file)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if a%2 == 0 {
		io.Copy(w, f)
		return
	}
	io.CopyN(w, f, int64(pick(sizes, b)))
}

// recovered runs the rest and panics; the recovery answers with an error.
func (s script) recovered(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if recover() != nil {
			http.Error(w, "recovered", http.StatusInternalServerError)
		}
	}()
	s.ServeHTTP(w, r)
	panic("the page failed")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("source failed") }

// tapped serves h through a tap and keeps what it saw.
func tapped(h http.Handler, b *Buffers, wants want, saw **Response) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*saw = pick([]serving{pages: Serve, texts: ServeText}, byte(wants))(h, w, r, b)
	})
}

// serving is what Serve and ServeText are.
type serving = func(http.Handler, http.ResponseWriter, *http.Request, *Buffers) *Response

// sameWire runs a script with and without a tap and compares what reached the connection, then compares what the tap
// believes with what a client reads there.
func sameWire(t *testing.T, steps []byte, file string) {
	how, s := script{steps, file}.next()
	method := pick([]string{"GET", "GET", "GET", "HEAD", "POST"}, how)
	proto := pick([]string{"HTTP/1.1", "HTTP/1.1", "HTTP/1.0"}, how/8)
	request := method + " /page " + proto + "\r\nHost: example.com\r\nConnection: close\r\n\r\n"
	fast := how/64%2 == 0
	bare := segments(t, request, fast, s)
	b := NewBuffers(64<<10, 1<<20)
	var saw *Response
	wants := want(how / 128)
	got := segments(t, request, fast, tapped(s, b, wants, &saw))
	if !slices.Equal(bare, got) {
		t.Fatalf("steps %v: on the wire %d segments without, %d with the tap\n%.600q\n%.600q", steps, len(bare), len(got), bare, got)
	}
	if saw == nil {
		if b.InUse() != 0 {
			t.Errorf("steps %v: a panic kept %d bytes", steps, b.InUse())
		}
		return
	}
	believes(t, steps, method, strings.Join(got, ""), wants, saw)
	saw.Release()
	if b.InUse() != 0 {
		t.Errorf("steps %v: %d bytes in use after Release", steps, b.InUse())
	}
}

// believes compares what a tap saw with the response a client reads from the wire.
func believes(t *testing.T, steps []byte, method, wire string, wants want, saw *Response) {
	t.Helper()
	in := bufio.NewReader(strings.NewReader(wire))
	var resp *http.Response
	for resp == nil || !final(resp.StatusCode, 1) {
		var err error
		if resp, err = http.ReadResponse(in, &http.Request{Method: method}); err != nil {
			return // the handler made something that is not HTTP
		}
	}
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != saw.Status && saw.Complete {
		t.Errorf("steps %v: tap saw status %d, client %d", steps, saw.Status, resp.StatusCode)
	}
	if err != nil && saw.Complete {
		t.Errorf("steps %v: complete, but the client got %v", steps, err)
	}
	if want := strings.Join(resp.Header["Content-Type"], ", "); saw.Status == 200 && saw.Complete && saw.Header.ContentType != want {
		t.Errorf("steps %v: tap believes type %q, client got %q", steps, saw.Header.ContentType, want)
	}
	if err != nil || !saw.Complete || method == "HEAD" || !hasBody(saw.Status) {
		return
	}
	if saw.Written != int64(len(body)) {
		t.Errorf("steps %v: tap counted %d bytes, client %d", steps, saw.Written, len(body))
	}
	keeps := method == "GET" && saw.Status == 200 && judgeTyped(wants, true, &saw.Header) == keeping
	switch {
	case !keeps && saw.Body != nil:
		t.Errorf("steps %v: kept the body of %s %d %q", steps, method, saw.Status, saw.Header.ContentType)
	case keeps && saw.Truncated != (len(body) > 64<<10):
		t.Errorf("steps %v: truncated %v at %d bytes", steps, saw.Truncated, len(body))
	case keeps && !bytes.Equal(saw.Body, body[:min(len(body), 64<<10)]):
		t.Errorf("steps %v: tap kept %d bytes that are not the client's %d", steps, len(saw.Body), len(body))
	}
}

func pageFile(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(name, []byte(content(0, 12)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestWireIsTheSame tries many handlers at random.
func TestWireIsTheSame(t *testing.T) {
	file := pageFile(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		steps := make([]byte, 1+3*random.IntN(9))
		for i := range steps {
			steps[i] = byte(random.Uint32())
		}
		if sameWire(t, steps, file); t.Failed() {
			return
		}
	}
}

func FuzzWire(f *testing.F) {
	f.Add([]byte{0, 9, 0, 12})                 // one large untyped page
	f.Add([]byte{0, 12, 1, 1, 9, 2, 5})        // a type that shows only across writes
	f.Add([]byte{0, 14, 0, 0, 9, 0, 5})        // flush before the first byte
	f.Add([]byte{0, 19, 0, 0})                 // a file
	f.Add([]byte{64, 19, 1, 12})               // a file where the connection has no ReadFrom
	f.Add([]byte{0, 0, 0, 0, 17, 0, 12})       // a source with WriteTo
	f.Add([]byte{0, 7, 9, 0, 9, 0, 5})         // early hints
	f.Add([]byte{0, 9, 0, 5, 23, 0, 0})        // a panic recovered late
	f.Add([]byte{3, 3, 11, 0, 0, 0, 0})        // HEAD with a length
	f.Add([]byte{0, 3, 11, 0, 9, 0, 5})        // less than declared
	f.Add([]byte{0, 20, 0, 0, 21, 0, 0})       // a source that fails at once, then 404
	f.Add([]byte{0, 4, 0, 0, 9, 0, 5})         // compressed
	f.Add([]byte{0, 12, 1, 1, 15, 0, 0, 9, 0}) // a flush settles the type
	f.Add([]byte{128, 0, 3, 0, 19, 0, 0})      // a text file that is wanted
	f.Add([]byte{128, 9, 3, 12})               // a text without a type
	file := pageFile(f)
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 100 {
			return
		}
		sameWire(t, steps, file)
	})
}

// FuzzSniff cuts content into writes and flushes anywhere; the type the tap believes is the one the client gets.
func FuzzSniff(f *testing.F) {
	f.Add([]byte("<!doctype html>"), []byte{1, 3, 128})
	f.Add([]byte(strings.Repeat(" ", 510)+"<html>"), []byte{255, 128, 130})
	f.Add([]byte("\x89PNG\r\n\x1a\n"), []byte{0, 4})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			rest := data
			for _, c := range cuts {
				n := min(int(c)*4, len(rest))
				w.Write(rest[:n])
				if rest = rest[n:]; c%7 == 0 {
					w.(http.Flusher).Flush()
				}
			}
			w.Write(rest)
		})
		var saw *Response
		wire := segments(t, "GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n", true, tapped(h, NewBuffers(4096, 1<<20), pages, &saw))
		resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(strings.Join(wire, ""))), nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := resp.Header.Get("Content-Type"); saw.Header.ContentType != want {
			t.Errorf("tap believes %q, client got %q", saw.Header.ContentType, want)
		}
	})
}
