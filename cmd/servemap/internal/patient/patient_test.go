package patient

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestClientsMakeProgressOrAreCutOff has clients that send a line each second, or take a piece each
// second, for as long as they get.
func TestClientsMakeProgressOrAreCutOff(t *testing.T) {
	const long = time.Hour
	for _, tt := range []struct {
		name   string
		head   string
		sends  string // each second
		takes  int    // bytes each second
		atMost time.Duration
	}{
		{"no head of a request", "", "", 1, headPatience},
		{"half a head", "GET / HTTP/1.1\r\n", "a: b\r\n", 1, headPatience},
		{"idle after an answer", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", 1 << 10, idlePatience},
		{"a body that never comes", "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n", "", 1 << 10,
			patience},
		{"a body that nobody reads", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n", "", 1 << 10, patience},
		{"a byte a second", "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n", "x", 1 << 10,
			patience + time.Second},
		{"a slow line up", "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", strings.Repeat("x", 2<<10),
			1 << 10, long},
		{"a byte a second is taken", "GET /large HTTP/1.1\r\nHost: x\r\n\r\n", "", 1, patience},
		{"a slow line down", "GET /large HTTP/1.1\r\nHost: x\r\n\r\n", "", 2 << 10, long},
		{"an event each 10 minutes", "GET /events HTTP/1.1\r\nHost: x\r\n\r\n", "", 1 << 10, long},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := base.NewListener()
				s := Server(http.HandlerFunc(site), slog.New(slog.DiscardHandler))
				go func() { _ = s.Serve(Listener(l)) }()
				client, err := l.Dial(t.Context())
				base.Check(t, err)
				begun := time.Now()
				var both sync.WaitGroup
				both.Go(func() { // ends when the connection does
					for text := tt.head; err == nil && len(text) > 0; text = tt.sends {
						_, err = io.WriteString(client, text)
						time.Sleep(time.Second)
					}
				})
				ended := make(chan time.Duration, 1)
				both.Go(func() {
					for {
						time.Sleep(time.Second)
						if _, err := io.CopyN(io.Discard, client, int64(tt.takes)); err != nil {
							ended <- time.Since(begun)
							return
						}
					}
				})
				select {
				case after := <-ended:
					if after > tt.atMost+2*time.Second || tt.atMost == long {
						t.Errorf("it is cut off after %v, want %v", after, tt.atMost)
					}
				case <-time.After(long):
					if tt.atMost != long {
						t.Errorf("it goes on for an hour")
					}
				}
				client.Close()
				both.Wait()
				s.Close()
			})
		})
	}
}

func site(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/read":
		_, _ = io.Copy(io.Discard, r.Body)
	case "/large":
		_, _ = w.Write(make([]byte, 100<<20))
	case "/events":
		for err := error(nil); err == nil; {
			fmt.Fprint(w, "data: x\n\n")
			err = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(10 * time.Minute):
			}
		}
	}
}

func TestOnlyResourcesOfThisServerAreAskedFor(t *testing.T) {
	l := base.NewListener()
	s := Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }),
		slog.New(slog.DiscardHandler))
	go func() { _ = s.Serve(Listener(l)) }()
	defer s.Close()
	for line, want := range map[string]int{
		"GET / HTTP/1.1": 200, "GET http://example.com/a HTTP/1.1": 200, "GET http://example.com HTTP/1.1": 200,
		"OPTIONS * HTTP/1.1": 200,
		"PRI * HTTP/2.0":     400, "PRI * HTTP/1.1": 400, "GET * HTTP/1.1": 400, "CONNECT example.com:443 HTTP/1.1": 400,
		"CONNECT / HTTP/1.1": 400,
	} {
		client, err := l.Dial(t.Context())
		base.Check(t, err)
		go func() { fmt.Fprintf(client, "%s\r\nHost: example.com\r\nConnection: close\r\n\r\n", line) }()
		resp, err := http.ReadResponse(bufio.NewReader(client), nil)
		base.Check(t, err)
		if resp.StatusCode != want {
			t.Errorf("%s: %s", line, resp.Status)
		}
		client.Close()
	}
}

// deadlines counts the deadlines that are set.
type deadlines struct {
	http.ResponseWriter
	set int
}

func (d *deadlines) SetReadDeadline(time.Time) error { d.set++; return nil }

// TestLateReaderLeavesTheConnectionAlone reads a body after the handler has returned. The connection may
// be for the next request by then.
func TestLateReaderLeavesTheConnectionAlone(t *testing.T) {
	var late io.Reader
	w, r := &deadlines{ResponseWriter: httptest.NewRecorder()}, httptest.NewRequest(http.MethodPost, "/",
		strings.NewReader("late"))
	guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { late = r.Body })).ServeHTTP(w, r)
	before := w.set
	if b, err := io.ReadAll(late); string(b) != "late" || err != nil || w.set != before || before == 0 {
		t.Errorf("%q was read, %v, and %d deadlines were set after %d", b, err, w.set-before, before)
	}
}
