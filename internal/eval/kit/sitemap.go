package kit

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// A Getter requests a path.
type Getter func(path string) (status int, body []byte, err error)

// FromHandler requests paths of [Host] from a handler.
func FromHandler(h http.Handler) Getter {
	return func(path string) (int, []byte, error) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Origin+path, nil))
		return w.Code, w.Body.Bytes(), nil
	}
}

// FromServer requests paths of [Host] from the server at a URL.
func FromServer(client *http.Client, url string) Getter {
	return func(path string) (int, []byte, error) {
		r, err := http.NewRequest(http.MethodGet, url+path, nil)
		if err != nil {
			return 0, nil, err
		}
		r.Host = Host
		resp, err := client.Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return resp.StatusCode, body, err
	}
}

// ReadSitemap returns the locations in the sitemap of [Origin] and all files that it names. A
// missing sitemap has none.
func ReadSitemap(get Getter) (map[string]bool, error) {
	listed := map[string]bool{}
	return listed, readFile(get, "/sitemap.xml", listed)
}

func readFile(get Getter, path string, listed map[string]bool) error {
	status, body, err := get(path)
	if err != nil || status == http.StatusServiceUnavailable {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", path, status, body)
	}
	var doc struct {
		Pages []string `xml:"url>loc"`
		Files []string `xml:"sitemap>loc"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, page := range doc.Pages {
		listed[strings.TrimPrefix(page, Origin)] = true
	}
	for _, file := range doc.Files {
		if err := readFile(get, strings.TrimPrefix(file, Origin), listed); err != nil {
			return err
		}
	}
	return nil
}
