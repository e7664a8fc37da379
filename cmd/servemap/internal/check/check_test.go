package check

import (
	"net/url"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/testkit/base"
)

// FuzzFile reads files of strangers.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`<urlset xmlns="` + namespace + `"><url><loc>https://example.com/</loc><lastmod>2026-11-01</lastmod></url></urlset>`))
	f.Add([]byte(`<sitemapindex xmlns="` + namespace + `"><sitemap><loc>https://example.com/sitemap-1.xml</loc></sitemap></sitemapindex>`))
	f.Add([]byte(`<urlset xmlns="` + namespace + `"><url><loc>https://example.com/a</loc><priority>2</priority></url><loc>x</loc></urlset>`))
	f.Add([]byte(`<sitemapindex xmlns="` + namespace + `"><sitemap><loc>https://EXAMPLE.com/sitemap-1.xml</loc></sitemap></sitemapindex>`))
	at := &url.URL{Scheme: "https", Host: "example.com", Path: "/sitemap.xml"}
	f.Fuzz(func(t *testing.T, text []byte) {
		told := 0
		c, err := newChecker(Config{URL: at, Origin: at, Tell: func(Finding) { told++ }})
		base.Check(t, err)
		parts := c.file("sitemap.xml", text)
		for _, loc := range append(parts, c.pages...) {
			u, err := url.Parse(loc)
			if err != nil || !strings.EqualFold(u.Host, at.Host) || !extension.ValidURL(loc) {
				t.Errorf("%q is taken for the address of a page, %v", loc, err)
			}
		}
		if told != min(c.faults, 100) {
			t.Errorf("%d faults are counted and %d told", c.faults, told)
		}
		if len(c.pages)+len(parts) == 0 && c.faults == 0 {
			t.Error("a file that names nothing has no fault")
		}
	})
}

func TestFileOfAStrangerIsBounded(t *testing.T) {
	const head = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for _, tt := range []struct {
		name, text, want string
		faults           int
	}{
		{"nests deep", head + strings.Repeat("<a>", 2*mostElements), "elements", 1},
		{"an entry without end", head + "<url>" + strings.Repeat("<loc/>", 2*mostElements), "elements", 1},
		{"every entry is wrong", head + strings.Repeat("<url/>", 500) + "</urlset>", "without <loc>", 500},
		{"more entries than a sitemap may have", head + strings.Repeat("<url/>", 50_500) + "</urlset>", "more than 50000 entries", 50_501},
		{"is empty", "", "not well-formed XML: unexpected EOF", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all []string
			at := &url.URL{Scheme: "https", Host: "example.com", Path: "/sitemap.xml"}
			c, err := newChecker(Config{URL: at, Origin: at, Tell: func(f Finding) { all = append(all, f.Where+" "+f.Text) }})
			base.Check(t, err)
			c.file("sitemap.xml", []byte(tt.text))
			if c.faults != tt.faults || len(all) != min(tt.faults, told) || !strings.Contains(strings.Join(all, "\n"), tt.want) {
				t.Errorf("%d faults, %d told: %q", c.faults, len(all), all[max(0, len(all)-2):])
			}
		})
	}
}
