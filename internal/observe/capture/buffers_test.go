package capture

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestTypeStaysOpenWithoutMemory(t *testing.T) {
	seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<html>"))
		w.Write([]byte(strings.Repeat(" ", 600)))
	}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 0))
	if seen.HTML() || !seen.Truncated || seen.Body != nil || seen.Written != 606 || !seen.Complete {
		t.Errorf("saw %+v", seen)
	}
}

// zeros is an endless source. It costs nothing, since a new buffer is already zero.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// sink takes everything in writes of 32 KB, like those of io.Copy. readingSink has ReadFrom, like a
// connection.
type sink struct{ http.ResponseWriter }

func (sink) Write(p []byte) (int, error) { return len(p), nil }

type readingSink struct{ sink }

func (s readingSink) ReadFrom(src io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{s.sink}, struct{ io.Reader }{src})
}

// TestHugeBodyIsKeptUpToItsLimit serves 10 GB. The tap keeps only what it may keep, and its
// allocations do not grow.
func TestHugeBodyIsKeptUpToItsLimit(t *testing.T) {
	const size, window = 10 << 30, 64 << 10
	for _, c := range []struct {
		name, contentType, length string
		w                         http.ResponseWriter
		kept                      int
	}{
		{"a page that is written", "text/html", "", sink{httptest.NewRecorder()}, window},
		{"a page that is read", "text/html", "", readingSink{sink{httptest.NewRecorder()}}, window},
		{"a page of declared length", "text/html", "10737418240", readingSink{sink{httptest.NewRecorder()}}, window},
		{"no type", "", "", sink{httptest.NewRecorder()}, 0}, // zeros are no text
		{"a file", "application/zip", "10737418240", readingSink{sink{httptest.NewRecorder()}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := response.NewBuffers(window, 1<<20)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.contentType != "" {
					w.Header().Set("Content-Type", c.contentType)
				}
				if c.length != "" {
					w.Header().Set("Content-Length", c.length)
				}
				if n, err := io.CopyN(w, zeros{}, size); n != size || err != nil {
					t.Errorf("sent %d bytes, %v", n, err)
				}
			}), c.w, httptest.NewRequest("GET", "/", nil), b)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
			if len(seen.Body) != c.kept || seen.Truncated != (c.kept > 0) || seen.Written != size || !seen.Complete {
				t.Errorf("kept %d bytes of %d, truncated %v, complete %v", len(seen.Body), seen.Written, seen.Truncated, seen.Complete)
			}
			if n := b.InUse(); n != int64(c.kept) {
				t.Errorf("%d bytes are lent", n)
			}
			seen.Release()
		})
	}
}

// TestStreamsForAnHour has a handler that sends something each second. The client gets it within
// that second. The tap keeps no more than its window of a page, and nothing of events.
func TestStreamsForAnHour(t *testing.T) {
	const window = 4 << 10
	for _, c := range []struct {
		contentType string
		kept        int
	}{{"text/event-stream", 0}, {"text/html", window}} {
		t.Run(c.contentType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := base.NewListener()
				client, err := l.Dial(t.Context())
				base.Check(t, err)
				b := response.NewBuffers(window, 1<<20)
				h, saw := watch(everySecond(c.contentType, 3600), b)
				srv := &http.Server{Handler: h}
				go srv.Serve(l)
				go io.WriteString(client, "GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")
				resp, err := http.ReadResponse(bufio.NewReader(client), nil)
				base.Check(t, err)
				begun, lines, most := time.Now(), bufio.NewReader(resp.Body), int64(0)
				for i := range 3600 {
					if _, err := lines.ReadString('\n'); err != nil || time.Since(begun) != time.Duration(i)*time.Second {
						t.Fatalf("event %d came after %v, %v", i, time.Since(begun), err)
					}
					most = max(most, b.InUse())
				}
				seen := <-saw
				if most > window || len(seen.Body) != c.kept || seen.Truncated != (c.kept > 0) || !seen.Complete {
					t.Errorf("%d bytes were lent, %d kept, truncated %v, complete %v", most, len(seen.Body), seen.Truncated, seen.Complete)
				}
				seen.Release()
				client.Close()
				srv.Close()
			})
		})
	}
}

// everySecond sends one line each second.
func everySecond(contentType string, lines int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := range lines {
			if i > 0 {
				time.Sleep(time.Second)
			}
			io.WriteString(w, "data: an event\n")
			w.(http.Flusher).Flush()
		}
	}
}
