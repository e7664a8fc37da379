package capture

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/testkit/base"
)

var never time.Time

const page = "<!DOCTYPE html><title>a page</title><p>and its text</p>"

func newHTTP1(h http.Handler) *httptest.Server {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Start()
	return srv
}

func newHTTP2(h http.Handler) *httptest.Server {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	return srv
}

// get returns the answer to a GET and its whole body.
func get(t *testing.T, srv *httptest.Server, path string) (*http.Response, string) {
	t.Helper()
	resp, err := srv.Client().Get(srv.URL + path)
	base.Check(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	base.Check(t, err)
	return resp, string(body)
}

// watch serves each request through a tap and sends what it saw. It sends nil if the handler did
// not return.
func watch(h http.Handler, b *response.Buffers) (http.Handler, <-chan *Capture) {
	saw := make(chan *Capture, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var seen *Capture
		defer func() { saw <- seen }()
		seen = Serve(h, w, r, b)
	}), saw
}

func TestResponseSaysWhatTheHandlerSent(t *testing.T) {
	html := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html; charset=utf-8") }
	for _, c := range []struct {
		name     string
		method   string
		handler  http.HandlerFunc
		status   int
		body     string
		complete bool
	}{
		{"nothing at all", "GET", func(w http.ResponseWriter, r *http.Request) {}, 200, "", true},
		{"a page", "GET", func(w http.ResponseWriter, r *http.Request) { html(w); io.WriteString(w, page) }, 200, page, true},
		{"a page without a type", "GET", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) }, 200, page, true},
		{"flush is a 200", "GET", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			w.(http.Flusher).Flush()
			w.WriteHeader(http.StatusNotFound)
		}, 200, "", false},
		{"early hints, then a page", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "</a.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			html(w)
			w.WriteHeader(http.StatusOK)
			io.WriteString(w, page)
		}, 200, page, true},
		{"HEAD", "HEAD", func(w http.ResponseWriter, r *http.Request) { html(w); io.WriteString(w, page) }, 200, "", true},
		{"an error page", "GET", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, page)
		}, 404, "", true},
		{"not modified", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotModified)
			io.WriteString(w, page)
		}, 304, "", true},
		{"not modified, with the length of the page", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.WriteHeader(http.StatusNotModified)
		}, 304, "", true},
		{"a source that fails in the page", "GET", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			io.Copy(w, io.MultiReader(strings.NewReader(page), failing{}))
		}, 200, page, false},
		{"a source that fails at once", "GET", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			io.Copy(w, failing{})
			http.Error(w, "not there", http.StatusNotFound)
		}, 404, "", true},
		{"no page, and it fails at once", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			io.Copy(w, failing{})
		}, 200, "", false},
		{"no page, and its source fails on the way", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			io.Copy(w, io.MultiReader(strings.NewReader(page), failing{}))
		}, 200, "", false},
		{"an empty source, then an error", "GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			io.Copy(w, struct{ io.Reader }{strings.NewReader("")})
			http.Error(w, "not there", http.StatusNotFound)
		}, 404, "", true},
		{"less than declared", "GET", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, page)
		}, 200, page, false},
		{"more than declared", "GET", func(w http.ResponseWriter, r *http.Request) {
			html(w)
			w.Header().Set("Content-Length", "5")
			io.WriteString(w, page[:5])
			io.WriteString(w, page[5:])
		}, 200, page[:5], false},
		{"a panic recovered in the page", "GET", func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				_ = recover()
				w.WriteHeader(http.StatusInternalServerError)
			}()
			io.WriteString(w, page)
			panic("in the middle")
		}, 200, page, false},
		{"a panic recovered before the page", "GET", func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				_ = recover()
				w.WriteHeader(http.StatusInternalServerError)
			}()
			panic("at the start")
		}, 500, "", true},
		{"a status that panics", "GET", func(w http.ResponseWriter, r *http.Request) {
			defer func() { _ = recover() }()
			w.WriteHeader(0)
		}, 200, "", false},
		{"timeout handler inside", "GET", http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, page)
		}), time.Hour, "late").ServeHTTP, 200, page, true},
		{"timed out inside", "GET", http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}), time.Nanosecond, "late").ServeHTTP, 503, "", true},
		{"a request replaced in place", "GET", func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			*r = *r.WithContext(ctx)
			defer cancel()
			io.WriteString(w, page)
		}, 200, page, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, saw := watch(c.handler, response.NewBuffers(1<<20, 1<<20))
			srv := newHTTP1(h)
			defer srv.Close()
			req, _ := http.NewRequest(c.method, srv.URL, nil)
			if resp, err := srv.Client().Do(req); err == nil {
				resp.Body.Close()
			}
			seen := <-saw
			if seen.Status != c.status || string(seen.Body) != c.body || seen.Complete != c.complete || seen.Truncated {
				t.Errorf("saw status %d, body %q, complete %v, truncated %v", seen.Status, seen.Body, seen.Complete, seen.Truncated)
			}
		})
	}
}

