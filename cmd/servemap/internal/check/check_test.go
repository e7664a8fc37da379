package check

import (
	"net/url"
	"testing"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/testkit/base"
)

// FuzzFile reads files of strangers.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`<urlset xmlns="` + namespace + `"><url><loc>https://example.com/</loc><lastmod>2026-11-01</lastmod></url></urlset>`))
	f.Add([]byte(`<sitemapindex xmlns="` + namespace + `"><sitemap><loc>https://example.com/sitemap-1.xml</loc></sitemap></sitemapindex>`))
	f.Add([]byte(`<urlset xmlns="` + namespace + `"><url><loc>https://example.com/a</loc><priority>2</priority></url><loc>x</loc></urlset>`))
	at := &url.URL{Scheme: "https", Host: "example.com", Path: "/sitemap.xml"}
	f.Fuzz(func(t *testing.T, text []byte) {
		told := 0
		c, err := newChecker(Config{URL: at, Origin: at, Tell: func(Finding) { told++ }})
		base.Check(t, err)
		parts := c.file("sitemap.xml", text)
		for _, loc := range append(parts, c.pages...) {
			u, err := url.Parse(loc)
			if err != nil || u.Host != at.Host || !extension.ValidURL(loc) {
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
