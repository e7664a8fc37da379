package recipes

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap"
)

// ForVisitors is a site with a page for visitors that links to all listed pages, by folder.
// It stands outside Wrap. So its links list no page, and it is not in the sitemap itself.
func ForVisitors(site *servemap.Site) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /contents", &contents{site: site})
	mux.Handle("/", site.Wrap(shop()))
	return mux
}

// contentsMost is how many pages are shown. A larger site shows its folders, or a search.
const contentsMost = 2000

// contents is the page, in the site's own template. It is made anew once a minute.
type contents struct {
	site *servemap.Site

	mu      sync.Mutex
	made    time.Time
	folders []folder
}

// folder is a first part of a path, and the pages below it.
type folder struct {
	Name  string
	Pages []string // paths, with their queries
}

var contentsLayout = template.Must(template.New("").Parse(`<!doctype html><title>Contents</title>
{{range .}}<h2>{{.Name}}</h2>
<ul>{{range .Pages}}<li><a href="{{.}}">{{.}}</a></li>{{end}}</ul>
{{end}}`))

func (c *contents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.made) > time.Minute {
		if err := c.read(r.Context()); err != nil {
			http.Error(w, "the contents cannot be shown now", http.StatusServiceUnavailable)
			return
		}
		c.made = time.Now()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = contentsLayout.Execute(w, c.folders) // it fails only when the client is gone
}

func (c *contents) read(ctx context.Context) error {
	c.folders = nil
	shown := 0
	for page, err := range c.site.Pages(ctx) { // in the order of their URLs
		u, wrong := url.Parse(page.URL)
		if err != nil || wrong != nil || shown == contentsMost {
			return err
		}
		shown++
		name, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
		if n := len(c.folders); n == 0 || c.folders[n-1].Name != name {
			c.folders = append(c.folders, folder{Name: name})
		}
		last := &c.folders[len(c.folders)-1]
		last.Pages = append(last.Pages, u.RequestURI())
	}
	return nil
}
