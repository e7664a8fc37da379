package capture

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

var chunk = make([]byte, 100_000)

// serveSizes serves an HTML page in writes of these sizes.
func serveSizes(b *Buffers, sizes ...int) *Response {
	return Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for _, n := range sizes {
			w.Write(chunk[:n])
		}
	}), sink{httptest.NewRecorder()}, httptest.NewRequest("GET", "/", nil), b)
}

func TestBodyIsBounded(t *testing.T) {
	for _, c := range []struct {
		name        string
		each, total int
		sizes       []int
		kept, inUse int
		truncated   bool
	}{
		{"small", 1 << 20, 1 << 20, []int{10}, 10, 4 << 10, false},
		{"grows", 1 << 20, 1 << 20, []int{10000, 10000, 80000}, 100000, 128 << 10, false},
		{"exactly the bound", 50000, 1 << 20, []int{25000, 25000}, 50000, 50000, false},
		{"over the bound", 50000, 1 << 20, []int{25000, 25001}, 50000, 50000, true},
		{"over the bound at once", 50000, 1 << 20, []int{99999}, 50000, 50000, true},
		{"no total", 1 << 20, 0, []int{10}, 0, 0, true},
		{"total used up on the way", 1 << 20, 20 << 10, []int{16 << 10, 10}, 16 << 10, 16 << 10, true},
		{"tiny bound", 1, 1 << 20, []int{1000}, 512, 512, true},
		{"nothing written", 1 << 20, 1 << 20, nil, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuffers(c.each, c.total)
			seen := serveSizes(b, c.sizes...)
			if len(seen.Body) != c.kept || seen.Truncated != c.truncated || b.InUse() != int64(c.inUse) {
				t.Errorf("kept %d, truncated %v, %d in use", len(seen.Body), seen.Truncated, b.InUse())
			}
			seen.Release()
			seen.Release()
			if b.InUse() != 0 || seen.Body != nil {
				t.Errorf("%d in use after Release", b.InUse())
			}
		})
	}
}

// A page that is served again and again reuses the buffers in which it grew.
func TestBuffersAreUsedAgain(t *testing.T) {
	b, times := NewBuffers(1<<20, 1<<20), 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		seen := serveSizes(b, 8000, 8000, 80_000)
		if len(seen.Body) != 96_000 {
			t.Fatalf("kept %d bytes", len(seen.Body))
		}
		seen.Release()
	}
	runtime.ReadMemStats(&after)
	// The race detector makes a pool drop every fourth buffer.
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(times); each > 90_000 {
		t.Errorf("each page cost %d bytes of memory", each)
	}
}

func TestTypeStaysOpenWithoutMemory(t *testing.T) {
	seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<html>"))
		w.Write([]byte(strings.Repeat(" ", 600)))
	}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), NewBuffers(1<<10, 0))
	if seen.HTML() || !seen.Truncated || seen.Body != nil || seen.Written != 606 || !seen.Complete {
		t.Errorf("saw %+v", seen)
	}
}

// TestBuffersTogetherStayBelowTheirBound keeps many bodies at once. It checks that all together
// stay below the bound, and that none gets another's content.
func TestBuffersTogetherStayBelowTheirBound(t *testing.T) {
	const total = 256 << 10
	b := NewBuffers(64<<10, total)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for range 50 {
				text := strings.Repeat(string(rune('a'+worker)), 1000+worker*7000)
				seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					w.Write([]byte(text))
				}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), b)
				if string(seen.Body) != text && !seen.Truncated {
					t.Errorf("worker %d: another's content", worker)
				}
				if b.InUse() > 2*total { // a refused one may be counted for a moment
					t.Errorf("%d bytes in use", b.InUse())
				}
				seen.Release()
			}
		})
	}
	wg.Wait()
	if b.InUse() != 0 {
		t.Errorf("%d bytes in use at the end", b.InUse())
	}
}

// TestStrangersLeaveRoomForOthers serves made-up pages until they use all memory they may use.
func TestStrangersLeaveRoomForOthers(t *testing.T) {
	const each, total = 64 << 10, 4 * 64 << 10
	type serving func(http.Handler, http.ResponseWriter, *http.Request, *Buffers) *Response
	b := NewBuffers(each, total)
	serve := func(f serving, size int) *Response {
		return f(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, strings.Repeat("x", size))
		}), httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), b)
	}
	for _, step := range []struct {
		name      string
		serve     serving
		size      int
		truncated bool
		inUse     int64
	}{
		{"a stranger", ServeStranger, each, false, each},
		{"a second one", ServeStranger, each, false, 2 * each},
		{"a third one", ServeStranger, each, false, 3 * each},
		{"one too many", ServeStranger, 1, true, 3 * each},
		{"a page", Serve, each, false, total},
		{"a page too many", Serve, 1, true, total},
	} {
		if resp := serve(step.serve, step.size); resp.Truncated != step.truncated || b.InUse() != step.inUse {
			t.Errorf("%s: truncated %v with %d bytes in use, want %v with %d", step.name, resp.Truncated, b.InUse(), step.truncated, step.inUse)
		}
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
			b := NewBuffers(window, 1<<20)
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
				b := NewBuffers(window, 1<<20)
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
