package tap

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const text = "User-agent: *\nDisallow: /internal/\n"

func textFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

func TestServeTextKeepsTexts(t *testing.T) {
	file := func(name, content string) http.HandlerFunc {
		path := textFile(t, name, content)
		return func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, path) }
	}
	long := text + strings.Repeat("# more\n", MaxText/7)
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		status  int
		kept    string
		cut     bool
	}{
		{"file", file("robots.txt", text), 200, text, false},
		{"file that is long", file("robots.txt", long), 200, long[:MaxText], true},
		{"file as long as may be", file("robots.txt", long[:MaxText]), 200, long[:MaxText], false},
		{"file of HTML", file("robots.html", page), 200, "", false},
		{"written", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, text)
		}, 200, text, false},
		{"written without a type", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }, 200, text, false},
		{"written without a type, and long", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, long) }, 200, long[:MaxText], true},
		{"flushed in the middle", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, text[:9])
			w.(http.Flusher).Flush()
			io.WriteString(w, text[9:])
		}, 200, text, false},
		{"compressed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, gzipped(text))
		}, 200, gzipped(text), false},
		{"error", http.NotFound, 404, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuffers(2<<20, 4<<20)
			saw := make(chan *Response, 1)
			srv := newHTTP1(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { saw <- ServeText(c.handler, w, r, b) }))
			defer srv.Close()
			_, got := get(t, srv, "/robots.txt")
			seen := <-saw
			if string(seen.Body) != c.kept || seen.Truncated != c.cut || seen.Status != c.status || !seen.Complete {
				t.Errorf("status %d, kept %d bytes, cut %v, complete %v; want %d, %d, %v, true",
					seen.Status, len(seen.Body), seen.Truncated, seen.Complete, c.status, len(c.kept), c.cut)
			}
			if c.status == 200 && !strings.HasPrefix(got, c.kept) && seen.Header.ContentEncoding == "" {
				t.Errorf("kept %.40q, but the client got %.40q", c.kept, got)
			}
			if n := b.InUse(); n > MaxText {
				t.Errorf("%d bytes are lent", n)
			}
			if seen.Release(); b.InUse() != 0 {
				t.Errorf("%d bytes are lent after Release", b.InUse())
			}
		})
	}
}
