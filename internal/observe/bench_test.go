package observe

import (
	"io"
	"net/http"
	"testing"
)

// discard is a writer that costs nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header               { return d.header }
func (d discard) Write(p []byte) (int, error)       { return len(p), nil }
func (d discard) WriteString(s string) (int, error) { return len(s), nil }
func (d discard) WriteHeader(int)                   {}

var htmlType = []string{"text/html; charset=utf-8"}

// cheapPage serves a page. Now and then a look is due, which needs a page.
func cheapPage(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = htmlType
	io.WriteString(w, pageHTML)
}

// BenchmarkServe compares what a request costs. "Alone" has no observer. A visitor with a session
// never uses up a look, so each of its requests finds a look due.
func BenchmarkServe(b *testing.B) {
	for _, bm := range []struct {
		name, cookie string
		observed     bool
	}{{"Alone", "", false}, {"NotDue", "", true}, {"KnownVisitor", "session=1", true}} {
		serve := http.HandlerFunc(cheapPage)
		if bm.observed {
			r := start(b)
			serve = func(w http.ResponseWriter, req *http.Request) { r.Serve(http.HandlerFunc(cheapPage), w, req) }
		}
		b.Run(bm.name, func(b *testing.B) {
			w, req := discard{http.Header{}}, get("/a")
			if bm.cookie != "" {
				req.Header.Set("Cookie", bm.cookie)
			}
			serve(w, req) // this uses up the look that is due
			b.ReportAllocs()
			for b.Loop() {
				serve(w, req)
			}
		})
	}
}
