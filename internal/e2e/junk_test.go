package e2e

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// junkSite answers to any path. Below "/junk/" it sends a megabyte and then takes its time, until it is released.
type junkSite struct {
	t       *testing.T
	site    *servemap.Site
	server  *httptest.Server
	sent    chan struct{}
	release chan struct{}
}

func newJunkSite(t *testing.T) *junkSite {
	site, err := servemap.New("https://example.com", new(memstore.Store), &servemap.Options{
		Limits: servemap.Limits{RenderEvery: time.Millisecond}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	j := &junkSite{t: t, site: site, sent: make(chan struct{}), release: make(chan struct{})}
	j.server = httptest.NewServer(site.Wrap(http.HandlerFunc(j.serve)))
	t.Cleanup(func() {
		j.server.Close()
		if err := site.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return j
}

// junkNew are the pages that "/news" leads to.
var junkNew = []string{"/news/one", "/news/two", "/news/three", "/news/four", "/news/five", "/news/six"}

func (j *junkSite) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	path := r.URL.Path
	page := fmt.Sprintf("<!doctype html><html><head><title>%s</title></head><body><main><p>What there is to say of %s.</p>", path, path)
	switch {
	case path == "/":
		page += `<a href="/news">news</a>`
	case path == "/news":
		for _, to := range junkNew {
			page += fmt.Sprintf(`<a href="%s">more</a>`, to)
		}
	case strings.HasPrefix(path, "/junk/"):
		page += strings.Repeat("<p>Nothing.</p>", 1<<20/len("<p>Nothing.</p>"))
	}
	io.WriteString(w, page+"</main></body></html>")
	if strings.HasPrefix(path, "/junk/") {
		j.sent <- struct{}{}
		<-j.release
	}
}

func (j *junkSite) get(path string) string {
	req, err := http.NewRequest(http.MethodGet, j.server.URL+path, nil)
	if err != nil {
		j.t.Error(err)
		return ""
	}
	req.Host = "example.com"
	resp, err := j.server.Client().Do(req)
	if err != nil {
		j.t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		j.t.Error(err)
	}
	return string(body)
}

// visit gets pages, and waits until the site has learned from them.
func (j *junkSite) visit(paths ...string) {
	j.t.Helper()
	for _, path := range paths {
		j.get(path)
	}
	if err := j.site.Flush(j.t.Context()); err != nil {
		j.t.Fatal(err)
	}
}

// TestSlowJunkDoesNotKeepNewPagesOut has strangers ask for large pages at made-up addresses. None of them is done when
// visitors follow links to new pages.
func TestSlowJunkDoesNotKeepNewPagesOut(t *testing.T) {
	j := newJunkSite(t)
	j.visit("/")
	var junk sync.WaitGroup
	for n := range 20 {
		junk.Go(func() { j.get(fmt.Sprintf("/junk/%d", n)) })
		<-j.sent
	}
	j.visit("/news")
	j.visit(junkNew...)
	xml := j.get("/sitemap.xml")
	for _, path := range append([]string{"/", "/news"}, junkNew...) {
		if !strings.Contains(xml, "<loc>https://example.com"+path+"</loc>") {
			t.Errorf("%s is not listed", path)
		}
	}
	if strings.Contains(xml, "/junk/") {
		t.Error("junk is listed")
	}
	close(j.release)
	junk.Wait()
}
