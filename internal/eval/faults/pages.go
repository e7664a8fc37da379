package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// The site's pages. The root links to the sections, and a section to its pages and to one that asks not to be indexed. Nothing links
// to the pages below /unlinked/.
const (
	sectionPages = 50
	origin       = "https://example.com"
)

func sectionPath(n int) string { return fmt.Sprintf("/s%d", n) }
func pagePath(n int) string    { return fmt.Sprintf("/s%d/p%d", n/sectionPages, n%sectionPages) }
func hiddenPath(n int) string  { return fmt.Sprintf("/s%d/hidden", n) }
func strayPath(n int) string   { return fmt.Sprintf("/unlinked/m%d", n) }

// A fate is what became of a page.
type fate string

const (
	here    fate = ""
	gone    fate = "gone"
	noIndex fate = "noindex"
	private fate = "private"
)

// fates are the pages that are not simply here, and the number of sections. They may be used concurrently.
type fates struct {
	mu       sync.RWMutex
	Of       map[string]fate
	Sections int
}

func (f *fates) set(path string, to fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Of[path] = to
}

func (f *fates) grow(sections int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Sections = sections
}

func (f *fates) look(path string) (of fate, sections int) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.Of[path], f.Sections
}

// stateHeader tells the visitor by what the body was made, so that it can make the body too.
const stateHeader = "X-State"

func (f *fates) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	of, sections := f.look(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/hidden") {
		of = noIndex
	}
	status, body := content(r.URL.Path, of, sections)
	w.Header().Set(stateHeader, fmt.Sprintf("%d %s", sections, of))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if of == private {
		w.Header().Set("Cache-Control", "private")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// content returns what the site answers.
func content(path string, of fate, sections int) (status int, body []byte) {
	if of == gone {
		return http.StatusGone, []byte("<html><body>" + path + " is gone</body></html>")
	}
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><title>" + path + "</title>")
	if of == noIndex {
		b.WriteString(`<meta name="robots" content="noindex">`)
	}
	b.WriteString("</head><body><main>")
	fmt.Fprintf(&b, "<p>This is what %s has to say, and %s alone. State %q.</p>", path, strings.Repeat(path+" ", 5), of)
	for _, to := range links(path, sections) {
		fmt.Fprintf(&b, `<a href="%s">%s</a> `, to, to)
	}
	b.WriteString("</main></body></html>")
	return http.StatusOK, []byte(b.String())
}

func links(path string, sections int) (to []string) {
	if path == "/" {
		for n := range sections {
			to = append(to, sectionPath(n))
		}
		return to
	}
	n, err := strconv.Atoi(strings.TrimPrefix(path, "/s"))
	if err != nil {
		return nil
	}
	for i := range sectionPages {
		to = append(to, pagePath(n*sectionPages+i))
	}
	return append(to, hiddenPath(n))
}
