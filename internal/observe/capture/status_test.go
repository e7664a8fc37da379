package capture

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/servemap/servemap/internal/page/response"
)

// statuses is a writer that records each status it is given.
type statuses struct {
	*httptest.ResponseRecorder
	given *[]int
}

func (w statuses) WriteHeader(status int) {
	*w.given = append(*w.given, status)
	w.ResponseRecorder.WriteHeader(status)
}

// TestEveryStatusGoesThrough sends several statuses. The first final one counts, and net/http
// reports the others as usual. An error status after the header is out was meant for the client but
// did not reach it.
func TestEveryStatusGoesThrough(t *testing.T) {
	for _, c := range []struct {
		name     string
		given    []int
		status   int
		complete bool
	}{
		{"one", []int{404}, 404, true},
		{"informational before", []int{103, 100, 200}, 200, true},
		{"informational after", []int{200, 103}, 200, true},
		{"the same again", []int{200, 200}, 200, true},
		{"redirect after a page", []int{200, 302}, 200, true},
		{"the last that is no error", []int{200, 399}, 200, true},
		{"the first error", []int{200, 400}, 200, false},
		{"error after a redirect", []int{302, 500}, 302, false},
		{"error after an error", []int{404, 500}, 404, true},
		{"error after the first error", []int{400, 500}, 400, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var given []int
			seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for _, status := range c.given {
					w.WriteHeader(status)
				}
			}), statuses{httptest.NewRecorder(), &given}, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
			if !slices.Equal(given, c.given) {
				t.Errorf("the writer below was given %v, want %v", given, c.given)
			}
			if seen.Status != c.status || seen.Complete != c.complete {
				t.Errorf("saw %d, complete %v; want %d, %v", seen.Status, seen.Complete, c.status, c.complete)
			}
		})
	}
}

// broken accepts only the beginning of what is written.
type broken struct {
	*httptest.ResponseRecorder
	takes int
	err   error
}

func (w broken) Write(p []byte) (int, error) { return min(w.takes, len(p)), w.err }

func (w broken) WriteString(s string) (int, error) { return min(w.takes, len(s)), w.err }

// TestFailedWriteLeavesTheResponseIncomplete checks that a response is incomplete if the writer
// below did not take all of it.
func TestFailedWriteLeavesTheResponseIncomplete(t *testing.T) {
	for _, c := range []struct {
		name     string
		w        broken
		status   int
		complete bool
	}{
		{"all taken", broken{httptest.NewRecorder(), 1000, nil}, 200, true},
		{"cut short", broken{httptest.NewRecorder(), 5, nil}, 200, false},
		{"nothing taken", broken{httptest.NewRecorder(), 0, errHere}, 200, false},
		{"all taken, and an error", broken{httptest.NewRecorder(), 1000, errHere}, 200, false},
		{"a body that must not be there", broken{httptest.NewRecorder(), 0, http.ErrBodyNotAllowed}, 304, true},
	} {
		for how, write := range map[string]func(http.ResponseWriter) (int, error){
			"Write":       func(w http.ResponseWriter) (int, error) { return w.Write([]byte(page)) },
			"WriteString": func(w http.ResponseWriter) (int, error) { return w.(io.StringWriter).WriteString(page) },
		} {
			t.Run(c.name+" by "+how, func(t *testing.T) {
				seen := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(c.status)
					if n, err := write(w); n != min(c.w.takes, len(page)) || err != c.w.err {
						t.Errorf("wrote %d, %v", n, err)
					}
				}), c.w, httptest.NewRequest("GET", "/", nil), response.NewBuffers(1<<10, 1<<20))
				if seen.Complete != c.complete || seen.Written != int64(min(c.w.takes, len(page))) {
					t.Errorf("complete %v after %d bytes", seen.Complete, seen.Written)
				}
			})
		}
	}
}

