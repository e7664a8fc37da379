package part

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

func TestText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, func(c *Config) { c.Text, c.Recent = true, 1 })
		s.list(Entry{}, "/b", "/a?x=1&copy=2'", "/c")
		s.render()
		const first = "https://example.com/a?x=1&copy=2'\nhttps://example.com/b\nhttps://example.com/c\n"
		w := s.get("sitemap.txt", with("Accept-Encoding", "gzip"))
		if w.Code != http.StatusOK || w.Body.String() != first || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%d %v\n%s", w.Code, w.Header(), w.Body)
		}
		tag := w.Header().Get("Etag")
		if xml := s.get("sitemap.xml").Header().Get("Etag"); tag == "" || tag == xml {
			t.Errorf("the text has the tag %q, the sitemap %q", tag, xml)
		}
		if w := s.get("sitemap.txt", with("If-None-Match", tag)); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("with its tag: status %d", w.Code)
		}
		if w := s.get("sitemap.txt", method(http.MethodHead)); w.Code != http.StatusOK || w.Body.Len() > 0 || w.Header().Get("Etag") != tag {
			t.Errorf("HEAD: %d %v", w.Code, w.Header())
		}
		s.list(Entry{}, "/d")
		s.render()
		if got := s.get("sitemap-1.txt").Body.String(); got != first {
			t.Errorf("the first part is\n%s", got)
		}
		if got := s.get("sitemap-2.txt").Body.String(); got != "https://example.com/d\n" {
			t.Errorf("the second part is\n%s", got)
		}
		for _, name := range []string{"sitemap.txt", "sitemap-3.txt", "sitemap-recent.txt", "sitemap-index-2.txt", "sitemap-1.txt.gz", "sitemap-1.txt.xml"} {
			if w := s.get(name); w.Code != http.StatusNotFound {
				t.Errorf("%s: status %d", name, w.Code)
			}
		}
	})
}

// A text is sent by pieces.
func TestALongText(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.Text = true })
	s.book.MaxURLs = 1000
	var locations []string
	for i := range 100 {
		locations = append(locations, "/"+strings.Repeat("x", 900+i))
	}
	s.list(Entry{}, locations...)
	s.render()
	want := "https://example.com" + strings.Join(locations, "\nhttps://example.com") + "\n"
	if got := s.get("sitemap.txt").Body.String(); got != want {
		t.Errorf("%d bytes were sent, want %d", len(got), len(want))
	}
}
