package observe

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func BenchmarkNotDue(b *testing.B) {
	r := start(b)
	req, w := get("/a"), httptest.NewRecorder()
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	r.watches(req, page200) // the one look that is due
	b.ReportAllocs()
	for b.Loop() {
		r.Serve(h, w, req)
	}
}

func BenchmarkNotDueAlone(b *testing.B) {
	req, w := get("/a"), httptest.NewRecorder()
	h := http.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, req)
	}
}

// A visitor with a session never uses up a look.
func BenchmarkKnownVisitor(b *testing.B) {
	r := start(b)
	req, w := with(get("/a"), "Cookie", "session=1"), httptest.NewRecorder()
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	b.ReportAllocs()
	for b.Loop() {
		r.Serve(h, w, req)
	}
}
