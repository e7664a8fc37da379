package tap

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
