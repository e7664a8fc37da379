package files

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestFilesAreServedWithTheirHeadersAndConditions(t *testing.T) {
	s := newShelf(t)
	s.list(shards.Entry{Date: lastmod.Date{At: moment.Seconds(1700000000), Seen: true}, Freq: rate.Weekly}, "/a")
	s.render()
	plain := s.get("sitemap.xml")
	want := sitemap.URLSetOpen("") + "<url><loc>https://example.com/a</loc><lastmod>2023-11-14T22:13:20Z</lastmod><changefreq>weekly</changefreq></url>\n" + sitemap.URLSetClose
	if plain.Body.String() != want {
		t.Fatalf("served\n%s, want\n%s", plain.Body, want)
	}
	tag := plain.Header().Get("Etag")
	zipped := s.get("sitemap.xml", with("Accept-Encoding", "gzip"))
	ziptag := zipped.Header().Get("Etag")
	if tag == ziptag || tag == "" || strings.HasPrefix(tag, "W/") {
		t.Errorf("entity tags %q and %q must be strong, and differ", tag, ziptag)
	}

	tests := []struct {
		name    string
		file    string
		request []func(*http.Request)
		status  int
		header  http.Header // those that must be so; "" for absent
		body    string      // "gzip" for the packed file, "plain", "" for none
	}{
		{"plain", "sitemap.xml", nil, 200, http.Header{
			"Content-Type": {"application/xml; charset=utf-8"}, "Vary": {"Accept-Encoding"}, "X-Robots-Tag": {"noindex"},
			"Content-Encoding": {""}, "Content-Length": {fmt.Sprint(len(want))}}, "plain"},
		{"gzip", "sitemap.xml", []func(*http.Request){with("Accept-Encoding", "br, gzip;q=0.5")}, 200, http.Header{
			"Content-Type": {"application/xml; charset=utf-8"}, "Vary": {"Accept-Encoding"}, "Content-Encoding": {"gzip"},
			"Etag": {ziptag}}, "gzip"},
		{"any but gzip", "sitemap.xml", []func(*http.Request){with("Accept-Encoding", "br, *")}, 200,
			http.Header{"Content-Encoding": {""}}, "plain"},
		{"packed", "sitemap.xml.gz", nil, 200, http.Header{
			"Content-Type": {"application/gzip"}, "Content-Encoding": {""}, "Vary": {""}, "X-Robots-Tag": {"noindex"}}, "gzip"},
		{"HEAD", "sitemap.xml", []func(*http.Request){method("HEAD")}, 200,
			http.Header{"Content-Length": {fmt.Sprint(len(want))}, "Etag": {tag}}, ""},
		{"same tag", "sitemap.xml", []func(*http.Request){with("If-None-Match", tag)}, 304,
			http.Header{"Etag": {tag}, "Vary": {"Accept-Encoding"}, "Content-Length": {""}}, ""},
		{"tag of the other coding", "sitemap.xml", []func(*http.Request){with("If-None-Match", ziptag)}, 200, nil, "plain"},
		{"a date", "sitemap.xml", []func(*http.Request){with("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT")}, 200,
			http.Header{"Last-Modified": {""}}, "plain"},
		{"range of the compressed bytes", "sitemap.xml",
			[]func(*http.Request){with("Accept-Encoding", "gzip"), with("Range", "bytes=0-2")}, 206, http.Header{
				"Content-Encoding": {"gzip"}, "Etag": {ziptag}, "Content-Length": {"3"}}, "\x1f\x8b\x08"},
		{"range of other bytes", "sitemap.xml",
			[]func(*http.Request){with("Accept-Encoding", "gzip"), with("Range", "bytes=0-2"), with("If-Range", tag)}, 200, nil,
			"gzip"},
		{"range without compression", "sitemap.xml", []func(*http.Request){with("Range", "bytes=0-2")}, 200,
			http.Header{"Etag": {tag}}, "plain"},
		{"range beyond the end", "sitemap.xml",
			[]func(*http.Request){with("Accept-Encoding", "gzip"), with("Range", "bytes=99999-")}, 416,
			http.Header{"Content-Encoding": {""}, "Content-Length": {""}}, "text"},
		{"another tag is needed", "sitemap.xml",
			[]func(*http.Request){with("Accept-Encoding", "gzip"), with("If-Match", `"x"`)}, 412,
			http.Header{"Content-Length": {""}}, ""},
		{"POST", "sitemap.xml", []func(*http.Request){method("POST")}, 405,
			http.Header{"Allow": {"GET, HEAD"}, "X-Robots-Tag": {"noindex"}}, "text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := s.get(tt.file, tt.request...)
			base.Equal(t, w.Code, tt.status, "status")
			for key, values := range tt.header {
				base.Equal(t, w.Header().Get(key), values[0], "%s", key)
			}
			checkBody(t, tt.body, w.Body.Bytes(), want)
		})
	}
}

