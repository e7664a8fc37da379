package files

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzNotModified sends any headers a client may send. The client is never told that it
// has a file that it does not have. Its tag is found among others, and dates are compared
// as net/http compares them.
func FuzzNotModified(f *testing.F) {
	const tag = `"0123456789abcdef"`
	modified := time.Date(2026, 11, 20, 17, 30, 0, 0, time.UTC)
	f.Add(`"a"`, `W/"b"`, "Fri, 20 Nov 2026 17:30:00 GMT")
	f.Add("", "*", "Fri, 20 Nov 2026 17:29:59 GMT")
	f.Add(tag[:9], tag[9:], "Friday, 20-Nov-26 17:30:01 GMT")
	f.Add(`"`, `,"`, "Fri Nov 20 17:30:00 2026")
	f.Fuzz(func(t *testing.T, before, after, since string) {
		ask := func(name string, values ...string) bool {
			return notModified(http.Header{name: values}, tag, modified)
		}
		if lines := before + after; ask("If-None-Match", before, after) && !strings.Contains(lines, tag) && !strings.Contains(lines, "*") {
			t.Errorf("%q and %q are taken for %s", before, after, tag)
		}
		if !ask("If-None-Match", before+","+tag+", "+after) || !ask("If-None-Match", before, " W/"+tag+" ", after) {
			t.Errorf("the tag is not found between %q and %q", before, after)
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("If-Modified-Since", since)
		w := httptest.NewRecorder()
		http.ServeContent(w, r, "", modified, strings.NewReader("x"))
		if got := ask("If-Modified-Since", since); got != (w.Code == http.StatusNotModified) {
			t.Errorf("not modified since %q: %v, net/http answers %d", since, got, w.Code)
		}
	})
}
