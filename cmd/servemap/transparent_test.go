package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestAnswersAreThoseOfTheSite(t *testing.T) {
	changed := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/hints":
			w.Header().Set("Link", "</a.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			blog(w, &http.Request{URL: &url.URL{Path: "/"}})
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "\x0b\x02\x80abcd\x03")
		case "/moved":
			w.Header().Set("Location", "https://example.com/elsewhere")
			w.WriteHeader(http.StatusPermanentRedirect)
		default:
			w.Header().Set("ETag", `"1"`)
			http.ServeContent(w, r, "page.html", changed, strings.NewReader("<html><title>t</title><p>a page of some length</html>"))
		}
	}))
	defer site.Close()
	s := serve(t, t.TempDir(), "proxy", "-to", site.URL, "-origin", origin)
	for _, tt := range []struct{ name, method, path, header, value string }{
		{"a page", "GET", "/", "", ""},
		{"its head", "HEAD", "/", "", ""},
		{"a range", "GET", "/", "Range", "bytes=3-9"},
		{"a range that is not there", "GET", "/", "Range", "bytes=90-"},
		{"not modified", "GET", "/", "If-None-Match", `"1"`},
		{"no content", "GET", "/none", "", ""},
		{"another method", "PATCH", "/none", "", ""},
		{"early hints", "GET", "/hints", "", ""},
		{"brotli", "GET", "/brotli", "Accept-Encoding", "br"},
		{"moved", "GET", "/moved", "", ""},
	} {
		direct, proxied := answerOf(t, tt.method, site.URL+tt.path, tt.header, tt.value), answerOf(t, tt.method, s.at+tt.path, tt.header, tt.value)
		if direct != proxied {
			t.Errorf("%s: the site answers %s\nthe proxy %s", tt.name, direct, proxied)
		}
	}
}

// answerOf returns an answer as text, with the answers before it and without its date.
func answerOf(t *testing.T, method, u, header, value string) string {
	t.Helper()
	var early []string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		early = append(early, fmt.Sprint(code, h))
		return nil
	}})
	r, err := http.NewRequestWithContext(ctx, method, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != "" {
		r.Header.Set(header, value)
	}
	resp, err := visitor.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Header.Del("Date")
	return fmt.Sprint(early, resp.Status, resp.ContentLength, resp.Header, string(body))
}

func TestTrailersAndPackedAnswersPassAsTheyAre(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("<html><title>t</title>packed"))
	z.Close()
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/trailer" {
			w.Header().Set("Trailer", "Sum")
			fmt.Fprint(w, "body")
			w.(http.Flusher).Flush()
			w.Header().Set("Sum", "42")
			return
		}
		if r.Header.Get("Accept-Encoding") != "gzip, br" {
			t.Errorf("the upstream is asked for %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(packed.Bytes())
	})
	if resp, body := get(t, s.at+"/trailer"); body != "body" || resp.Trailer.Get("Sum") != "42" {
		t.Errorf("%q %v", body, resp.Trailer)
	}
	if resp, body := get(t, s.at+"/", "Accept-Encoding", "gzip, br"); body != packed.String() || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%q %v", body, resp.Header)
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
