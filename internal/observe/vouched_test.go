package observe

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestSiteVouchesForListedAndLinkedPages(t *testing.T) {
	r := start(t)
	want := func(when string, vouched map[string]bool) {
		t.Helper()
		for loc, want := range vouched {
			if got := r.vouched(loc); got != want {
				t.Errorf("%s: the site vouches for %s: %v, want %v", when, loc, got, want)
			}
		}
	}
	visit := func(target, body string) {
		t.Helper()
		r.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, body)
		}), httptest.NewRecorder(), get("https://example.com"+target))
		r.page(target) // so that it is read and stored
	}
	want("at the start", map[string]bool{"/": true, "/a": false, "/made-up": false})
	visit("/made-up", `<title>m</title><a href="/linked-by-it">x</a>`)
	visit("/", `<title>home</title><a href="/a">a</a>`)
	want("when a listed page links to it", map[string]bool{"/a": true, "/made-up": false, "/linked-by-it": false})
	visit("/a", `<title>a</title>`)
	want("when it is listed", map[string]bool{"/": true, "/a": true, "/made-up": false})
}
