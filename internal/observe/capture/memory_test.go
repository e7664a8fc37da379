package capture

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
)

func TestBodyIsLeftOutWithoutMemory(t *testing.T) {
	got := NewRecorder(response.NewBuffers(1<<10, 0)).Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<html>"))
		w.Write(bytes.Repeat([]byte(" "), 600))
	}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), Page)
	if got.HTML() || !got.Truncated || got.Body != nil || got.Written != 606 || !got.Complete {
		t.Errorf("saw %+v", got.Response)
	}
}

// cheapWriter costs nothing and has the interfaces of net/http's writer for HTTP/1.1.
type cheapWriter struct {
	http.ResponseWriter
	header http.Header
}

func (w cheapWriter) Header() http.Header                 { return w.header }
func (w cheapWriter) WriteHeader(int)                     {}
func (w cheapWriter) Write(p []byte) (int, error)         { return len(p), nil }
func (w cheapWriter) WriteString(s string) (int, error)   { return len(s), nil }
func (w cheapWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) }
func (w cheapWriter) Flush()                              {}
func (w cheapWriter) FlushError() error                   { return nil }
func (w cheapWriter) CloseNotify() <-chan bool            { return nil }

// BenchmarkServe serves a page of 95 KB, about the size of the median page on the web.
func BenchmarkServe(b *testing.B) {
	body := append([]byte("<!DOCTYPE html>"), bytes.Repeat([]byte("0123456789abcdef"), 95<<10/16)...)
	for _, c := range []struct {
		name     string
		types    []string
		captured bool
	}{
		{"Without", []string{"text/html; charset=utf-8"}, false},
		{"HTML95KB", []string{"text/html; charset=utf-8"}, true},
		{"Untyped95KB", nil, true},
		{"NotHTML", []string{"image/png"}, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			rec, r := NewRecorder(response.NewBuffers(1<<20, 16<<20)), httptest.NewRequest("GET", "/", nil)
			w := cheapWriter{header: http.Header{"Cache-Control": {"public"}, "Etag": {`"1"`}, "Vary": {"Accept-Encoding"}, "X-Frame-Options": {"DENY"}}}
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.types != nil {
					w.Header()["Content-Type"] = c.types
				}
				w.Write(body)
			})
			b.ReportAllocs()
			for b.Loop() {
				delete(w.header, "Content-Type")
				if c.captured {
					rec.Serve(h, w, r, Page).Release()
				} else {
					h(w, r)
				}
			}
		})
	}
}
