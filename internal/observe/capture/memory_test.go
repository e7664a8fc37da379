package capture

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
)

func TestBodyIsLeftOutWithoutMemory(t *testing.T) {
	got := NewRecorder(response.NewBuffers(1<<10, 0, nil)).Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<html>"))
		w.Write(bytes.Repeat([]byte(" "), 600))
	}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), Page, 0)
	if got.HTML() || !got.Truncated || got.Body != nil || got.Written != 606 || !got.Complete {
		t.Errorf("saw %+v", got.Response)
	}
}
