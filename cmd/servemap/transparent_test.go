package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"
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
