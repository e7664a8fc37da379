package main

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// linking is a site with dead links on pages of all sorts, and with a sitemap of which some entries lead nowhere.
func linking(w http.ResponseWriter, r *http.Request) {
	page := func(head, body string) {
		fmt.Fprintf(w, "<!doctype html><title>About %s</title>%s<p>This page is about %[1]s alone.%[3]s",
			r.URL.Path, head, body)
	}
	entry := func(path, more string) string {
		return "<url><loc>http://" + r.Host + path + "</loc>" + more + "</url>"
	}
	switch r.URL.Path {
	case "/":
		page("", "<a href=/a>a</a><a href=/hidden>h</a><a href=/gone>g</a><a href=/twice>t</a><a href=/once>o</a>")
	case "/a":
		page("", "<a href=/>home</a><a href=/gone>g</a>")
	case "/hidden":
		page("<meta name=robots content=noindex>", "<a href=/gone-hidden>g</a>")
	case "/twice":
		http.Redirect(w, r, "/moved", http.StatusFound)
	case "/moved":
		http.Redirect(w, r, "/a", http.StatusFound)
	case "/once", "/old-1":
		http.Redirect(w, r, "/dead", http.StatusFound)
	case "/old-2":
		http.Redirect(w, r, "/old-1", http.StatusFound)
	case "/file.zip":
		w.Header().Set("Content-Type", "application/zip")
		fmt.Fprint(w, "PK")
	case "/sitemap.xml":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' "+
			"xmlns:xhtml='http://www.w3.org/1999/xhtml' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>"+
			entry("/", "<lastmod>2026-11-01</lastmod><xhtml:link rel='alternate' hreflang='en' href='http://"+r.Host+"/'/>")+
			entry("/a", "<lastmod>2026-11-02</lastmod><image:image><image:loc>http://"+r.Host+"/a.png</image:loc></image:image>")+
			entry("/old-1", "")+entry("/old-2", "")+entry("/file.zip", "")+"</urlset>")
	default:
		http.NotFound(w, r)
	}
}

func TestCheckAndCrawlCountTheSameBrokenLinks(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(linking))
	defer site.Close()
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	for _, tt := range []struct {
		name  string
		args  []string
		wants []string
	}{
		{"check", []string{"check", site.URL, "-crawl"}, []string{"2 dead addresses are linked",
			"/hidden links to " + site.URL + "/gone-hidden, ", "2 answered with a page, 2 with a redirect, an error or nothing, 1 with a file"}},
		{"crawl", []string{"crawl", site.URL, "-out", out}, []string{" · 2 broken links · ",
			"/gone-hidden  404, linked from " + site.URL + "/hidden\n", "/twice → " + site.URL + "/a, linked from " +
				site.URL + "/\n"}},
		{"crawl, of a link to a redirect to nothing", []string{"crawl", site.URL, "-out", out}, []string{
			"2  pages are answered with an error (404). Mend them, or the links to them.\n", "        - " + site.URL +
				"/once → " + site.URL + "/dead\n"}},
		{"crawl, of entries", []string{"crawl", site.URL, "-out", out}, []string{
			"2  pages of the site's own sitemap lead to an error, or elsewhere. Mend them, or take them out of that sitemap.\n        - " +
				site.URL + "/old-1 → " + site.URL + "/dead is answered with 404 Not Found\n        - " + site.URL + "/old-2 → " +
				site.URL + "/dead is answered with 404 Not Found\n"}},
		{"crawl, of what it does not write", []string{"crawl", site.URL, "-out", out}, []string{
			"has links to other languages and images, and this one has none. To write them too, add -alternates and -images."}},
		{"crawl, of the dates that are lost", []string{"crawl", site.URL, "-out", out}, []string{
			"The site's own sitemap has 2 lastmods, and this one 0: a crawl takes dates from pages, not from sitemaps. With -data later"}},
		{"crawl with images", []string{"crawl", site.URL, "-out", out, "-images"}, []string{
			"has links to other languages, and this one has none. To write them too, add -alternates.\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, says, errs := call(t, tt.args...)
			for _, want := range tt.wants {
				if !strings.Contains(says, want) {
					t.Errorf("it does not say %q: %s%s", want, says, errs)
				}
			}
		})
	}
	long := set("/", strings.Repeat(" ", 3<<20), "/ <lastmod>2026-11-01</lastmod>") // more than is read of a page
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, long)
	base.Check(t, z.Close())
	for name, text := range map[string]string{"/map.xml": long, "/map.xml.gz": packed.String()} {
		at := siteOf(t, map[string]string{"/robots.txt": "Sitemap: http://HOST" + name, "/": aPage, name: text})
		if says := must(t, "crawl", at, "-out", out); !strings.Contains(says, "own sitemap has 1 lastmod, and this one 0: ") {
			t.Errorf("%s: it counts no dates: %s", name, says)
		}
	}
	says := must(t, "crawl", site.URL, "-out", out, "-images", "-alternates")
	if strings.Contains(says, "this one has none") {
		t.Errorf("it misses what it writes: %s", says)
	}
}
