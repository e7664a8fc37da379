package check

import (
	"net/url"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/schema/extension"
)

// FuzzFile reads files of strangers.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`<urlset xmlns="` + namespace + `"><url><loc>https://example.com/</loc><lastmod>2026-11-01</lastmod></url></urlset>`))
	f.Add([]byte(`<sitemapindex xmlns="` + namespace + `"><sitemap><loc>https://example.com/sitemap-1.xml</loc></sitemap></sitemapindex>`))
	f.Add([]byte(`<urlset xmlns="` + namespace + `"><url><loc>https://example.com/a</loc><priority>2</priority></url><loc>x</loc></urlset>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		told := 0
		c := &checker{Config: Config{Tell: func(Finding) { told++ }}, seen: map[string]bool{}, dates: map[string]int{}}
		parts := c.file("sitemap.xml", text)
		for _, loc := range append(parts, c.pages...) {
			u, err := url.Parse(loc)
			if err != nil || u.Host != c.Origin.Host || !extension.ValidURL(loc) {
				t.Errorf("%q is taken for the address of a page, %v", loc, err)
			}
		}
		if c.faults != told {
			t.Errorf("%d faults are counted and %d told", c.faults, told)
		}
		if len(c.pages)+len(parts) == 0 && c.faults == 0 {
			t.Error("a file that names nothing has no fault")
		}
	})
}

func TestExcerptQuotesWhatATextSaysInPlaceOfASitemap(t *testing.T) {
	for _, tt := range []struct{ name, contentType, body, want string }{
		{"a text", "text/plain; charset=utf-8", "No page is listed.\n\nVisit the site.\n", " and says: No page is listed. Visit the site."},
		{"HTML", "text/html", "<p>Down", ""},
		{"nothing", "text/plain", " \n", ""},
		{"what a terminal obeys", "text/plain", "a\x1b[2Jb\xff\u202ec", " and says: a[2Jbc"},
		{"a long text", "text/plain", strings.Repeat("ä", 3000), " and says: " + strings.Repeat("ä", 500) + " ..."},
	} {
		if got := excerpt(tt.contentType, []byte(tt.body)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
