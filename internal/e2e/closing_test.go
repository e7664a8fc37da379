package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/nginx"
	"github.com/servemap/servemap/store/memstore"
)

// articles are a home page and the 200 pages that it links to, of 25 KB each, by path.
func articles() map[string][]byte {
	pages := map[string][]byte{"/": nil}
	links := new(strings.Builder)
	for n := range 201 {
		path := "/"
		if n > 0 {
			path = fmt.Sprintf("/articles/%c%c-story", 'a'+n/26, 'a'+n%26)
			fmt.Fprintf(links, "<p><a href=%q>Story %d</a>", path, n)
		}
		b := fmt.Appendf(nil, "<!doctype html><title>Story %d</title><h1>Story %d</h1>", n, n)
		for i := 0; len(b) < 25_000; i++ {
			b = fmt.Appendf(b, "<p>Sentence %d of story %d says something of its own about %d things.</p>", i, n, i*n+7)
		}
		pages[path] = b
	}
	pages["/"] = append(pages["/"], links.String()...)
	return pages
}

// answers are ways in which programs write a page.
var answers = map[string]func(w http.ResponseWriter, r *http.Request, page []byte){
	"ServeContent": func(w http.ResponseWriter, r *http.Request, page []byte) {
		http.ServeContent(w, r, "page.html", time.Time{}, bytes.NewReader(page))
	},
	"work after the last byte": func(w http.ResponseWriter, r *http.Request, page []byte) {
		http.ServeContent(w, r, "page.html", time.Time{}, bytes.NewReader(page))
		select { // as a log that is synced to the disk; most clients end the request meanwhile
		case <-r.Context().Done():
		case <-time.After(5 * time.Millisecond):
		}
	},
	"a declared length": func(w http.ResponseWriter, _ *http.Request, page []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(page)))
		w.Write(page)
	},
	"a plain write": func(w http.ResponseWriter, _ *http.Request, page []byte) { w.Write(page) },
}

// A client that closes its connection after the last byte has the page. So do many proxies: nginx by default asks
// with HTTP/1.0, and without a pool of connections it closes each.
func TestClientsThatCloseTheirConnectionsTeachEveryPage(t *testing.T) {
	pages := articles()
	for name, write := range answers {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if pages[r.URL.Path] == nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			write(w, r, pages[r.URL.Path])
		})
		for _, front := range []struct {
			name string
			with func(t *testing.T, program string) (dial func() (net.Conn, error))
		}{
			{"directly", func(_ *testing.T, program string) func() (net.Conn, error) {
				return func() (net.Conn, error) { return net.Dial("tcp", program) }
			}},
			{"nginx", func(t *testing.T, program string) func() (net.Conn, error) { return before(t, program, "") }},
			{"nginx with HTTP/1.1", func(t *testing.T, program string) func() (net.Conn, error) {
				return before(t, program, "proxy_http_version 1.1;")
			}},
		} {
			t.Run(name+", "+front.name, func(t *testing.T) {
				t.Parallel()
				site, err := servemap.New("https://example.com", memstore.New(), &servemap.Options{
					Logger: slog.New(slog.DiscardHandler)})
				base.Check(t, err)
				server := httptest.NewServer(site.Wrap(handler))
				t.Cleanup(func() { server.Close(); _ = site.Close(t.Context()) })
				dial := front.with(t, server.Listener.Addr().String())
				for path := range pages {
					if got := fetchOnce(t, dial, path); got != len(pages[path]) {
						t.Fatalf("%s has %d bytes, want %d", path, got, len(pages[path]))
					}
				}
				base.Await(t, "all 201 pages are listed", func() bool { // the last handler may still work
					base.Check(t, site.Flush(t.Context()))
					return site.Stats().Listed == 201
				})
			})
		}
	}
}

// fetchOnce gets a page over a connection of its own, closes that at once, and returns the length of the page.
func fetchOnce(t *testing.T, dial func() (net.Conn, error), path string) int {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial() }}}
	resp, err := client.Get("http://example.com" + path)
	base.Check(t, err)
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	base.Check(t, err)
	return int(n)
}

// before puts nginx before a program, with what deploying.md has and the given directives.
func before(t *testing.T, program, more string) func() (net.Conn, error) {
	dir, err := os.MkdirTemp("", "nginx") // names of sockets must be short
	base.Check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	nginx.Start(t, "unix", socket, fmt.Sprintf(`server {
		listen unix:%s;
		location / { proxy_pass http://%s; proxy_set_header Host $host; proxy_set_header X-Forwarded-For 203.0.113.7; %s }
	}`, socket, program, more))
	return func() (net.Conn, error) { return net.Dial("unix", socket) }
}
