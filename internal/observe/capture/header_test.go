package capture

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
)

func TestHeaderIsAsSent(t *testing.T) {
	h, saw := watch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	}), response.NewBuffers(1<<20, 1<<20))
	srv := newHTTP1(h)
	defer srv.Close()
	get(t, srv, "/")
	want := response.Header{
		ContentType:  "text/html",
		LastModified: "yesterday",
		CacheControl: "public, max-age=60",
		RobotsTag:    "otherbot: noindex\nnofollow",
		Vary:         "Cookie",
	}
	seen := <-saw
	if l := seen.Header.Link; l != "</a>; rel=canonical, </b>; rel=next, </c>; rel=prev" && l != "</b>; rel=next, </c>; rel=prev, </a>; rel=canonical" {
		t.Errorf("links %q", l)
	}
	if seen.Header.Link = ""; seen.Header != want {
		t.Errorf("saw %+v\nwant %+v", seen.Header, want)
	}
}

// telling is a source that sets a header when it is first read, as a source that opens its file
// late may do.
type telling struct {
	header http.Header
	src    *strings.Reader
}

func (s telling) Read(p []byte) (int, error) {
	s.header.Set("Last-Modified", "read")
	return s.src.Read(p)
}

type tellingWriterTo struct{ telling }

func (s tellingWriterTo) WriteTo(w io.Writer) (int64, error) {
	s.header.Set("Last-Modified", "read")
	return s.src.WriteTo(w)
}

func TestHeaderMayBeSetWhileASourceIsRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		source func(telling) io.Reader
	}{
		{"by Read", func(s telling) io.Reader { return s }},
		{"by WriteTo", func(s telling) io.Reader { return tellingWriterTo{s} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &fileTaker{ResponseRecorder: *httptest.NewRecorder()}
			seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.(io.ReaderFrom).ReadFrom(c.source(telling{w.Header(), strings.NewReader(page)}))
			}), w, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
			if sent := w.Result().Header.Get("Last-Modified"); sent != "read" || seen.Header.LastModified != sent || string(seen.Body) != page {
				t.Errorf("sent %q, saw %q and %q", sent, seen.Header.LastModified, seen.Body)
			}
		})
	}
}

// A compressor around the tap names its coding before the handler runs, and the type once it has
// the first bytes.
func TestTypeMayBeToldByACompressor(t *testing.T) {
	for _, c := range []struct{ name, typed, want string }{{"told", "", "text/html; charset=utf-8"}, {"typed by the handler", "text/plain", "text/plain"}} {
		t.Run(c.name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			rec.Header().Set("Content-Encoding", "gzip")
			seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.typed != "" {
					w.Header().Set("Content-Type", c.typed)
				}
				io.WriteString(w, page)
			}), compressing{rec}, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
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
