package tap

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// fileTaker is a writer that can send files without copying, and notes what it is given.
type fileTaker struct {
	httptest.ResponseRecorder
	src io.Reader
}

func (w *fileTaker) ReadFrom(src io.Reader) (int64, error) {
	w.src = src
	return io.Copy(struct{ io.Writer }{&w.ResponseRecorder}, src)
}

func TestSendfileIsKeptForWhatIsNoPage(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 4096)
	for _, c := range []struct {
		name, contentType, content string
		itself                     bool
		keeps                      bool
	}{
		{"image with type", "image/png", png, true, false},
		{"image without type", "", png, true, false},
		{"page with type", "text/html", page, false, true},
		{"page without type", "", page + strings.Repeat(" ", 600), false, true},
		{"too short to tell", "", "\x89PNG\r\n\x1a\n", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			fmt.Fprint(f, "before", c.content, "after")
			f.Seek(int64(len("before")), io.SeekStart)
			src := &io.LimitedReader{R: f, N: int64(len(c.content))}
			w := &fileTaker{ResponseRecorder: *httptest.NewRecorder()}
			seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.contentType != "" {
					w.Header().Set("Content-Type", c.contentType)
				}
				w.(io.ReaderFrom).ReadFrom(src)
			}), w, httptest.NewRequest("GET", "/", nil), NewBuffers(1<<20, 1<<20))
			if (w.src == src) != c.itself {
				t.Errorf("the writer below got %T", w.src)
			}
			if w.Body.String() != c.content || src.N != 0 {
				t.Errorf("sent %d bytes of %d, %d left", w.Body.Len(), len(c.content), src.N)
			}
			if c.keeps != (seen.Body != nil) || c.keeps && string(seen.Body) != c.content {
				t.Errorf("kept %d bytes", len(seen.Body))
			}
			if seen.Written != int64(len(c.content)) || seen.HTML() != c.keeps || seen.Header.ContentType == "" {
				t.Errorf("saw %d bytes of %q", seen.Written, seen.Header.ContentType)
			}
		})
	}
}
