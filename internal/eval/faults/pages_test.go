package faults

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/servemap/servemap/internal/eval/kit"
)

// sectionPages is how many pages a section has. The root links to the sections. A section
// links to its pages, and to one page that is noindex. Nothing links to the pages below
// /unlinked/.
const sectionPages = 50

func sectionPath(n int) string { return fmt.Sprintf("/s%d", n) }
func pagePath(n int) string    { return fmt.Sprintf("/s%d/p%d", n/sectionPages, n%sectionPages) }
func hiddenPath(n int) string  { return fmt.Sprintf("/s%d/hidden", n) }
func strayPath(n int) string   { return fmt.Sprintf("/unlinked/m%d", n) }

// A fate says what has become of a page; "" if it is still there.
type fate string

const (
	gone    fate = "gone"
	noIndex fate = "noindex"
	private fate = "private"
)

// withdrawals are the fates that take a page out of the sitemap.
var withdrawals = [...]fate{gone, noIndex, private}

// fates are the pages of a site: the number of sections, and the fates of pages. It is safe
// for concurrent use.
type fates struct {
	mu       sync.RWMutex
	Of       map[string]fate
	Sections int
}

func newFates(sections int) *fates { return &fates{Of: map[string]fate{}, Sections: sections} }

func (f *fates) set(path string, to fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Of[path] = to
}

func (f *fates) of(path string) fate {
	if strings.HasSuffix(path, "/hidden") {
		return noIndex
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.Of[path]
}

// stateHeader tells the visitor the state behind the body, so that the visitor can make the
// same body.
const stateHeader = "X-State"

func (f *fates) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	of := f.of(r.URL.Path)
	status, body := content(r.URL.Path, of, f.Sections)
	w.Header().Set(stateHeader, fmt.Sprintf("%d %s", f.Sections, of))
	w.Header().Set("Content-Type", kit.HTML)
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
	p := kit.Page{Title: path}
	if of == noIndex {
		p.Head = `<meta name="robots" content="noindex">`
	}
	return http.StatusOK, p.Append(nil, func(b []byte) []byte {
		b = fmt.Appendf(b, "<p>This is what %s has to say, and %s alone. State %q.</p>\n", path, strings.Repeat(path+" ", 5),
			of)
		for _, to := range links(path, sections) {
			b = kit.AppendLink(b, to, to)
		}
		return b
	})
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
