package kit

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Answer is the answer to a request for a path.
type Answer struct {
	Status int
	Tag    string // entity tag
	Body   []byte
}

// A Getter requests a path.
type Getter func(ctx context.Context, path string) (Answer, error)

// FromHandler requests paths of [Host] from a handler.
func FromHandler(h http.Handler) Getter {
	return func(ctx context.Context, path string) (Answer, error) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, Origin+path, nil))
		return Answer{w.Code, w.Header().Get("Etag"), w.Body.Bytes()}, nil
	}
}

// FromServer requests paths of [Host] from the server at a URL.
func FromServer(client *http.Client, url string) Getter {
	return func(ctx context.Context, path string) (a Answer, err error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
		if err != nil {
			return a, err
		}
		r.Host = Host
		resp, err := client.Do(r)
		if err != nil {
			return a, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return Answer{resp.StatusCode, resp.Header.Get("Etag"), body}, err
	}
}

// Entry is what a sitemap says about a page.
type Entry struct {
	LastMod    string `xml:"lastmod"`
	ChangeFreq string `xml:"changefreq"`
}

// Sitemap is all files of a sitemap.
type Sitemap struct {
	Pages map[string]Entry // by location
	Tags  string           // the entity tags of all files
}

// ReadSitemap reads the sitemap of [Origin] and all files that it names. A
// missing sitemap has no pages.
func ReadSitemap(ctx context.Context, get Getter) (*Sitemap, error) {
	s := &Sitemap{Pages: map[string]Entry{}}
	return s, s.read(ctx, get, "/sitemap.xml")
}

func (s *Sitemap) read(ctx context.Context, get Getter, path string) error {
	a, err := get(ctx, path)
	if err != nil || a.Status == http.StatusServiceUnavailable {
		return err
	}
	if a.Status != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", path, a.Status, a.Body)
	}
	s.Tags += a.Tag
	var doc struct {
		URLs []struct {
			Loc string `xml:"loc"`
			Entry
		} `xml:"url"`
		Files []string `xml:"sitemap>loc"`
	}
	if err := xml.Unmarshal(a.Body, &doc); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, u := range doc.URLs {
		s.Pages[strings.TrimPrefix(u.Loc, Origin)] = u.Entry
	}
	for _, file := range doc.Files {
		if err := s.read(ctx, get, strings.TrimPrefix(file, Origin)); err != nil {
			return err
		}
	}
	return nil
}
