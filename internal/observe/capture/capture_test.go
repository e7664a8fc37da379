package capture

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
)

func TestResponseSaysWhatTheHandlerSent(t *testing.T) {
	html := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html; charset=utf-8") }
	for _, c := range []struct {
		name     string
		handler  http.HandlerFunc
		status   int
		body     string
		complete bool
	}{
		{"nothing at all, and so no proof", func(w http.ResponseWriter, r *http.Request) { html(w) }, 200, "", false},
		{"a page", func(w http.ResponseWriter, r *http.Request) { html(w); io.WriteString(w, page) }, 200, page, true},
		{"a page without a type", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) }, 200, page, true},
		{"a source that fails in the page", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			io.Copy(w, io.MultiReader(strings.NewReader(page), failing{}))
		}, 200, page, false},
		{"a source that fails at once", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			io.Copy(w, failing{})
			http.Error(w, "not there", http.StatusNotFound)
		}, 404, "", true},
		{"less than declared", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, page)
		}, 200, page, false},
		{"a panic recovered in the page", func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				_ = recover()
				w.WriteHeader(http.StatusInternalServerError)
			}()
			io.WriteString(w, page)
			panic("in the middle")
		}, 200, page, false},
		{"attachment", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			io.WriteString(w, page)
		}, 200, "", true},
		{"a request replaced in place", func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			*r = *r.WithContext(ctx)
			defer cancel()
			io.WriteString(w, page)
		}, 200, page, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, saw := seen(c.handler, buffers())
			srv := newHTTP1(h)
			defer srv.Close()
			if resp, err := srv.Client().Get(srv.URL); err == nil {
				resp.Body.Close()
			}
			got := <-saw
			if got.Status != c.status || string(got.Body) != c.body || got.Complete != c.complete || got.Truncated {
				t.Errorf("saw status %d, body %q, complete %v, truncated %v", got.Status, got.Body, got.Complete, got.Truncated)
			}
		})
	}
}

func TestPanicsPassUntouched(t *testing.T) {
	b := buffers()
	end := func(leave func()) (recovered any, returned bool) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { recovered = recover() }()
			NewRecorder(b).Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, page)
				leave()
			}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), Page)
			returned = true
		}()
		<-ended
		return recovered, returned
	}
	for _, value := range []any{http.ErrAbortHandler, errHere, "text"} {
		if got, returned := end(func() { panic(value) }); got != value || returned {
			t.Errorf("recovered %v, want %v", got, value)
		}
	}
	if got, returned := end(runtime.Goexit); got != nil || returned {
		t.Errorf("a goroutine that ends itself: recovered %v, returned %v", got, returned)
	}
	if b.InUse() != 0 {
		t.Errorf("%d bytes in use after panics", b.InUse())
	}
}

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
			mine.Of(caddyish{w}).Route = "/a/{b}"
			if other.Of(w) == nil || other.Of(w) == mine.Of(w) {
				t.Error("the captures of two sites are not told apart")
			}
		}), w, r, Page)
		if other.Of(w) != nil {
			t.Error("found a capture that ended")
		}
	}), plain, httptest.NewRequest("GET", "/", nil), Page)
	if seen.Route != "/a/{b}" {
		t.Errorf("route %q", seen.Route)
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

const text = "User-agent: *\nDisallow: /internal/\n"

func TestRobotsTxtIsKept(t *testing.T) {
	file := func(name, content string) http.HandlerFunc {
		path := writeFile(t, name, content)
		return func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, path) }
	}
	long := text + strings.Repeat("# more\n", robots.Enough/7)
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		status  int
		kept    string
		cut     bool
	}{
		{"file", file("robots.txt", text), 200, text, false},
		{"file that is long", file("robots.txt", long), 200, long[:robots.Enough], true},
		{"written without a type, and long", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, long) }, 200, long[:robots.Enough], true},
		{"encoded", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "own")
			io.WriteString(w, text)
		}, 200, text, false},
		{"error", http.NotFound, 404, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := response.NewBuffers(2<<20, 4<<20)
			got := httptest.NewRecorder()
			seen := NewRecorder(b).Serve(c.handler, got, httptest.NewRequest("GET", "/robots.txt", nil), RobotsTxt)
			if string(seen.Body) != c.kept || seen.Truncated != c.cut || seen.Status != c.status || !seen.Complete {
				t.Errorf("status %d, kept %d bytes, cut %v, complete %v; want %d, %d, %v, true",
					seen.Status, len(seen.Body), seen.Truncated, seen.Complete, c.status, len(c.kept), c.cut)
			}
			if c.status == 200 && !strings.HasPrefix(got.Body.String(), c.kept) {
				t.Errorf("kept %.40q, but the client got %.40q", c.kept, got.Body)
			}
			if n := b.InUse(); n > robots.Enough {
				t.Errorf("%d bytes are lent", n)
			}
		})
	}
}

func TestHeaderIsAsSent(t *testing.T) {
	got := serve(httptest.NewRecorder(), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Last-Modified", "yesterday")
		w.Header().Add("Cache-Control", "public")
		w.Header().Add("Cache-Control", "max-age=60")
		w.Header().Add("X-Robots-Tag", "otherbot: noindex")
		w.Header().Add("X-Robots-Tag", "nofollow")
		w.Header()["vary"] = []string{"Cookie"}
		w.Header().Set("Link", "</a>; rel=canonical")
		w.Header()["link"] = []string{"</b>; rel=next", "</c>; rel=prev"} // these two come in any order
		w.Header()["X-Empty"] = nil
		io.WriteString(w, page)
		w.Header().Set("Last-Modified", "today")
		w.Header().Set("X-Robots-Tag", "noindex")
		w.Header()["Cache-Control"][0] = "no-store"
	})
	want := response.Header{
		ContentType:  "text/html",
		LastModified: "yesterday",
		CacheControl: "public, max-age=60",
		RobotsTag:    "otherbot: noindex\nnofollow",
		Vary:         "Cookie",
	}
	if l := got.Header.Link; l != "</a>; rel=canonical, </b>; rel=next, </c>; rel=prev" && l != "</b>; rel=next, </c>; rel=prev, </a>; rel=canonical" {
		t.Errorf("links %q", l)
	}
	if got.Header.Link = ""; got.Header != want {
		t.Errorf("saw %+v\nwant %+v", got.Header, want)
	}
}

// A compressor around the capture names its coding before the handler runs, and the type once it has
// the first bytes.
func TestTypeMayBeToldByACompressor(t *testing.T) {
	for _, c := range []struct{ name, typed, want string }{{"told", "", "text/html; charset=utf-8"}, {"typed by the handler", "text/plain", "text/plain"}} {
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
