package sitemap

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestReadFindsWhatAFileLists(t *testing.T) {
	const a, b = "https://example.com/a", "https://example.com/b?x=1&y=2"
	const c = "https://example.com/c"
	much := strings.Repeat("<y/>", mostNodes+1)
	for _, tt := range []struct {
		name, text string
		lists      []string
		index, ok  bool
	}{
		{"a sitemap", `<?xml version="1.0"?><urlset xmlns="` + namespace + `"><url><loc> ` + a +
			"\n</loc><lastmod>2020-01-01</lastmod></url>" +
			"<url><loc>https://example.com/b?x=1&amp;y=2</loc></url></urlset>", []string{a, b}, false, true},
		{"an index", `<sitemapindex xmlns="` + namespace + `"><sitemap><loc>` + a + `</loc></sitemap></sitemapindex>`,
			[]string{a}, true, true},
		{"CDATA, another encoding, no namespace", `<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc><![CDATA[` +
			b + `]]></loc></url></urlset>`, []string{b}, false, true},
		{"prefixes", `<s:urlset xmlns:s="` + namespace + `"><s:url><s:loc>` + a + `</s:loc></s:url></s:urlset>`, []string{a},
			false, true},
		{"images are none", `<urlset xmlns="` + namespace + `" xmlns:image="i"><url><loc>` + a +
			`</loc><image:image><image:loc>/i.png</image:loc></image:image><image:loc>/j.png</image:loc></url></urlset>`,
			[]string{a}, false, true},
		{"text before it", "Notice: x in y.php\n<urlset><url><loc>" + a + "</loc></url></urlset>", []string{a}, false, true},
		{"broken off", "<urlset><url><loc>" + a + "</loc></url><url><loc>htt", []string{a}, false, true},
		{"lines", "\ufeff" + a + "\r\n" + b + "\n", []string{a, b}, false, true},
		{"RSS", "<rss><channel><link>https://example.com</link><item><title>x</title><link>" + a +
			"</link></item></channel></rss>", []string{a}, false, true},
		{"Atom", `<feed xmlns="` + atomSpace + `"><link href="/"/><entry><link rel="enclosure" href="/e"/><link href="` + a +
			`"/></entry></feed>`, []string{a}, false, true},
		{"entries without a namespace, as some serializers write them", `<urlset xmlns="` + namespace +
			`"><url xmlns=""><loc>` + a + `</loc></url></urlset>`, []string{a}, false, true},
		{"pages in an index", `<sitemapindex xmlns="` + namespace + `"><url><loc>` + a + `</loc></url></sitemapindex>`,
			[]string{a}, true, true},
		{"a file in a sitemap", `<urlset xmlns="` + namespace + `"><sitemap><loc>` + a + `</loc></sitemap></urlset>`,
			[]string{a}, false, true},
		{"two addresses in an entry", "<urlset><url><loc/><loc>" + a + "</loc><loc>" + c + "</loc></url></urlset>",
			[]string{a, c}, false, true},
		{"RSS with a link of another module", `<rss xmlns:x="x"><channel><item><x:link>/x</x:link><link>` + a +
			"</link></item></channel></rss>", []string{a}, false, true},
		{"RSS with an empty link", "<rss><channel><item><link/><link>" + a + "</link></item></channel></rss>", []string{a},
			false, true},
		{"Atom 0.3", `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><link rel="alternate" href="` + a +
			`"/></entry></feed>`, []string{a}, false, true},
		{"Atom with two alternates", `<feed xmlns="` + atomSpace + `"><entry><link href="` + a +
			`"/><link rel="alternate" href="` + c + `"/></entry></feed>`, []string{a, c}, false, true},
		{"much that is none before a sitemap's entry", "<urlset><x>" + much + "</x><url><loc>" + a + "</loc></url></urlset>",
			[]string{a}, false, true},
		{"much that is none before a feed's entry", "<rss><channel>" + much + "<item><link>" + a +
			"</link></item></channel></rss>", []string{a}, false, true},
		{"empty", "", nil, false, false},
		{"a page", "<!DOCTYPE html><html><body><a href='/'>x</a><loc>/x</loc>", nil, false, false},
		{"JSON", `{"loc": "https://example.com"}`, nil, false, false},
		{"an entity", `<!DOCTYPE urlset [<!ENTITY b "https://example.com">]><urlset><url><loc>&b;/a</loc></url></urlset>`,
			[]string{a}, false, true},
		{"20 KB of entities that stand for 16 MB", `<!DOCTYPE urlset [<!ENTITY x "` + strings.Repeat("x", 4<<10) +
			`">]><urlset><url><loc>` +
			strings.Repeat("&x;", 4<<10) + "</loc></url></urlset>", nil, false, false},
		{"too deep", strings.Repeat("<url>", 2000) + "<loc>" + a, nil, false, false},
	} {
		var lists []string
		index, ok := Read(t.Context(), []byte(tt.text), func(address string) { lists = append(lists, address) })
		if !slices.Equal(lists, tt.lists) || index != tt.index || ok != tt.ok {
			t.Errorf("%s: %q, index %t, ok %t", tt.name, lists, index, ok)
		}
	}
}

// What a stranger writes takes no time and memory beyond its length. Copied anew for each piece, this would take 2 GB.
func TestTextInPiecesIsReadAtOnce(t *testing.T) {
	text := []byte("<urlset><url><loc>" + strings.Repeat("a<!---->", mostText) + "</loc></url></urlset>")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Read(t.Context(), text, func(address string) {
		if want := strings.Repeat("a", mostText); address != want {
			t.Errorf("an address of %d bytes, want %d", len(address), len(want))
		}
	})
	runtime.ReadMemStats(&after)
	if took := int(after.TotalAlloc - before.TotalAlloc); took > 100*len(text) {
		t.Errorf("%d bytes took %d of memory", len(text), took)
	}
}

// Fifty megabytes may take a quarter of a minute.
func TestReadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	Read(ctx, []byte("<urlset>"+strings.Repeat("<url><loc>/a</loc></url>", 9)), func(string) { n++; cancel() })
	if n != 1 {
		t.Errorf("%d addresses, want the one that was read before that", n)
	}
}

// FuzzRead: whatever a site has there, reading ends, and no address has blanks around it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"http://a\n", "<urlset><url><loc>http://a</loc></url></urlset>",
		"<sitemapindex><sitemap><loc>&#x2f;</loc>", "\x1f\x8b\x08"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		Read(t.Context(), text, func(address string) {
			if !bytes.Equal([]byte(address), bytes.TrimSpace([]byte(address))) {
				t.Errorf("%q", address)
			}
		})
	})
}
