package tap

import (
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHTTP2IsTheSame runs random handlers over HTTP/2, with and without a tap, and compares what a
// client gets.
func TestHTTP2IsTheSame(t *testing.T) {
	file := pageFile(t)
	b := NewBuffers(64<<10, 1<<20)
	done := make(chan *Response, 1) // the client may have its answer before the handler returns
	srv := newHTTP2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		steps, _ := hex.DecodeString(strings.Trim(r.URL.Path, "/"))
		s := script{steps, file, new([]string)} // once the client has all it wants, the results of calls vary
		if r.URL.RawQuery == "tapped" {
			h, saw := watch(s, b)
			defer func() { done <- <-saw }()
			h.ServeHTTP(w, r)
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer srv.Close()
	random := rand.New(rand.NewPCG(3, 4))
	for range rounds(500) {
		steps := make([]byte, 3*(1+random.IntN(8)))
		for i := range steps {
			steps[i] = byte(random.Uint32())
		}
		path := "/" + hex.EncodeToString(steps)
		method := pick([]string{"GET", "GET", "HEAD"}, steps[0])
		bare, _, _ := answer(srv, method, path)
		got, resp, size := answer(srv, method, path+"?tapped")
		saw := <-done
		if got != bare {
			t.Fatalf("%s %v: client got\n%.900s\nwithout the tap\n%.900s", method, steps, got, bare)
		}
		if saw == nil {
			continue
		}
		if resp != nil && saw.Complete {
			agrees(t, steps, resp, size, saw)
		}
		saw.Release()
	}
	if b.InUse() != 0 {
		t.Errorf("%d bytes in use at the end", b.InUse())
	}
}

// agrees compares a complete response with what the tap saw of it.
func agrees(t *testing.T, steps []byte, resp *http.Response, size int, saw *Response) {
	t.Helper()
	if saw.Status != resp.StatusCode {
		t.Errorf("steps %v: tap saw status %d, client %d", steps, saw.Status, resp.StatusCode)
	}
	if want := strings.Join(resp.Header["Content-Type"], ", "); saw.Status == 200 && saw.Header.ContentType != want {
		t.Errorf("steps %v: tap believes %q, client got %q", steps, saw.Header.ContentType, want)
	}
	if resp.Request.Method != "HEAD" && hasBody(saw.Status) && saw.Written != int64(size) {
		t.Errorf("steps %v: tap counted %d bytes, client %d", steps, saw.Written, size)
	}
}

// answer returns all that a client gets, as text. It leaves out the body of a broken answer, since
// how much of that arrives varies.
func answer(srv *httptest.Server, method, path string) (string, *http.Response, int) {
	req, _ := http.NewRequest(method, srv.URL+path, nil)
	resp, err := srv.Client().Transport.RoundTrip(req)
	if err != nil {
		return "no answer", nil, 0
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "no answer", nil, 0
	}
	resp.Header.Del("Date")
	return fmt.Sprint(resp.Proto, resp.Status, resp.ContentLength, resp.Header, resp.Trailer, string(body)), resp, len(body)
}
