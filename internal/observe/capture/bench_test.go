package capture

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
)

// onePage writes a page of 95 KB, about the size of the median page on the web.
func onePage(contentType string) http.HandlerFunc {
	body := append([]byte("<!DOCTYPE html>"), bytes.Repeat([]byte("0123456789abcdef"), 95<<10/16)...)
	values := []string{contentType}
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header()["Content-Type"] = values
		}
		w.Write(body)
	}
}

// sampled serves each request through a tap and releases the response at once.
func sampled(h http.Handler) http.Handler {
	buffers := response.NewBuffers(1<<20, 16<<20)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Serve(h, w, r, buffers).Release()
	})
}

var handlers = []struct {
	name string
	h    http.Handler
}{
	{"Without", onePage("text/html; charset=utf-8")},
	{"TappedHTML95KB", sampled(onePage("text/html; charset=utf-8"))},
	{"TappedUntyped95KB", sampled(onePage(""))},
	{"TappedNotHTML", sampled(onePage("image/png"))},
}

// newOriginal returns a writer that costs nothing and has the interfaces of net/http's HTTP/1.1
// writer.
func newOriginal() (http.ResponseWriter, http.Header) {
	o := &original{header: http.Header{
		"Cache-Control": {"public"}, "Etag": {`"1"`}, "Vary": {"Accept-Encoding"}, "X-Frame-Options": {"DENY"},
	}}
	return o.withSet(hasFlush | hasFlushError | hasHijack | hasReadFrom | hasCloseNotify | hasWriteString), o.header
}

func BenchmarkServe(b *testing.B) {
	r := httptest.NewRequest("GET", "/", nil)
	for _, c := range handlers {
		b.Run(c.name, func(b *testing.B) {
			w, header := newOriginal()
			b.ReportAllocs()
			for b.Loop() {
				delete(header, "Content-Type")
				c.h.ServeHTTP(w, r)
			}
		})
	}
}
