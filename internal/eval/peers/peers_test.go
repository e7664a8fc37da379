// Package peers measures what a request costs with servemap, and with other
// middleware that watches responses, around the same handler in the same run:
//
//	cd internal/eval/peers && go test -run - -bench Serve/ -count 6 -cpu 1
//
// It is a module of its own, so that the library does not depend on the others.
package peers

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/felixge/httpsnoop"
	"github.com/gorilla/handlers"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store/memstore"
)

// page is 10 KB of HTML.
var page = []byte("<!DOCTYPE html><html><head><title>A page</title></head><body><main><p>" +
	strings.Repeat("A sentence of the page. ", 420) + "</p></main></body></html>")

var htmlType = []string{"text/html; charset=utf-8"}

func servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = htmlType
	w.Write(page)
}

// writer does nothing, and has the optional interfaces of HTTP/1.1's writer.
type writer struct{ header http.Header }

func (w *writer) Header() http.Header                 { return w.header }
func (*writer) Write(p []byte) (int, error)           { return len(p), nil }
func (*writer) WriteString(s string) (int, error)     { return len(s), nil }
func (*writer) WriteHeader(int)                       {}
func (*writer) Flush()                                {}
func (*writer) FlushError() error                     { return nil }
func (*writer) ReadFrom(src io.Reader) (int64, error) { return io.Copy(io.Discard, src) }
func (*writer) CloseNotify() <-chan bool              { return nil }
func (*writer) SetWriteDeadline(time.Time) error      { return nil }
func (*writer) Hijack() (c net.Conn, b *bufio.ReadWriter, err error) {
	return nil, nil, http.ErrNotSupported
}

// wrapped returns the middleware by name, each around the same handler.
func wrapped(tb testing.TB) []struct {
	name string
	http.Handler
} {
	h := http.HandlerFunc(servePage)
	site, err := kit.NewSite(new(memstore.Store), servemap.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = site.Close(context.WithoutCancel(tb.Context())) })
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "seconds"}, []string{"code", "method"})
	total := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests"}, []string{"code", "method"})
	return []struct {
		name string
		http.Handler
	}{
		{"bare", h},
		{"servemap", site.Wrap(h)},
		{"httpsnoop", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { httpsnoop.CaptureMetrics(h, w, r) })},
		{"gorilla-logging", handlers.CombinedLoggingHandler(io.Discard, h)},
		{"promhttp", promhttp.InstrumentHandlerDuration(seconds, promhttp.InstrumentHandlerCounter(total, h))},
		{"otelhttp", otelhttp.NewHandler(h, "page")},
	}
}

func request() *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/blog/2026/a-post-with-a-name", nil)
	r.Host, r.RemoteAddr = kit.Host, "8.8.8.8:1234"
	return r
}

func BenchmarkServe(b *testing.B) {
	for _, h := range wrapped(b) {
		b.Run(h.name, func(b *testing.B) {
			w, r := &writer{http.Header{}}, request()
			h.ServeHTTP(w, r) // the observation that is due at first
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}

// TestAllServeTheSame checks that all of them serve the same page.
func TestAllServeTheSame(t *testing.T) {
	for _, h := range wrapped(t) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, request())
		if rec.Code != http.StatusOK || rec.Body.String() != string(page) {
			t.Errorf("%s: %d with %d bytes, want 200 with %d", h.name, rec.Code, rec.Body.Len(), len(page))
		}
	}
}
