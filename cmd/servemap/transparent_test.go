package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestAnswersAreThoseOfTheSite(t *testing.T) {
	site := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Sun, 01 Nov 2026 08:00:00 GMT")
		switch r.URL.Path {
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "\x0b\x02\x80abcd\x03")
		case "/trailer":
			w.Header().Set("Trailer", "Sum")
			fmt.Fprint(w, "body")
			w.(http.Flusher).Flush()
			w.Header().Set("Sum", "42")
		case "/moved":
			http.Redirect(w, r, "https://example.com/elsewhere", http.StatusPermanentRedirect)
		default:
			w.Header().Set("ETag", `"1"`)
			http.ServeContent(w, r, "page.html", time.Time{},
				strings.NewReader("<html><title>t</title><p>a page of some length</html>"))
		}
	})
	s := serve(t, t.TempDir(), "proxy", "-to", site, "-origin", origin)
	for _, tt := range []struct{ method, path, header, value string }{
		{"GET", "/", "", ""}, {"HEAD", "/", "", ""}, {"GET", "/", "Range", "bytes=3-9"}, {"GET", "/", "Range", "bytes=90-"},
		{"GET", "/", "If-None-Match", `"1"`},
		{"GET", "/none", "", ""}, {"PATCH", "/none", "", ""}, {"GET", "/brotli", "", ""}, {"GET", "/moved", "", ""},
		{"GET", "/trailer", "", ""},
	} {
		answer := func(at string) string {
			r, err := http.NewRequestWithContext(t.Context(), tt.method, at+tt.path, nil)
			base.Check(t, err)
			r.Header.Add(tt.header, tt.value)
			delete(r.Header, "")
			resp, err := visitor.Do(r)
			base.Check(t, err)
			defer resp.Body.Close()
			text, err := httputil.DumpResponse(resp, true)
			base.Check(t, err)
			return string(text) + fmt.Sprint(resp.Trailer)
		}
		if direct, proxied := answer(site), answer(s.at); direct != proxied {
			t.Errorf("%v: the site answers %s\nthe proxy %s", tt, direct, proxied)
		}
	}
}

// TestStreamsPassAtOnce has a site whose next word waits until the visitor has the last one.
func TestStreamsPassAtOnce(t *testing.T) {
	words := make(chan string, 1)
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		connection := http.NewResponseController(w)
		if r.URL.Path == "/socket" {
			conn, both, err := connection.Hijack()
			base.Check(t, err)
			defer conn.Close()
			fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
			_, _ = io.Copy(conn, both)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for connection.Flush() == nil {
			select {
			case word := <-words:
				fmt.Fprintln(w, word)
			case <-r.Context().Done():
				return
			}
		}
	})
	for _, head := range []string{"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n",
		"GET /events HTTP/1.1\r\nHost: x\r\n\r\n"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
		base.Check(t, err)
		fmt.Fprint(conn, head)
		lines := bufio.NewReader(conn)
		for line := ""; line != "\r\n"; { // the head
			line, err = lines.ReadString('\n')
			base.Check(t, err)
		}
		for _, word := range []string{"one", "two"} {
			if strings.Contains(head, "/socket") {
				fmt.Fprintln(conn, word)
			} else {
				words <- word
			}
			for line := ""; line != word+"\n"; { // after the head, and between the lengths of chunks
				line, err = lines.ReadString('\n')
				base.Check(t, err)
			}
		}
		conn.Close()
	}
}

func TestStatusThatHTTPDoesNotHaveIsA502AndSlowClientsAreNotTheSitesFault(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	site, err := net.Listen("unix", socket)
	base.Check(t, err)
	defer site.Close()
	go func() {
		for conn, err := site.Accept(); err == nil; conn, err = site.Accept() {
			r, err := http.ReadRequest(bufio.NewReader(conn))
			if err == nil {
				_, err = io.ReadAll(r.Body)
			}
			if err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 %s Strange\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", r.URL.Path[1:])
			}
			conn.Close()
		}
	}()
	s := serve(t, t.TempDir(), "proxy", "-to", "unix:"+socket, "-origin", origin)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.at+"/200",
		io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	base.Check(t, err)
	if _, err := visitor.Do(r); err == nil {
		t.Error("half a body is sent whole")
	}
	for path, want := range map[string]int{"/200": 200, "/599": 599} {
		wantStatus(t, want, s.at+path)
	}
	if text := s.log.String(); strings.Contains(text, "the site does not answer") {
		t.Error(text)
	}
	for _, path := range []string{"/000", "/600", "/099", "/999"} {
		wantStatus(t, http.StatusBadGateway, s.at+path)
		get(t, s.at+"/200")
	}
	if text := s.log.String(); strings.Count(text, "the site does not answer") != 1 {
		t.Errorf("a page that always fails fills the log: %s", text)
	}
}

func TestTargetsReachTheUpstreamAsTheyWereSent(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RequestURI) })
	for _, target := range []string{"/a%2Fb", "/a;b?c;d", "//a//b", "/?a=%zz&b", "/?", "/a?b=c+d%20e", "/%E4"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
		base.Check(t, err)
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		base.Check(t, err)
		got, _ := io.ReadAll(resp.Body)
		conn.Close()
		if string(got) != target {
			t.Errorf("%s arrives as %s", target, got)
		}
	}
}
