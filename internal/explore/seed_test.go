package explore

import (
	"slices"
	"strings"
	"testing"
)

func TestSeedsAreReadFromSitemapsAndLogs(t *testing.T) {
	for _, tt := range []struct {
		name, text     string
		urls, sitemaps []string
	}{
		{"nothing", "", nil, nil},
		{"sitemap with a byte order mark", "\ufeff<urlset><url><loc> https://e.com/a </loc></url></urlset>", []string{"https://e.com/a"}, nil},
		{"images are no pages", `<urlset xmlns:image="x"><url><loc>/a</loc><image:image><image:loc>/i.png</image:loc></image:image></url></urlset>`, []string{"/a"}, nil},
		{"index", "<sitemapindex><sitemap><loc>/s-1.xml</loc></sitemap></sitemapindex>", nil, []string{"/s-1.xml"}},
		{"broken off", "<urlset><url><loc>/a</loc></url><url><loc>/b", []string{"/a"}, nil},
		{"common log", `::1 - - [t] "GET /a?b=c HTTP/1.1" 200 12`, []string{"/a?b=c"}, nil},
		{"each once", "x \"GET /a HTTP/1.1\" 200 1\nx \"GET /a HTTP/1.1\" 200 1\n", []string{"/a"}, nil},
		{"not got", "x \"GET /a HTTP/1.1\" 404 1\nx \"HEAD /a HTTP/1.1\" 200 1\nx \"GET http://x/ HTTP/1.1\" 200 1\nx \"GET /a", nil, nil},
	} {
		urls, sitemaps, err := ReadSeeds(strings.NewReader(tt.text))
		if err != nil || !slices.Equal(urls, tt.urls) || !slices.Equal(sitemaps, tt.sitemaps) {
			t.Errorf("%s: %q, %q, %v", tt.name, urls, sitemaps, err)
		}
	}
}

// FuzzReadSeeds reads what strangers have written into a log.
func FuzzReadSeeds(f *testing.F) {
	f.Add("<urlset><url><loc>/a</loc></url></urlset>")
	f.Add(`::1 - - [t] "GET /a HTTP/1.1" 200 12 "-" "\"x"`)
	f.Add("\x1f\x8b\x08")
	f.Fuzz(func(t *testing.T, text string) {
		urls, sitemaps, _ := ReadSeeds(strings.NewReader(text))
		if n := len(urls) + len(sitemaps); n > len(text) {
			t.Errorf("%d seeds in %d bytes", n, len(text))
		}
	})
}