func TestJudgeDecidesWhichBodiesAreKept(t *testing.T) {
	type row struct {
		name    string
		get     bool
		status  int
		untyped bool
		header  response.Header
		want    stage
	}
	for wants, rows := range map[want][]row{
		pages: {
			{"html", true, 200, false, response.Header{ContentType: "text/html"}, keeping},
			{"html with charset", true, 200, false, response.Header{ContentType: "Text/HTML ; charset=utf-8"}, keeping},
			{"xhtml", true, 200, false, response.Header{ContentType: "application/xhtml+xml"}, keeping},
			{"no type", true, 200, false, response.Header{}, skipping},
			{"not html", true, 200, false, response.Header{ContentType: "text/htmlx"}, skipping},
			{"two types", true, 200, false, response.Header{ContentType: "text/html, text/plain"}, skipping},
			{"type from content", true, 200, true, response.Header{}, sniffing},
			{"type from content, HEAD", false, 200, true, response.Header{}, sniffing},
			{"type from content of an error", true, 404, true, response.Header{}, skipping},
			{"html of an error", true, 404, false, response.Header{ContentType: "text/html"}, skipping},
			{"html of a range", true, 206, false, response.Header{ContentType: "text/html"}, skipping},
			{"html, HEAD", false, 200, false, response.Header{ContentType: "text/html"}, skipping},
			{"inline", true, 200, false, response.Header{ContentType: "text/html", ContentDisposition: "INLINE; filename=a"}, keeping},
			{"attachment", true, 200, false, response.Header{ContentType: "text/html", ContentDisposition: "attachment"}, skipping},
			{"unknown disposition", true, 200, false, response.Header{ContentType: "text/html", ContentDisposition: "form-data"}, skipping},
			{"inline and attachment", true, 200, false, response.Header{ContentType: "text/html", ContentDisposition: "inline, attachment"}, skipping},
			{"identity", true, 200, false, response.Header{ContentType: "text/html", ContentEncoding: "identity"}, keeping},
			{"gzip", true, 200, false, response.Header{ContentType: "text/html", ContentEncoding: "gzip"}, keeping},
			{"chunked by hand", true, 200, false, response.Header{ContentType: "text/html", TransferEncoding: "chunked"}, keeping},
			{"gzip on the way", true, 200, false, response.Header{ContentType: "text/html", TransferEncoding: "gzip, chunked"}, skipping},
		},
		texts: {
			{"text", true, 200, false, response.Header{ContentType: "text/plain"}, keeping},
			{"another type", true, 200, false, response.Header{ContentType: "application/octet-stream"}, keeping},
			{"no type", true, 200, false, response.Header{}, keeping},
			{"type from content", true, 200, true, response.Header{}, sniffing},
			{"html", true, 200, false, response.Header{ContentType: "text/html; charset=utf-8"}, skipping},
			{"xhtml", true, 200, false, response.Header{ContentType: "application/xhtml+xml"}, skipping},
			{"attachment", true, 200, false, response.Header{ContentType: "text/plain", ContentDisposition: "attachment"}, keeping},
			{"gzip", true, 200, false, response.Header{ContentType: "text/plain", ContentEncoding: "gzip"}, keeping},
			{"gzip on the way", true, 200, false, response.Header{ContentType: "text/plain", TransferEncoding: "gzip, chunked"}, skipping},
			{"range", true, 206, false, response.Header{ContentType: "text/plain"}, skipping},
			{"error", true, 404, false, response.Header{ContentType: "text/plain"}, skipping},
			{"HEAD", false, 200, false, response.Header{ContentType: "text/plain"}, skipping},
		},
	} {
		for _, c := range rows {
			if got := judge(wants, c.get, c.status, c.untyped, &c.header); got != c.want {
				t.Errorf("%s, where %d are wanted: stage %d, want %d", c.name, wants, got, c.want)
			}
		}
	}
}

func TestTypeIsSniffedAsServersDo(t *testing.T) {
	for _, c := range []struct {
		name   string
		major  int
		header http.Header
		want   bool
	}{
		{"empty", 1, nil, true},
		{"type", 1, http.Header{"Content-Type": {"text/html"}}, false},
		{"empty type", 1, http.Header{"Content-Type": {""}}, false},
		{"type forbidden", 1, http.Header{"Content-Type": nil}, false},
		{"type in another spelling", 1, http.Header{"content-type": {"text/html"}}, true},
		{"encoding", 1, http.Header{"Content-Encoding": {"gzip"}}, false},
		{"identity", 1, http.Header{"Content-Encoding": {"identity"}}, false},
		{"empty encoding", 1, http.Header{"Content-Encoding": {""}}, true},
		{"transfer encoding", 1, http.Header{"Transfer-Encoding": {"chunked"}}, false},
		{"transfer encoding, HTTP/2", 2, http.Header{"Transfer-Encoding": {"chunked"}}, true},
	} {
		if got := sniffs(c.major, c.header); got != c.want {
			t.Errorf("%s: sniffs %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDeclaredReadsContentLength(t *testing.T) {
	for value, want := range map[string]int64{"": -1, "0": 0, "10": 10, "-1": -1, "ten": -1, "10, 20": 10, "99999999999999999999": -1} {
		if got := declared(value); got != want {
			t.Errorf("declared(%q) = %d, want %d", value, got, want)
		}
	}
}
