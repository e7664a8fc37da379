package tap

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// serveSizes serves an HTML page in writes of these sizes.
func serveSizes(b *Buffers, length string, sizes ...int) *Response {
	return Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if length != "" {
			w.Header().Set("Content-Length", length)
		}
		for _, n := range sizes {
			w.Write([]byte(strings.Repeat("x", n)))
		}
	}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), b)
}

func TestBodyIsBounded(t *testing.T) {
	for _, c := range []struct {
		name        string
		each, total int
		length      string
		sizes       []int
		kept, inUse int
		truncated   bool
	}{
		{"small", 1 << 20, 1 << 20, "", []int{10}, 10, 4 << 10, false},
		{"grows", 1 << 20, 1 << 20, "", []int{10000, 10000, 80000}, 100000, 128 << 10, false},
		{"exactly the bound", 50000, 1 << 20, "", []int{25000, 25000}, 50000, 50000, false},
		{"over the bound", 50000, 1 << 20, "", []int{25000, 25001}, 50000, 50000, true},
		{"over the bound at once", 50000, 1 << 20, "", []int{99999}, 50000, 50000, true},
		{"declared", 1 << 20, 1 << 20, "100000", []int{10, 99990}, 100000, 128 << 10, false},
		{"declared, a power of two", 1 << 20, 1 << 20, "65536", []int{65536}, 65536, 64 << 10, false},
		{"declared too much", 50000, 1 << 20, "999999999999", []int{10}, 10, 50000, false},
		{"no total", 1 << 20, 0, "", []int{10}, 0, 0, true},
		{"total used up on the way", 1 << 20, 20 << 10, "", []int{16 << 10, 10}, 16 << 10, 16 << 10, true},
		{"tiny bound", 1, 1 << 20, "", []int{1000}, 512, 512, true},
		{"nothing written", 1 << 20, 1 << 20, "", nil, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuffers(c.each, c.total)
			seen := serveSizes(b, c.length, c.sizes...)
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

// A page that is served again and again reuses one buffer, whether that grew or was made at once.
func TestBuffersAreUsedAgain(t *testing.T) {
	for _, c := range []struct{ name, length string }{{"growing", ""}, {"declared", "96000"}} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuffers(1<<20, 1<<20)
			chunk, times := make([]byte, 8000), 200
			page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				if c.length != "" {
					w.Header().Set("Content-Length", c.length)
				}
				for range 12 {
					w.Write(chunk)
				}
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range times {
				seen := Serve(page, sink{httptest.NewRecorder()}, httptest.NewRequest("GET", "/", nil), b)
				if len(seen.Body) != 12*len(chunk) {
					t.Fatalf("kept %d bytes", len(seen.Body))
				}
				seen.Release()
			}
			runtime.ReadMemStats(&after)
			// The race detector makes a pool drop every fourth buffer.
			if each := (after.TotalAlloc - before.TotalAlloc) / uint64(times); each > 90_000 {
				t.Errorf("each page cost %d bytes of memory", each)
			}
		})
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

// TestBuffersTogether keeps many bodies at once. It checks that all together stay below the bound,
// and that none gets another's content.
func TestBuffersTogether(t *testing.T) {
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
