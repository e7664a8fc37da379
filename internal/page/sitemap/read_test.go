package sitemap

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestReadFindsWhatAFileLists(t *testing.T) {
	const a, b = "https://example.com/a", "https://example.com/b?x=1&y=2"
	for _, tt := range []struct {
		name, text string
		lists      []string
		index, ok  bool
	}{
		{"a sitemap", `<?xml version="1.0"?><urlset xmlns="` + namespace + `"><url><loc> ` + a + "\n</loc><lastmod>2020-01-01</lastmod></url>" +
			"<url><loc>https://example.com/b?x=1&amp;y=2</loc></url></urlset>", []string{a, b}, false, true},
		{"an index", `<sitemapindex xmlns="` + namespace + `"><sitemap><loc>` + a + `</loc></sitemap></sitemapindex>`, []string{a}, true, true},
		{"CDATA, another encoding, no namespace", `<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc><![CDATA[` + b + `]]></loc></url></urlset>`, []string{b}, false, true},
		{"prefixes", `<s:urlset xmlns:s="` + namespace + `"><s:url><s:loc>` + a + `</s:loc></s:url></s:urlset>`, []string{a}, false, true},
		{"images are none", `<urlset xmlns="` + namespace + `" xmlns:image="i"><url><loc>` + a + `</loc><image:image><image:loc>/i.png</image:loc></image:image><image:loc>/j.png</image:loc></url></urlset>`, []string{a}, false, true},
		{"text before it", "Notice: x in y.php\n<urlset><url><loc>" + a + "</loc></url></urlset>", []string{a}, false, true},
		{"broken off", "<urlset><url><loc>" + a + "</loc></url><url><loc>htt", []string{a}, false, true},
		{"lines", "\ufeff" + a + "\r\n" + b + "\n", []string{a, b}, false, true},
		{"RSS", "<rss><channel><link>https://example.com</link><item><title>x</title><link>" + a + "</link></item></channel></rss>", []string{a}, false, true},
		{"Atom", `<feed xmlns="` + atomSpace + `"><link href="/"/><entry><link rel="enclosure" href="/e"/><link href="` + a + `"/></entry></feed>`, []string{a}, false, true},
		{"empty", "", nil, false, false},
		{"a page", "<!DOCTYPE html><html><body><a href='/'>x</a><loc>/x</loc>", nil, false, false},
		{"JSON", `{"loc": "https://example.com"}`, nil, false, false},
		{"an entity", `<!DOCTYPE urlset [<!ENTITY b "https://example.com">]><urlset><url><loc>&b;/a</loc></url></urlset>`, []string{a}, false, true},
		{"20 KB of entities that stand for 16 MB", `<!DOCTYPE urlset [<!ENTITY x "` + strings.Repeat("x", 4<<10) + `">]><urlset><url><loc>` +
			strings.Repeat("&x;", 4<<10) + "</loc></url></urlset>", nil, false, false},
		{"too deep", strings.Repeat("<url>", 2000) + "<loc>" + a, nil, false, false},
	} {
		var lists []string
		index, ok := Read([]byte(tt.text), func(address string) { lists = append(lists, address) })
		if !slices.Equal(lists, tt.lists) || index != tt.index || ok != tt.ok {
			t.Errorf("%s: %q, index %t, ok %t", tt.name, lists, index, ok)
		}
	}
}

// FuzzRead: whatever a site has there, reading ends, and no address has blanks around it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"http://a\n", "<urlset><url><loc>http://a</loc></url></urlset>", "<sitemapindex><sitemap><loc>&#x2f;</loc>", "\x1f\x8b\x08"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		Read(text, func(address string) {
			if !bytes.Equal([]byte(address), bytes.TrimSpace([]byte(address))) {
				t.Errorf("%q", address)
			}
		})
	})
}