// A middleware around the program has said that it compresses the answer, which changes its length.
func TestFileIsPlainAndItsTagWeakBelowACompressor(t *testing.T) {
	s := newShelf(t)
	s.list(shards.Entry{}, "/a")
	s.render()
	for _, file := range []string{"sitemap.xml", "sitemap-1.xml", "sitemap.xml.gz"} {
		want, tag := s.get(file).Body.String(), ""
		for _, status := range []int{200, 304} {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/"+file, nil)
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Vary", "Cookie")
			r.Header.Set("Accept-Encoding", "gzip")
			r.Header.Set("Range", "bytes=0-2")
			r.Header.Set("If-None-Match", tag)
			s.files.Serve(w, r)
			tag = w.Header().Get("Etag")
			if w.Code != status || status == 200 && w.Body.String() != want || w.Header().Get("Content-Length") != "" ||
				w.Header().Get("Vary") != "Cookie" || !strings.HasPrefix(tag, "W/") {
				t.Errorf("%s: %d %v, %q, want %d and %q", file, w.Code, w.Header(), w.Body, status, want)
			}
		}
	}
}

func checkBody(t *testing.T, kind string, body []byte, want string) {
	t.Helper()
	switch kind {
	case "\x1f\x8b\x08":
		if string(body) != kind {
			t.Errorf("body %x, want %x", body, kind)
		}
	case "":
		if len(body) != 0 {
			t.Errorf("a body of %d bytes, want none", len(body))
		}
	case "plain":
		if string(body) != want {
			t.Errorf("body\n%s, want\n%s", body, want)
		}
	case "gzip":
		zr, err := gzip.NewReader(bytes.NewReader(body))
		base.Check(t, err)
		if unpacked, err := io.ReadAll(zr); err != nil || string(unpacked) != want {
			t.Errorf("body unpacks to\n%s, %v; want\n%s", unpacked, err, want)
		}
	}
}

// wantNothing asks for files where none is served.
func (s *shelf) wantNothing(when string) {
	s.Helper()
	for _, name := range []string{"sitemap.xml", "sitemap.xml.gz", "sitemap-1.xml"} {
		w := s.get(name)
		if w.Code != 503 || w.Header().Get("Retry-After") == "" || w.Header().Get("Cache-Control") != "no-store" ||
			w.Body.String() != "because of nothing" {
			s.Errorf("%s, %s: %d %v %q, want a 503 that says why and when to come again", when, name, w.Code, w.Header(), w.Body)
		}
	}
}

func TestNothingIsServedWhileNothingIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.wantNothing("before the first rendering")
		s.render()
		s.wantNothing("before the first page")
		s.list(shards.Entry{}, "/a")
		s.render()
		s.want("sitemap.xml", "/a")
		s.write(func(tx txn.Records) { s.layout.Remove(tx, 1, "/a"); s.files.Changed(1) })
		s.render()
		s.wantNothing("after the last page left")
	})
}

func TestNobodyWaitsForAStoreThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, begun := newShelf(t), time.Now()
		var told sync.WaitGroup
		told.Go(func() {
			time.Sleep(time.Second)
			s.files.StoreFailed()
		})
		for range 2 {
			s.wantNothing("while the store fails")
		}
		base.Equal(t, time.Since(begun), time.Second, "requests wait for")
		told.Wait()
		s.list(shards.Entry{}, "/a")
		s.render()
		s.want("sitemap.xml", "/a")
	})
}
