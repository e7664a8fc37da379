package tap

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
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
			}), statuses{httptest.NewRecorder(), &given}, httptest.NewRequest("GET", "/", nil), NewBuffers(1<<10, 1<<20))
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

// TestAFailedWrite checks that a response is incomplete if the writer below did not take all of it.
func TestAFailedWrite(t *testing.T) {
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
				}), c.w, httptest.NewRequest("GET", "/", nil), NewBuffers(1<<10, 1<<20))
				if seen.Complete != c.complete || seen.Written != int64(min(c.w.takes, len(page))) {
					t.Errorf("complete %v after %d bytes", seen.Complete, seen.Written)
				}
			})
		}
	}
}