func TestPanicsPassUntouched(t *testing.T) {
	b := response.NewBuffers(1<<20, 1<<20)
	for _, value := range []any{http.ErrAbortHandler, errors.New("mine"), "text"} {
		func() {
			defer func() {
				if got := recover(); got != value {
					t.Errorf("recovered %v, want %v", got, value)
				}
			}()
			Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, page)
				panic(value)
			}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), b)
			t.Error("Serve returned after a panic")
		}()
	}
	if b.InUse() != 0 {
		t.Errorf("%d bytes in use after panics", b.InUse())
	}
}

func TestGoexitPassesUntouched(t *testing.T) {
	b := response.NewBuffers(1<<20, 1<<20)
	returned, ended := false, make(chan struct{})
	go func() {
		defer close(ended)
		Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, page)
			runtime.Goexit()
		}), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), b)
		returned = true
	}()
	<-ended
	if returned || b.InUse() != 0 {
		t.Errorf("returned %v, %d bytes in use", returned, b.InUse())
	}
}

func TestFromFindsTheTapOfItsSite(t *testing.T) {
	mine, other := response.NewBuffers(1<<10, 1<<20), response.NewBuffers(1<<10, 1<<20)
	plain := httptest.NewRecorder()
	if From(plain, mine) != nil {
		t.Error("found a tap where there is none")
	}
	var kept http.ResponseWriter
	seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept = w
		Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			From(caddyish{w}, mine).Route = "/a/{b}"
			if From(w, other) == nil || From(w, other) == From(w, mine) {
				t.Error("the taps of two sites are not told apart")
			}
		}), w, r, other)
		if From(w, other) != nil {
			t.Error("found a tap that ended")
		}
	}), plain, httptest.NewRequest("GET", "/", nil), mine)
	if seen.Route != "/a/{b}" {
		t.Errorf("route %q", seen.Route)
	}
	if From(kept, mine) != nil {
		t.Error("found a tap after the handler returned")
	}
}

// circle unwraps to itself.
type circle struct{ http.ResponseWriter }

func (w *circle) Unwrap() http.ResponseWriter { return w }

func TestWritersThatUnwrapInACircleEnd(t *testing.T) {
	b := response.NewBuffers(1<<10, 1<<20)
	w := &circle{caddyish{}}
	if From(w, b) != nil || reachable(w) != 0 {
		t.Error("found something in a circle")
	}
}

// TestLateWritesAreNotSeen checks that nothing changes the body once the handler has returned, even
// if one of its goroutines still writes. By then a worker reads the body.
func TestLateWritesAreNotSeen(t *testing.T) {
	rec := httptest.NewRecorder()
	var late http.ResponseWriter
	seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, page)
		late = w
	}), rec, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
	before := *seen
	io.WriteString(late, "late")
	late.Write([]byte("later"))
	late.WriteHeader(500)
	late.(http.Flusher).Flush()
	late.(io.StringWriter).WriteString("last")
	if string(seen.Body) != page || seen.Written != before.Written || seen.Complete != before.Complete {
		t.Errorf("late calls changed what was seen: %+v", seen)
	}
	if rec.Body.String() != page+"latelaterlast" {
		t.Errorf("late writes did not arrive: %q", rec.Body)
	}
}

const text = "User-agent: *\nDisallow: /internal/\n"

func textFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	base.Check(t, os.WriteFile(path, []byte(content), 0o600))
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
		{"file as long as may be", file("robots.txt", long[:robots.Enough]), 200, long[:robots.Enough], false},
		{"file of HTML", file("robots.html", page), 200, "", false},
		{"written without a type, and long", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, long) }, 200, long[:robots.Enough], true},
		{"compressed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, gzipped(text))
		}, 200, gzipped(text), false},
		{"error", http.NotFound, 404, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := response.NewBuffers(2<<20, 4<<20)
			saw := make(chan *Capture, 1)
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
			if n := b.InUse(); n > robots.Enough {
				t.Errorf("%d bytes are lent", n)
			}
			if seen.Release(); b.InUse() != 0 {
				t.Errorf("%d bytes are lent after Release", b.InUse())
			}
		})
	}
}
