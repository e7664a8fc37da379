package capture

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
)

func TestRecorderFindsItsOwnCapture(t *testing.T) {
	mine, other := NewRecorder(buffers()), NewRecorder(buffers())
	plain := httptest.NewRecorder()
	if mine.Of(plain) != nil {
		t.Error("found a capture where there is none")
	}
	var kept http.ResponseWriter
	seen := mine.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept = w
		other.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mine.Of(caddyish{w}).Route.Template = "/a/{b}"
			if other.Of(w) == nil || other.Of(w) == mine.Of(w) {
				t.Error("the captures of two sites are not told apart")
			}
		}), w, r, Page, true)
		if other.Of(w) != nil {
			t.Error("found a capture that ended")
		}
	}), plain, httptest.NewRequest("GET", "/", nil), Page, true)
	if seen.Route.Template != "/a/{b}" {
		t.Errorf("route %q", seen.Route.Template)
	}
	if mine.Of(kept) != nil {
		t.Error("found a capture after the handler returned")
	}
	if mine.Of(&circle{plain}) != nil || mine.Of(unhashable{}) != nil {
		t.Error("found a capture in a writer that unwraps to itself, or that cannot be a key of a map")
	}
}

// circle unwraps to itself.
type circle struct{ http.ResponseWriter }

func (w *circle) Unwrap() http.ResponseWriter { return w }

type unhashable struct {
	http.ResponseWriter
	_ []byte
}

func (w unhashable) Unwrap() http.ResponseWriter { return httptest.NewRecorder() }

// TestLateWritesAreNotSeen checks that nothing changes the body once the handler has returned, even
// if one of its goroutines still writes. By then a worker reads the body.
func TestLateWritesAreNotSeen(t *testing.T) {
	rec := httptest.NewRecorder()
	var late http.ResponseWriter
	seen := serve(rec, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, page)
		late = w
	})
	before := *seen.Response
	io.WriteString(late, "late")
	late.Write([]byte("later"))
	late.WriteHeader(500)
	late.(http.Flusher).Flush()
	if string(seen.Body) != page || seen.Written != before.Written || seen.Complete != before.Complete {
		t.Errorf("late calls changed what was seen: %+v", seen)
	}
	if rec.Body.String() != page+"latelater" {
		t.Errorf("late writes did not arrive: %q", rec.Body)
	}
}

// A handler may change its header after the first byte. The observation has the header that the client got.
func TestHeaderIsAsSent(t *testing.T) {
	got := serve(httptest.NewRecorder(), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Add("Cache-Control", "public")
		w.Header().Set("X-Robots-Tag", "nofollow")
		io.WriteString(w, page)
		w.Header().Set("X-Robots-Tag", "noindex")
		w.Header()["Cache-Control"][0] = "no-store"
	})
	if want := (response.Header{ContentType: "text/html", CacheControl: "public",
		RobotsTag: "nofollow"}); got.Header != want {
		t.Errorf("saw %+v\nwant %+v", got.Header, want)
	}
}

// A compressor around the capture names its coding before the handler runs, and the type once it has
// the first bytes.
func TestTypeMayBeToldByACompressor(t *testing.T) {
	for _, c := range []struct{ name, typed, want string }{{"told", "", "text/html; charset=utf-8"},
		{"typed by the handler", "text/plain", "text/plain"}} {
		t.Run(c.name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			rec.Header().Set("Content-Encoding", "gzip")
			seen := serve(compressing{rec}, func(w http.ResponseWriter, _ *http.Request) {
				if c.typed != "" {
					w.Header().Set("Content-Type", c.typed)
				}
				io.WriteString(w, page)
			})
			if seen.Header.ContentType != c.want || seen.HTML() != (string(seen.Body) == page) {
				t.Errorf("saw %q, kept %q", seen.Header.ContentType, seen.Body)
			}
		})
	}
}

type compressing struct{ *httptest.ResponseRecorder }

func (w compressing) Write(p []byte) (int, error) {
	w.Header().Set("Content-Type", http.DetectContentType(p))
	return w.ResponseRecorder.Write(p)
}

func (w compressing) WriteString(s string) (int, error) { return w.Write([]byte(s)) }
